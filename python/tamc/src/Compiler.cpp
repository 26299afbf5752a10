//===- Compiler.cpp - the extension that compiles models ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Conversion/SpecToTam.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Emit/Object.h"
#include "tamc/InitAll.h"
#include "tamc/Pipelines/ModelModules.h"
#include "tamc/Spec/ModelSpec.h"
#include "tamc/Spec/PrintDiagnostic.h"
#include "tamc/Target/Target.h"
#include "tamc/Version.h"

#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <stdexcept>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace nb = nanobind;
using namespace llvm;
using namespace tamc;

namespace {

/// LLVM and lld have state of the process.
std::mutex turn;

/// A spec that a user gave: a formula with keys, or the text of a YAML file,
/// whose name is the key `file`.
struct Source {
  std::string text, name;
  bool isFormula;
  spec::SpecOverrides overrides;
};

Source sourceOf(const std::string &text, bool isFormula,
                const std::map<std::string, std::string> &keys) {
  Source source{text, isFormula ? "<formula>" : "<spec>", isFormula, {}};
  const std::pair<const char *, std::optional<std::string> *> known[] = {
      {"name", &source.overrides.name},
      {"group", &source.overrides.group},
      {"date", &source.overrides.date},
      {"weights", &source.overrides.weights},
      {"solver", &source.overrides.solver},
      {"device", &source.overrides.device}};
  for (const auto &[key, value] : keys)
    for (const auto &[name, place] : known)
      if (key == name)
        *place = value;
  if (const auto file = keys.find("file"); file != keys.end())
    source.name = file->second;
  return source;
}

/// One compilation; throws std::invalid_argument with the diagnostics' text.
class Compilation {
public:
  explicit Compilation(const Source &source) : source(source) {
    sources.setDiagHandler(
        [](const SMDiagnostic &diagnostic, void *self) {
          auto *text = &static_cast<Compilation *>(self)->text;
          raw_string_ostream stream(*text);
          spec::printDiagnostic(diagnostic, stream);
        },
        this);
  }

  /// Reads the spec. \returns the columns of which the levels must be counted.
  std::vector<std::string> read();
  /// Compiles what was read to a shared library at `output`, which takes its
  /// kernels from `runtime`. `profile` is CSV of the columns whose levels are
  /// counted. \returns the seconds of each phase.
  std::map<std::string, double> compile(const std::string &profile,
                                        const std::string &cpu,
                                        const std::string &runtime,
                                        const std::string &output);

private:
  [[noreturn]] void fail(const std::string &message = "") {
    throw std::invalid_argument(message.empty() ? StringRef(text).rtrim().str()
                                                : message);
  }
  void start(const std::string &phase);
  void link(StringRef object, const std::string &runtime,
            const std::string &output);

  const Source &source;
  SourceMgr sources;
  std::string text;
  std::optional<spec::ModelSpec> model;
  std::string phase;
  std::chrono::steady_clock::time_point since;
  std::map<std::string, double> seconds;
};

void collectOpen(const std::vector<spec::Term> &terms,
                 std::vector<std::string> &open) {
  for (const spec::Term &term : terms) {
    if (term.kind == spec::TermKind::Categorical && term.isNone("n_cat") &&
        !is_contained(open, term.feature))
      open.push_back(term.feature);
    collectOpen(term.factors, open);
  }
}

} // namespace

void Compilation::start(const std::string &next) {
  const auto now = std::chrono::steady_clock::now();
  if (!phase.empty())
    seconds[phase] += std::chrono::duration<double>(now - since).count();
  phase = next;
  since = now;
}

std::vector<std::string> Compilation::read() {
  start("read");
  const unsigned id = sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBufferCopy(source.text, source.name), SMLoc());
  if (source.isFormula) {
    model = spec::parseFormulaSpec(sources, id, source.overrides);
  } else {
    model = spec::parseSpec(sources, id);
    if (model && !spec::applyOverrides(sources, *model, source.overrides))
      model.reset();
  }
  if (!model)
    fail();
  std::vector<std::string> open;
  collectOpen(model->terms, open);
  if (model->adapt)
    collectOpen(model->adapt->terms, open);
  return open;
}

