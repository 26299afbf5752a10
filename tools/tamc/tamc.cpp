//===- tamc.cpp - compiles specs of additive models -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompress.h"
#include "Options.h"
#include "OutputCheck.h"

#include "tamc/Conversion/SpecToTam.h"
#include "tamc/Conversion/TamKToLLVM.h"
#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Emit/Bake.h"
#include "tamc/Emit/Cpp.h"
#include "tamc/Emit/Library.h"
#include "tamc/Emit/Link.h"
#include "tamc/Emit/Object.h"
#include "tamc/Emit/Output.h"
#include "tamc/Emit/PlanText.h"
#include "tamc/Emit/TemporaryFolder.h"
#include "tamc/InitAll.h"
#include "tamc/Pipelines/ModelModules.h"
#include "tamc/Pipelines/PhaseClock.h"
#include "tamc/Pipelines/Pipelines.h"
#include "tamc/Pipelines/SavedModule.h"
#include "tamc/Spec/ModelSpec.h"
#include "tamc/Spec/PrintDiagnostic.h"
#include "tamc/Target/Target.h"
#include "tamc/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <limits>
#include <memory>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace tamc;
using namespace tamc::options;

namespace {

/// Reports a user's error without a location in a file.
int fail(const Twine &message) {
  WithColor::error(errs(), "tamc") << message << "\n";
  return 1;
}

/// One run of the compiler.
class Driver {
public:
  explicit Driver(const char *program)
      : executable(sys::fs::getMainExecutable(
            program, reinterpret_cast<void *>(&fail))) {}

  int run() {
    int status = compile();
    clock.stop();
    if (status == 0 && timings)
      clock.print(errs());
    return status;
  }

private:
  int compile();
  int readSpec();
  int readModule();
  int lower(Phase target);
  int write(function_ref<int(raw_pwrite_stream &)> print);
  CodeOptions codeOptions() {
    return {[this](StringRef stage) { clock.start(stage); },
            modules.getOthers()};
  }
  int setTarget();
  int writeExecutable();
  int writeCpp();
  int writeLibrary();
  std::string outputName() const;
  std::string rowsObject() const;
  int checkOutputName() const;
  int checkOutputs(ArrayRef<std::string> outputs) const;
  std::string modelName() const;
  std::string libraryPrefix() const;

  std::string executable;
  /// The machine that is not this one, for which the model is compiled.
  std::string machine;
  SourceMgr sources;
  std::optional<spec::ModelSpec> spec, windowSpec;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  ModelModules modules;
  Phase from = Phase::Import, to = Phase::LLVM;
  PhaseClock clock{"tamc", sys::Process::StandardErrIsDisplayed()};
};

} // namespace

int Driver::readSpec() {
  spec::SpecOverrides overrides{given(name),    given(group),  given(date),
                                given(weights), given(solver), given(device)};
  if (!formula.empty()) {
    unsigned id = sources.AddNewSourceBuffer(
        MemoryBuffer::getMemBufferCopy(formula, "<formula>"), SMLoc());
    spec = spec::parseFormulaSpec(sources, id, overrides);
  } else {
    auto buffer = MemoryBuffer::getFileOrSTDIN(inputFile);
    if (!buffer)
      return fail("cannot read '" + inputFile +
                  "': " + buffer.getError().message());
    unsigned id = sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
    spec = spec::parseSpec(sources, id);
    if (spec && !spec::applyOverrides(sources, *spec, overrides))
      return 1;
  }
  if (!spec)
    return 1;
  std::unique_ptr<MemoryBuffer> data;
  std::optional<MemoryBufferRef> reference;
  if (!profile.empty()) {
    auto buffer = MemoryBuffer::getFileOrSTDIN(profile);
    if (!buffer)
      return fail("cannot read '" + profile +
                  "': " + buffer.getError().message());
    data = std::move(*buffer);
    if (const std::string fault = decompress(data); !fault.empty())
      return fail("cannot read '" + profile + "': " + fault);
    reference = data->getMemBufferRef();
  }
  const spec::ProfileFormat format = {getSeparator(), decimal.front(), missing};
  if (!spec::resolveLevels(sources, *spec, reference, format))
    return 1;
  windowSpec = spec->windowModel();
  if (!windowSpec)
    return 0;
  return spec::resolveLevels(sources, *windowSpec, reference, format) ? 0 : 1;
}

