//===- ConformanceTest.cpp - every backend gives the model's numbers ------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// tam-cts: the conformance suite of backends (docs/backends.md). Each subject,
/// a small or a whole model, is fitted and applied on each backend. A *case* is
/// one subject, with or without row weights, in one group of rows (kShapes), on
/// one backend; all its results are compared.
///
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "tamrt/abi.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <set>

using namespace llvm;
using namespace tamc::cts;

static cl::OptionCategory category("Options of tam-cts");
static cl::list<std::string>
    onlyBackends("backends", cl::CommaSeparated,
                 cl::desc("Only these, and the first to compare with"),
                 cl::value_desc("name,..."), cl::cat(category));
static cl::opt<std::string>
    onlySubjects("subjects", cl::desc("Only subjects whose name matches"),
                 cl::value_desc("regex"), cl::init(""), cl::cat(category));
static cl::opt<bool> list("list", cl::desc("Print backends and subjects"),
                          cl::cat(category));
static cl::opt<bool> timings("timings", cl::desc("Print each subject's time"),
                             cl::cat(category));
static cl::opt<unsigned> least("least", cl::desc("Fail if fewer cases ran"),
                               cl::init(0), cl::cat(category));

static cl::opt<std::string>
    record("record",
           cl::desc("Write the programs and results of the last backend here"),
           cl::value_desc("folder"), cl::init(""), cl::cat(category));

/// Kernels that no subject launches, each with its reason.
static const std::map<std::string, const char *> kNotLaunched = {};

namespace {

/// What ran on one backend.
struct Count {
  unsigned subjects = 0, cases = 0, failed = 0;
};

class Suite {
public:
  explicit Suite(std::vector<Backend> backends)
      : backends(std::move(backends)), runs(data),
        counts(this->backends.size()) {}

  void run(const Subject &subject, size_t index);
  /// Prints what ran; returns the exit status.
  int report(bool isComplete);

private:
  void compare(const Subject &subject, size_t backend, const Outputs &outputs);
  void fail(const Subject &subject, size_t backend, int shape,
            StringRef message);

  std::vector<Backend> backends;
  Data data;
  Runs runs;
  std::vector<Count> counts;
  /// The first backend's results for the subject.
  Outputs first;
  std::unique_ptr<Checker> checker;
};

} // namespace

void Suite::fail(const Subject &subject, size_t backend, int shape,
                 StringRef message) {
  counts[backend].failed += shape < 0 ? kShapes.size() : 1;
  outs() << "FAILED: " << subject.name << ", " << backends[backend].name;
  if (shape >= 0)
    outs() << ", group of " << kShapes[shape] << " rows";
  outs() << ": " << message.trim() << "\n  formula: " << subject.formula
         << "\n";
}

void Suite::compare(const Subject &subject, size_t backend,
                    const Outputs &outputs) {
  const bool isSame =
      backend > 0 && backends[backend].promise == Promise::SameBytes;
  if (isSame && outputs == first)
    return;
  std::map<int, std::string> found = checker->check(outputs);
  for (const auto &[shape, message] : found)
    fail(subject, backend, shape, message);
  if (isSame && found.empty()) {
    std::string what;
    for (const auto &[name, isEqual] :
         {std::pair("weights", outputs.weights == first.weights),
          std::pair("predictions", outputs.predictions == first.predictions),
          std::pair("effects", outputs.terms == first.terms),
          std::pair("design", outputs.design == first.design),
          std::pair("standard errors",
                    outputs.errors == first.errors &&
                        outputs.effectErrors == first.effectErrors)})
      what += isEqual ? "" : std::string(what.empty() ? "" : ", ") + name;
    fail(subject, backend, -1,
         "the bytes differ from those of '" + backends[0].name + "': " + what +
             "; the numbers are within the tolerance");
  }
}