std::map<std::string, double> Compilation::compile(const std::string &profile,
                                                   const std::string &cpu,
                                                   const std::string &runtime,
                                                   const std::string &output) {
  std::optional<MemoryBufferRef> reference;
  if (!profile.empty())
    reference = MemoryBufferRef(profile, "data");
  if (!spec::resolveLevels(sources, *model, reference))
    fail();
  std::optional<spec::ModelSpec> windowModel = model->windowModel();
  if (windowModel && !spec::resolveLevels(sources, *windowModel, reference))
    fail();
  // The rows are not known, only their levels.
  for (spec::ModelSpec *each : {&*model, windowModel ? &*windowModel : nullptr})
    if (each)
      each->profile.reset();

  start("import");
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      importSpec(context, sources, *model);
  mlir::OwningOpRef<mlir::ModuleOp> windows;
  if (windowModel)
    windows = importSpec(context, sources, *windowModel);
  if (!module || (windowModel && !windows))
    fail();
  ModelModules modules(std::move(module), std::move(windows));
  modules.setTarget(
      tam::TargetAttr::get(&context, defaultTargetName(), "", cpu));
  PipelineOptions options;
  options.entry = false;
  for (Phase each : allPhases()) {
    if (each == Phase::Import)
      continue;
    start(toString(each).str());
    if (failed(modules.lower(each, Phase::LLVM, options)))
      fail();
  }
  SmallString<0> object;
  raw_svector_ostream stream(object);
  const CodeOptions code = {[&](StringRef stage) { start(stage.str()); },
                            modules.getOthers()};
  if (failed(emitCode(modules.getModel(), CodeKind::Object, code, stream)))
    fail();
  start("link");
  link(object, runtime, output);
  start("");
  return seconds;
}

void Compilation::link(StringRef object, const std::string &runtime,
                       const std::string &output) {
  const std::string input = output + ".o";
  std::error_code code;
  {
    raw_fd_ostream file(input, code);
    if (!code)
      file << object;
    file.close();
    if (file.has_error()) {
      code = file.error();
      file.clear_error();
    }
  }
  const scope_exit remove([&] { ::unlink(input.c_str()); });
  if (code)
    throw std::runtime_error("cannot write '" + input + "': " + code.message());
  const char *arguments[] = {
      "ld.lld",          "-shared",     "-o",
      output.c_str(),    input.c_str(), runtime.c_str(),
      "--build-id=none", "-s",          "--gc-sections",
      "--threads=1",     "--as-needed", "--no-allow-shlib-undefined"};
  std::string messages;
  raw_string_ostream to(messages);
  const lld::DriverDef elf[] = {{lld::Gnu, &lld::elf::link}};
  const lld::Result linked = lld::lldMain(arguments, to, to, elf);
  if (linked.retCode != 0)
    throw std::runtime_error("cannot link: " +
                             StringRef(messages).trim().str());
}

NB_MODULE(_compiler, m) {
  m.doc() = "Compiles specs of additive models; use the package tamc.";
  m.attr("version") = TAMC_VERSION;
  m.attr("llvm_version") = LLVM_VERSION_STRING;

  m.def(
      "open_levels",
      [](const std::string &text, bool isFormula,
         const std::map<std::string, std::string> &keys) {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(turn);
        const Source source = sourceOf(text, isFormula, keys);
        return Compilation(source).read();
      },
      "The columns of c() terms whose levels have to be counted.");

  m.def(
      "compile",
      [](const std::string &text, bool isFormula,
         const std::map<std::string, std::string> &keys,
         const std::string &profile, const std::string &cpu,
         const std::string &runtime, const std::string &output) {
        const nb::gil_scoped_release release;
        const std::lock_guard lock(turn);
        const Source source = sourceOf(text, isFormula, keys);
        Compilation compilation(source);
        compilation.read();
        return compilation.compile(profile, cpu, runtime, output);
      },
      "Compiles a spec to a shared library; returns seconds by phase.");
}
