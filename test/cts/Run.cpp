//===- Run.cpp - compiles and runs a subject on a backend -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tamc::cts;

static const char *const kTamc = TAMC_BINARY_DIR "/bin/tamc";

/// A program and its arguments.
using Command = std::vector<std::string>;

static void append(Command &command, const std::vector<std::string> &more) {
  command.insert(command.end(), more.begin(), more.end());
}

/// The file with the launches for a backend.
static std::string launchesFile(const Backend &backend) {
  std::string name = "launches-";
  name += backend.name;
  return name;
}

Runs::Runs(const Data &data) {
  folder.write("train.csv", data.train.toCsv());
  folder.write("fresh.csv", data.fresh.toCsv());
  folder.write("few.csv", data.few.toCsv());
  folder.write("uncertain.csv", data.uncertain.toCsv());
}

void Runs::start(const Subject &next) {
  subject = next;
  programs.clear();
  folder.write("m.yaml", specOf(subject));
}

/// Loading tamc and its libraries takes as long as compiling some subjects.
std::string Runs::runTamc(const std::vector<std::string> &arguments) {
  const std::string library = TAMC_FORK_SERVER;
  // Sanitizers have none.
  if (library.empty())
    return folder.run(kTamc, arguments);
  if (!tamc)
    tamc = std::make_unique<Server>(
        std::vector<std::string>{kTamc},
        std::vector<std::string>{"LD_PRELOAD=" + library});
  Command command = {kTamc};
  append(command, arguments);
  return tamc->run(folder, command, {});
}

std::string Runs::compile(const Backend &backend, std::string &program) {
  Command options = subject.options;
  append(options, backend.compile);
  if (subject.hasProfile)
    append(options, {"--profile", "train.csv"});
  if (!backend.machine.empty())
    append(options, {"--triple", backend.machine});
  if (auto found = programs.find(options); found != programs.end()) {
    program = found->second;
    return "";
  }
  program = folder.path("m");
  program += std::to_string(programs.size());
  Command arguments = options;
  append(arguments, {"m.yaml", "-o", program, "--emit=obj"});
  std::string failure = runTamc(arguments);
  const std::string object = program;
  Command link = {object};
  std::string driver = TAMC_CC;
  if (backend.machine.empty()) {
    program += ".so";
    // The level that it asks for is that of TAMC_CTS_LEVEL (Runner.cpp).
    append(link, {"-shared", "-Wl,--wrap=tamrt_cpu_level"});
  } else {
    program += ".exe";
    driver = backend.driver;
    append(link, {"-I" TAMC_CTS_INCLUDE, TAMC_CTS_THEN, backend.runtime,
                  "-lstdc++", "-lm", "-lpthread"});
  }
  append(link, {"-o", program});
  if (failure.empty())
    failure = folder.run(driver, link);
  if (failure.empty())
    programs[options] = program;
  return failure;
}

/// What the commands write.
static const std::vector<std::string> kFiles = {
    "weights", "response", "terms", "design", "errors", "effect-errors"};

/// A fit, and predictions of each kind.
std::vector<Command> Runs::commands() const {
  std::vector<Command> commands = {{"fit", "train.csv", "-o", "weights"}};
  for (const auto &[type, rows] :
       {std::pair("response", "fresh.csv"), std::pair("terms", "few.csv"),
        std::pair("design", "few.csv")})
    commands.push_back(
        {"predict", rows, "--weights", "weights", "--type", type, "-o", type});
  if (subject.hasInference) {
    commands.front().push_back("--inference");
    for (const auto &[type, file] :
         {std::pair("response", "errors"), std::pair("terms", "effect-errors")})
      commands.push_back({"predict", "uncertain.csv", "--weights", "weights",
                          "--type", type, "--se", "-o", file});
  }
  return commands;
}

/// The arguments of tam-cts-run for a program, and of another machine's program
/// (Then.c) behind itself.
static Command joined(const std::string &program,
                      const std::vector<Command> &commands) {
  Command all = {program};
  for (const Command &command : commands) {
    if (all.size() > 1)
      all.push_back("--then");
    append(all, command);
  }
  return all;
}

void Runs::record(const Backend &backend, const std::string &to) {
  namespace fs = std::filesystem;
  std::string program;
  if (!compile(backend, program).empty())
    return;
  fs::create_directories(to);
  for (const char *data :
       {"train.csv", "fresh.csv", "few.csv", "uncertain.csv"})
    if (const fs::path kept = fs::path(to).parent_path() / data;
        !fs::exists(kept))
      fs::copy_file(folder.path(data), kept);
  fs::copy_file(program, to + "/model.so");
  std::vector<Command> all = commands();
  for (Command &command : all)
    append(command, {"--device", "@DEVICE@"});
  std::ofstream script(to + "/commands");
  for (const std::string &argument : joined("model.so", all))
    script << argument << "\n";
  std::ofstream(to + "/formula")
      << subject.name << ": " << subject.formula << "\n";
  for (const std::string &file : kFiles)
    if (fs::exists(folder.path(file)))
      fs::copy_file(folder.path(file), to + "/" + file);
}

std::string Runs::run(const Backend &backend, Outputs &outputs) {
  outputs = {};
  std::string program;
  if (std::string failure = compile(backend, program); !failure.empty())
    return failure;
  std::vector<Command> commands = this->commands();
  for (Command &command : commands)
    append(command, backend.run);
  for (const std::string &file : kFiles)
    std::filesystem::remove(folder.path(file));

  std::vector<std::string> environment = backend.environment;
  if (subject.keys.find("weights:") != std::string::npos)
    environment.push_back("TAMC_CTS_EMPTY=1");
  environment.push_back("TAMC_CTS_COUNTS=" +
                        folder.path(launchesFile(backend)));
  std::string failure;
  if (backend.machine.empty()) {
    std::unique_ptr<Server> &server = servers[backend.preload];
    if (!server)
      server = std::make_unique<Server>(
          std::vector<std::string>{TAMC_CTS_RUN, "--serve", backend.preload});
    failure = server->run(folder, joined(program, commands), environment);
  } else {
    Command emulated = {"-L", "/usr/" + backend.machine};
    append(emulated, joined(program, commands));
    failure = folder.run(TAMC_QEMU_AARCH64, emulated, "", environment);
  }
  // A device may leave steps to the CPU, which tells of it.
  if (std::string said = folder.read("stderr");
      failure.empty() && said.find("warning:") != std::string::npos)
    failure = said;
  if (failure.empty())
    outputs = {folder.read(kFiles[0]), folder.read(kFiles[1]),
               folder.read(kFiles[2]), folder.read(kFiles[3]),
               folder.read(kFiles[4]), folder.read(kFiles[5])};
  return failure;
}

std::map<std::string, long> Runs::launches(const Backend &backend) const {
  std::map<std::string, long> counts;
  std::istringstream lines(folder.read(launchesFile(backend)));
  std::string name;
  long count = 0;
  while (lines >> name >> count)
    counts[name] += count;
  return counts;
}