int Driver::readModule() {
  std::string message;
  auto buffer = mlir::openInputFile(inputFile, &message);
  if (!buffer)
    return fail(message);
  const StringRef text = buffer->getBuffer();
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  if (std::optional<std::string> fault = findSavedModuleFault(text, from)) {
    sources.PrintMessage(SMLoc::getFromPointer(text.data()),
                         SourceMgr::DK_Error, *fault);
    return 1;
  }
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  if (!module)
    return 1;
  modules = ModelModules(std::move(module));
  return 0;
}

/// Lowers the modules to the phase `target`.
int Driver::lower(Phase target) {
  PipelineOptions options;
  options.strategy = strategy;
  options.reuse = reuse;
  options.chunkRows = chunkRows;
  options.maxDirect = maxDirect;
  options.blockLimit = blockLimit;
  options.smallBlockLimit = smallBlockLimit;
  options.minCg = minCg;
  options.rowsPerLevel = rowsPerLevel;
  options.mergeColumns = mergeColumns;
  options.joinPairs = joinPairs;
  options.rowWords = rowWords;
  options.dense = dense;
  options.fuseRows = fuseRows;
  options.tableOperands = tableOperands;
  options.panels = panels;
  options.entry = emit == Emit::Executable;
  if (emit == Emit::Library) {
    options.prefix = libraryPrefix();
    // A library uses its caller's memory and has no oracle.
    options.minCg = std::numeric_limits<int64_t>::max();
    options.smallBlockLimit = 0;
  }
  auto configure = [](mlir::PassManager &manager) {
    return mlir::applyPassManagerCLOptions(manager);
  };
  // One pass manager for each phase, so that each can be measured.
  for (Phase phase : allPhases()) {
    if (phase <= from || phase > target)
      continue;
    clock.start(toString(phase));
    if (failed(modules.lower(phase, target, options, configure)))
      return 1;
  }
  return 0;
}

std::string Driver::modelName() const {
  return spec ? spec->name : sys::path::stem(inputFile).str();
}

std::string Driver::libraryPrefix() const {
  if (!prefix.empty())
    return prefix;
  return tamc::libraryPrefix(spec ? spec->name
                                  : moduleName(modules.getModel()));
}

/// The object of the loops over rows is beside the C++ source.
std::string Driver::rowsObject() const {
  SmallString<256> object(outputName());
  sys::path::replace_extension(object, "");
  object += "_rows.o";
  return std::string(object);
}

std::string Driver::outputName() const {
  if (!outputFile.empty())
    return outputFile;
  if (emit == Emit::Executable || emit == Emit::Object) {
    return emit == Emit::Object ? modelName() + ".o" : modelName();
  }
  return "-";
}

/// Checks that the output's default name, the model's, is valid as a file name.
int Driver::checkOutputName() const {
  if (emit == Emit::Library) {
    if (!prefix.empty() && !isLibraryPrefix(prefix))
      return fail("expected a C identifier that starts with a letter as "
                  "--prefix, got '" +
                  prefix + "'");
    const std::string &own = prefix.empty() && spec ? spec->name : prefix;
    if (StringRef(own).starts_with("tamrt"))
      return fail("expected a name of the model, or a --prefix, that does not "
                  "begin with 'tamrt', as functions of the runtime do, got '" +
                  own + "'");
    StringRef name = sys::path::filename(outputFile);
    if (!outputFile.empty() && !sys::fs::is_directory(outputFile) &&
        (!name.ends_with(".a") || name == ".a" || name == "lib.a"))
      return fail("expected a folder or a file that ends in .a for a library, "
                  "got '" +
                  outputFile + "'");
    return 0;
  }
  for (const cl::opt<std::string> *option : {&prefix, &bake})
    if (!option->empty())
      return fail("expected --" + option->ArgStr + " with --emit=lib alone");
  if (!outputFile.empty() || !spec ||
      (emit != Emit::Executable && emit != Emit::Object))
    return 0;
  StringRef stem = spec->name;
  if (stem == "." || stem == ".." || stem == "-" || stem.contains('/') ||
      stem.contains('\0'))
    return fail("expected -o FILE, for the model's name '" + stem +
                "' is not a file name");
  return 0;
}

/// Checks that no output replaces a file that is read, the compiler, or another
/// output.
int Driver::checkOutputs(ArrayRef<std::string> outputs) const {
  std::vector<std::string> inputs = {inputFile, profile, bake};
  if (spec)
    llvm::append_range(inputs, spec->stateFiles);
  std::optional<std::string> conflict =
      findConflict(inputs, outputs, executable);
  return conflict ? fail(*conflict) : 0;
}