void Suite::run(const Subject &subject, size_t index) {
  auto begin = std::chrono::steady_clock::now();
  runs.start(subject);
  checker = std::make_unique<Checker>(subject, data);
  for (size_t i = 0; i < backends.size(); ++i) {
    const Backend &backend = backends[i];
    if ((subject.hasLoops && !backend.runsLoops) || index % backend.every != 0)
      continue;
    ++counts[i].subjects;
    counts[i].cases += kShapes.size();
    Outputs outputs;
    std::string failure = runs.run(backend, outputs);
    if (!failure.empty())
      fail(subject, i, -1, failure);
    else
      compare(subject, i, outputs);
    if (!record.empty() && i + 1 == backends.size() && failure.empty())
      runs.record(backend, record + "/" + std::to_string(index));
    if (i == 0)
      first = std::move(outputs);
  }
  if (timings) {
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    outs() << format("%6.2f s  ", time.count()) << subject.name << "\n";
  }
  outs().flush();
}

int Suite::report(bool isComplete) {
  Count all;
  outs() << "backend          subjects   cases  failed\n";
  for (size_t i = 0; i < backends.size(); ++i) {
    outs() << left_justify(backends[i].name, 14)
           << format(" %10u %7u %7u\n", counts[i].subjects, counts[i].cases,
                     counts[i].failed);
    all.cases += counts[i].cases;
    all.failed += counts[i].failed;
  }
  outs() << all.cases << " cases, " << all.failed << " failed\n";
  bool isGood = all.failed == 0;
  if (all.cases < least) {
    outs() << "FAILED: expected at least " << least << " cases\n";
    isGood = false;
  }
  if (!isComplete)
    return isGood ? 0 : 1;
  outs() << "level of this CPU: " << tamrt_cpu_level()
         << " (AVX2: " << TAMRT_CPU_X86_64_V3
         << ", AVX-512: " << TAMRT_CPU_X86_64_V4 << ")\n";
  // A device with kernels of its own launches none of the CPU's.
  std::set<std::string> launched;
  outs() << "kernels of the CPU launched:";
  for (const Backend &backend : backends) {
    if (!backend.machine.empty())
      continue;
    const std::map<std::string, long> launches = runs.launches(backend);
    outs() << " " << backend.name << " " << launches.size();
    for (const auto &[name, count] : launches)
      launched.insert(name);
  }
  outs() << "\n";
  unsigned kernels = 0;
  for (StringRef name : {
#define TAMRT_KERNEL(name, ...) #name,
#include "tamrt/kernels.def"
       }) {
    ++kernels;
    bool isLaunched = launched.count(name.str());
    if (isLaunched == bool(kNotLaunched.count(name.str()))) {
      outs() << "FAILED: kernel '" << name << "' is "
             << (isLaunched ? "launched, but listed as not launched\n"
                            : "launched by no subject\n");
      isGood = false;
    }
  }
  outs() << launched.size() << " of " << kernels << " kernels launched\n";
  return isGood ? 0 : 1;
}

/// The backends that were asked for and are there.
static std::vector<Backend> chooseBackends() {
  std::set<std::string> names(onlyBackends.begin(), onlyBackends.end());
  std::vector<Backend> chosen;
  for (const Backend &backend : allBackends()) {
    // The first one is needed to compare with.
    if (!names.erase(backend.name) && !onlyBackends.empty() && !chosen.empty())
      continue;
    if (backend.missing.empty())
      chosen.push_back(backend);
    else
      outs() << "left out: " << backend.name << ": " << backend.missing << "\n";
  }
  for (const std::string &name : names) {
    errs() << "error: no backend '" << name << "'\n";
    std::exit(2);
  }
  return chosen;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Conformance suite of backends\n");
  std::vector<Backend> backends = chooseBackends();
  std::vector<Subject> subjects = allSubjects();
  if (list) {
    for (const Backend &backend : backends)
      outs() << "backend " << backend.name << "\n";
    for (const Subject &subject : subjects)
      outs() << "subject " << subject.name << ": " << subject.formula << "\n";
    return 0;
  }
  Suite suite(std::move(backends));
  Regex regex(onlySubjects);
  for (size_t i = 0; i < subjects.size(); ++i)
    if (onlySubjects.empty() || regex.match(subjects[i].name))
      suite.run(subjects[i], i);
  return suite.report(onlySubjects.empty() && onlyBackends.empty());
}