/// Writes an output that appears completely or not at all.
int Driver::write(function_ref<int(raw_pwrite_stream &)> print) {
  std::string path = outputName();
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  if (int status = print(stream))
    return status;
  if (path == "-") {
    if (emit == Emit::Object && sys::Process::StandardOutIsDisplayed())
      return fail("refused to write an object file to a terminal");
    outs() << bytes;
    return 0;
  }
  if (Error error = writeOutputs({{path, bytes}}))
    return fail(toString(std::move(error)));
  return 0;
}

/// Sets what the module is compiled for, if options say it: all of it, since a
/// CPU is one of a machine.
int Driver::setTarget() {
  auto target =
      modules.getModel()->getAttrOfType<tam::TargetAttr>(tam::kTargetAttrName);
  if (cpu.getNumOccurrences() || triple.getNumOccurrences())
    target = tam::TargetAttr::get(context.get(), defaultTargetName(),
                                  triple.getValue(), cpu.getValue());
  if (target)
    modules.setTarget(target);
  Expected<std::unique_ptr<Target>> made = createTarget(target);
  if (!made)
    return fail("cannot generate code: " + toString(made.takeError()));
  machine = (*made)->getCrossName();
  return 0;
}

int Driver::writeExecutable() {
  std::string path = outputName();
  if (path == "-")
    return fail("expected an output file for an executable, got '-'");
  // A module that stopped after the last phase has none.
  if (!modules.getModel().lookupSymbol("main"))
    return fail("expected a module with the function 'main' for --emit=exe, "
                "got one without; --emit=obj needs none");
  SmallString<0> object;
  raw_svector_ostream stream(object);
  if (failed(emitCode(modules.getModel(), CodeKind::Object, codeOptions(),
                      stream)))
    return 1;
  clock.start("link");
  LinkOptions options;
  options.isStatic = staticBlas;
  options.executable = executable;
  options.machine = machine;
  if (Error error = linkExecutable(object, path, options))
    return fail(toString(std::move(error)));
  return 0;
}

/// Writes C++ and, if the model has generated kernels, their object beside it.
int Driver::writeCpp() {
  const std::string kernelPrefix = libraryPrefix();
  auto print = [&](raw_pwrite_stream &out) {
    return failed(emitCpp(modules.getModel(), TAMC_VERSION, kernelPrefix, out))
               ? 1
               : 0;
  };
  if (!hasGeneratedKernels(modules.getModel()))
    return write(print);
  const std::string path = outputName(), rows = rowsObject();
  if (path == "-")
    return fail("expected -o FILE with --emit=cpp, for the loops over rows are "
                "an object beside the source; --fuse-rows=false does without");
  if (int status = checkOutputs({path, rows}))
    return status;
  SmallString<0> object, source;
  raw_svector_ostream objectStream(object), sourceStream(source);
  if (failed(emitGeneratedKernels(modules.getModel(), kernelPrefix,
                                  codeOptions(), objectStream)))
    return 1;
  if (int status = print(sourceStream))
    return status;
  if (Error error = writeOutputs({{rows, object}, {path, source}}))
    return fail(toString(std::move(error)));
  return 0;
}

/// Writes the archive and its header from a module at Phase::Plan: the lowered
/// module no longer has the data for the header and the names.
int Driver::writeLibrary() {
  const tam::ModelAttr model = tam::getModel(modules.getModel());
  if (!model)
    return fail("expected a module with '" + tam::kModelAttrName + "'");
  const std::string prefix = libraryPrefix();
  const LibraryPaths paths = libraryPaths(outputFile, prefix);
  if (int status = checkOutputs({paths.archive, paths.header}))
    return status;
  std::string weights;
  if (!bake.empty()) {
    Expected<std::string> read =
        readWeights(modules.getModel(), bake, TAMC_VERSION);
    if (!read)
      return fail(toString(read.takeError()));
    weights = std::move(*read);
  }
  from = Phase::Plan;
  if (int status = lower(Phase::LLVM))
    return status;
  if (!weights.empty())
    addWeights(modules.getModel(), prefix, weights);
  SmallString<0> object;
  raw_svector_ostream stream(object);
  mlir::FailureOr<int64_t> stackBytes =
      emitCode(modules.getModel(), CodeKind::Object, codeOptions(), stream);
  if (failed(stackBytes))
    return 1;
  std::string header =
      libraryHeader(model, prefix, TAMC_VERSION, *stackBytes, weights.size());
  Expected<std::string> archive = archiveLibrary(object, executable, machine);
  if (!archive)
    return fail(toString(archive.takeError()));
  if (Error error =
          writeOutputs({{paths.header, header}, {paths.archive, *archive}}))
    return fail(toString(std::move(error)));
  return 0;
}

int Driver::compile() {
  if (std::optional<std::string> error = findOptionError(from, to))
    return fail(*error);

  clock.start("read");
  spec::setDiagnosticPrinter(sources);
  if (compileFrom.empty())
    if (int status = readSpec())
      return status;
  if (int status = checkOutputName())
    return status;
  // A library's name may come from the module, which is read later.
  if (emit != Emit::Library)
    if (int status = checkOutputs({outputName()}))
      return status;
  if (emit == Emit::Spec)
    return write([&](raw_pwrite_stream &out) {
      out << spec->canonical();
      return 0;
    });

  registerAllDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  // A module that is read need not have an attribute or op that loads it.
  context->loadDialect<tam::TamDialect>();
  mlir::SourceMgrDiagnosticHandler handler(sources, context.get());
  if (!compileFrom.empty()) {
    if (int status = readModule())
      return status;
  } else {
    clock.start("import");
    auto module = importSpec(*context, sources, *spec);
    mlir::OwningOpRef<mlir::ModuleOp> windows;
    if (windowSpec)
      windows = importSpec(*context, sources, *windowSpec);
    if (!module || (windowSpec && !windows))
      return 1;
    modules = ModelModules(std::move(module), std::move(windows));
  }
  if (int status = setTarget())
    return status;
  if (modules.getWindows() && (emit == Emit::Cpp || emit == Emit::Library))
    return fail("expected a spec without 'adapt' with --emit=cpp and lib, "
                "which have one model");

  if (spec && spec->grid && (emit == Emit::Cpp || emit == Emit::Library))
    return fail("expected a spec without 'grid' with --emit=cpp and lib");
  const bool isPlan = getSource(emit) == Phase::Plan;
  if (emit == Emit::MLIR && compileTo.empty())
    to = from;
  if (isPlan)
    modules.dropDevices();
  else if (deviceSteps && fuseRows && from == Phase::Import &&
           to > Phase::Import)
    modules.addDevices();
  if (int status = lower(isPlan ? Phase::Plan : to))
    return status;
  switch (emit) {
  case Emit::Spec:
    llvm_unreachable("written before");
  case Emit::MLIR:
    return write([&](raw_pwrite_stream &out) {
      const mlir::ModuleOp module = modules.getNested();
      if (compileTo.empty())
        out << module << '\n';
      else
        saveModule(module, to, out);
      return 0;
    });
  case Emit::Plan:
  case Emit::Drawing:
    return write([&](raw_pwrite_stream &out) {
      SmallVector<mlir::ModuleOp> shown = {modules.getModel()};
      if (mlir::ModuleOp windows = modules.getWindows())
        shown.push_back(windows);
      out << planText(shown, emit == Emit::Plan ? PlanStyle::Table
                                                : PlanStyle::Drawing);
      return 0;
    });
  case Emit::Cpp:
    return writeCpp();
  case Emit::LLVM:
  case Emit::Assembly:
  case Emit::Object:
    return write([&](raw_pwrite_stream &out) {
      CodeKind kind = emit == Emit::LLVM       ? CodeKind::LLVM
                      : emit == Emit::Assembly ? CodeKind::Assembly
                                               : CodeKind::Object;
      return failed(emitCode(modules.getModel(), kind, codeOptions(), out)) ? 1
                                                                            : 0;
    });
  case Emit::Library:
    return writeLibrary();
  case Emit::Executable:
    return writeExecutable();
  }
  llvm_unreachable("all kinds are listed");
}

/// Reports a failure to write to stdout as our error.
static void closeOutput() {
  if (std::optional<std::string> error = flushOutput()) {
    fail(*error);
    errs().flush();
    std::_Exit(1);
  }
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  outs(); // made now, so that it is destroyed after the handler ran
  std::atexit(closeOutput);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  hideOthers();
  cl::SetVersionPrinter([](raw_ostream &out) {
    out << "tamc " TAMC_VERSION "\nLLVM " LLVM_VERSION_STRING
           "\nbackends: cpu\n";
  });
  removeTemporariesOnSignals();
  cl::ParseCommandLineOptions(
      argc, argv,
      "tamc: compiles the spec of an additive model into an executable\n\n"
      "  tamc model.yaml -o model\n"
      "  tamc -f 'y ~ s(x) + c(day, n_cat=7)' --group site -o model\n");
  return Driver(argv[0]).run();
}
