//===- tamc.cpp - compiles specs of additive models -------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompress.h"
#include "OutputCheck.h"

#include "tamc/Conversion/SpecToTam.h"
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
#include "tamc/Planning/Strategy.h"
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

namespace {

enum class Emit {
  Spec,
  MLIR,
  Plan,
  Drawing,
  Cpp,
  LLVM,
  Assembly,
  Object,
  Library,
  Executable
};

cl::OptionCategory category("tamc options");

cl::opt<std::string> inputFile(cl::Positional, cl::desc("<model.yaml>"),
                               cl::cat(category));
cl::opt<std::string> formula("f",
                             cl::desc("Compile this formula instead of a file"),
                             cl::value_desc("formula"), cl::cat(category));
cl::opt<std::string> outputFile("o", cl::desc("Output file; - for stdout"),
                                cl::value_desc("file"), cl::cat(category));
cl::opt<Emit> emit(
    "emit", cl::desc("What to make (default: exe; mlir with --compile-to)"),
    cl::init(Emit::Executable),
    cl::values(clEnumValN(Emit::Spec, "spec", "the checked spec"),
               clEnumValN(Emit::MLIR, "mlir", "the module"),
               clEnumValN(Emit::Plan, "plan", "the memory plan as a table"),
               clEnumValN(Emit::Drawing, "drawing", "the memory plan drawn"),
               clEnumValN(Emit::Cpp, "cpp", "the planned program as C++"),
               clEnumValN(Emit::LLVM, "llvm", "LLVM IR"),
               clEnumValN(Emit::Assembly, "asm", "assembly"),
               clEnumValN(Emit::Object, "obj", "an object file"),
               clEnumValN(Emit::Library, "lib",
                          "a static library and its C header"),
               clEnumValN(Emit::Executable, "exe", "an executable")),
    cl::cat(category));
cl::opt<std::string> compileFrom(
    "compile-from",
    cl::desc("The input is a module at this phase: import, choices, tile, "
             "loops, kernels, bufferize, rungs or plan"),
    cl::value_desc("phase"), cl::cat(category));
cl::opt<std::string> compileTo("compile-to",
                               cl::desc("Stop after this phase (see "
                                        "--compile-from; also llvm)"),
                               cl::value_desc("phase"), cl::cat(category));
cl::opt<std::string> name("name", cl::desc("Name of the model"),
                          cl::cat(category));
cl::opt<std::string> group("group", cl::desc("Column of groups"),
                           cl::value_desc("column"), cl::cat(category));
cl::opt<std::string> date("date", cl::desc("Column of dates"),
                          cl::value_desc("column"), cl::cat(category));
cl::opt<std::string> weights("weights", cl::desc("Column of row weights"),
                             cl::value_desc("column"), cl::cat(category));
cl::opt<std::string> solver("solver", cl::desc("auto, direct or cg"),
                            cl::value_desc("solver"), cl::cat(category));
cl::opt<std::string> device("device", cl::desc("Device that runs the steps"),
                            cl::value_desc("device"), cl::cat(category));
cl::opt<std::string>
    profile("profile",
            cl::desc("Training data from which to take the levels of c() "
                     "terms and the other columns that have few values"),
            cl::value_desc("train.csv"), cl::cat(category));
cl::opt<std::string>
    separator("sep",
              cl::desc("What separates the profile's fields: a comma, ';', "
                       "'|', ':', ' ' or tab (default: a comma)"),
              cl::value_desc("byte"), cl::init(","), cl::cat(category));
cl::opt<std::string>
    decimal("decimal",
            cl::desc("What separates the fraction of the profile's numbers: . "
                     "or , (default: .)"),
            cl::value_desc("byte"), cl::init("."), cl::cat(category));
cl::list<std::string>
    missing("missing",
            cl::desc("A text of the profile that is a missing value, too; may "
                     "be repeated"),
            cl::value_desc("text"), cl::cat(category));
cl::opt<int64_t> chunkRows("chunk-rows",
                           cl::desc("Rows of the largest rung (0: the spec's, "
                                    "else 1024)"),
                           cl::value_desc("n"), cl::init(0), cl::cat(category));
cl::opt<std::string> strategy("strategy", cl::desc("Planning strategy"),
                              cl::init("tree+"), cl::cat(category));
cl::opt<planning::Reuse>
    reuse("reuse",
          cl::desc("When two buffers may share bytes (default: program)"),
          cl::init(planning::Reuse::Program),
          cl::values(clEnumValN(planning::Reuse::Program, "program",
                                "if the order of the program allows it"),
                     clEnumValN(planning::Reuse::BranchSafe, "branch-safe",
                                "if every order that respects the data flow "
                                "allows it")),
          cl::cat(category));
cl::opt<int64_t>
    maxDirect("max-direct",
              cl::desc("Largest number of coefficients for the direct solver"),
              cl::init(7500), cl::cat(category));
cl::opt<int64_t>
    minCg("min-cg",
          cl::desc("With solver auto, least coefficients of a model that has "
                   "conjugate gradients beside the direct solver"),
          cl::value_desc("n"), cl::init(363), cl::cat(category));
cl::opt<int64_t>
    blockLimit("block-limit",
               cl::desc("Largest number of columns of an effect whose block "
                        "preconditions conjugate gradients"),
               cl::value_desc("n"), cl::init(512), cl::cat(category));
cl::opt<int64_t>
    smallBlockLimit("small-block-limit",
                    cl::desc("The same if memory is short (0: no difference)"),
                    cl::value_desc("n"), cl::init(64), cl::cat(category));
cl::opt<int64_t> mergeColumns(
    "merge-columns",
    cl::desc("Least number of neighbouring linear terms that become one dense "
             "matrix, and of categories outside the loop, or splines without "
             "one, that become sparse ones (0: never)"),
    cl::value_desc("n"), cl::init(16), cl::cat(category));
cl::opt<int64_t> rowWords(
    "row-words",
    cl::desc("Largest number of words that a row adds to in the loop generated "
             "for the model; further terms are summed pair by pair (0: no "
             "bound; -1: the target's, 560 for CPUs)"),
    cl::value_desc("n"), cl::init(-1), cl::cat(category));
cl::opt<int64_t> rowsPerLevel(
    "rows-per-level",
    cl::desc("With a profile, sum columns of few values by their levels from "
             "this many rows of a group per level on (0: never)"),
    cl::value_desc("n"), cl::init(24), cl::cat(category));
cl::opt<int64_t> tableOperands(
    "table-operands",
    cl::desc("Least number of operands of a step, in all its chunk sizes, that "
             "is stored as a table of its kernels instead of code for each (0: "
             "all steps)"),
    cl::value_desc("n"), cl::init(512), cl::cat(category));
cl::opt<bool> dense("dense",
                    cl::desc("Store every design matrix dense (for tests)"),
                    cl::cat(category));
cl::opt<bool> fuseRows(
    "fuse-rows",
    cl::desc("Compute the sums over rows, and predictions, in loops generated "
             "for the model (default: true)"),
    cl::init(true), cl::cat(category));
cl::opt<bool> deviceSteps(
    "device-steps",
    cl::desc("Also compile steps without such loops, for devices whose memory "
             "the CPU cannot address (default: true)"),
    cl::init(true), cl::cat(category));
cl::opt<bool> panels("panels",
                     cl::desc("Store the sums of that loop in panels "
                              "(default: true)"),
                     cl::init(true), cl::cat(category));
cl::opt<std::string>
    cpu("mcpu",
        cl::desc("CPU to generate code for: its level of the architecture, "
                 "which the model then checks at start "
                 "(native: this machine's; default: what all CPUs have)"),
        cl::value_desc("cpu"), cl::cat(category));
cl::opt<std::string>
    triple("triple",
           cl::desc("Machine to compile for: x86_64-linux-gnu or "
                    "aarch64-linux-gnu (default: this one)"),
           cl::value_desc("machine"), cl::cat(category));
cl::opt<std::string>
    prefix("prefix",
           cl::desc("Start of the names of a library's functions (default: the "
                    "model's name)"),
           cl::value_desc("name"), cl::cat(category));
cl::opt<std::string>
    bake("bake",
         cl::desc("Weights to build into a library, which then predicts "
                  "without a file"),
         cl::value_desc("W.safetensors"), cl::cat(category));
cl::opt<bool> staticBlas(
    "static-blas",
    cl::desc("Link all libraries but libc statically (a model needs no BLAS: "
             "its factorisation is the runtime's own)"),
    cl::cat(category));

cl::opt<bool> timings("timings",
                      cl::desc("Print the time of each phase, in seconds"),
                      cl::cat(category));

/// Reports a user's error without a location in a file.
int fail(const Twine &message) {
  WithColor::error(errs(), "tamc") << message << "\n";
  return 1;
}

std::optional<std::string> given(const cl::opt<std::string> &option) {
  if (option.getNumOccurrences() == 0)
    return {};
  return option.getValue();
}

/// `text`, a value of --sep, as the separator of fields.
std::optional<char> parseSeparator(StringRef text) {
  if (text == "tab" || text == "\\t")
    return '\t';
  if (text.size() == 1 && StringRef(",;|:\t ").contains(text))
    return text.front();
  return std::nullopt;
}

/// Checks the options of a profile's format.
int checkFormat() {
  const cl::Option *options[] = {&separator, &decimal, std::addressof(missing)};
  for (const cl::Option *option : options)
    if (option->getNumOccurrences() && profile.empty())
      return fail("expected --profile with --" + option->ArgStr);
  if (!parseSeparator(separator))
    return fail("expected ',', ';', '|', ':', ' ' or tab for --sep, got '" +
                separator + "'");
  if (decimal != "." && decimal != ",")
    return fail("expected . or , for --decimal, got '" + decimal + "'");
  return 0;
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
  spec::SpecOverrides overrides{
      given(name),   given(group),  given(date), given(weights),
      given(solver), given(device), {}};
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
  const spec::ProfileFormat format = {*parseSeparator(separator),
                                      decimal.front(), missing};
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
  if (Error error = writeOutput(path, bytes))
    return fail(toString(std::move(error)));
  return 0;
}

/// Sets what the module is compiled for, if options say it: all of it, since a
/// CPU is one of a machine.
int Driver::setTarget() {
  auto target =
      modules.getModel()->getAttrOfType<tam::TargetAttr>(tam::kTargetAttrName);
  if (cpu.getNumOccurrences() || triple.getNumOccurrences()) {
    // Functions are for certain instructions then.
    if (!compileFrom.empty() && from == Phase::LLVM)
      return fail("expected a module before phase '" + toString(Phase::LLVM) +
                  "' with --triple and --mcpu");
    target = tam::TargetAttr::get(context.get(), defaultTargetName(),
                                  triple.getValue(), cpu.getValue());
  }
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
  if (hasGeneratedKernels(modules.getModel())) {
    std::string path = outputName();
    if (path == "-")
      return fail(
          "expected -o FILE with --emit=cpp, for the loops over rows are "
          "an object beside the source; --fuse-rows=false does without");
    if (int status = checkOutputs({path, rowsObject()}))
      return status;
    SmallString<0> bytes;
    raw_svector_ostream stream(bytes);
    if (failed(emitGeneratedKernels(modules.getModel(), kernelPrefix,
                                    codeOptions(), stream)))
      return 1;
    if (Error error = writeOutput(rowsObject(), bytes))
      return fail(toString(std::move(error)));
  }
  return write([&](raw_pwrite_stream &out) {
    return failed(emitCpp(modules.getModel(), TAMC_VERSION, kernelPrefix, out))
               ? 1
               : 0;
  });
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
  if (Error error = writeOutput(paths.header, header))
    return fail(toString(std::move(error)));
  if (Error error = writeOutput(paths.archive, *archive))
    return fail(toString(std::move(error)));
  return 0;
}

int Driver::compile() {
  if (formula.empty() == inputFile.empty())
    return fail(formula.empty() ? "expected a spec: a file or -f 'formula'"
                                : "expected a file or -f 'formula', got both");
  for (const cl::opt<std::string> *option : {&outputFile, &profile, &bake})
    if (option->getNumOccurrences() && option->empty())
      return fail("expected the name of a file for " +
                  StringRef(option->ArgStr.size() > 1 ? "--" : "-") +
                  option->ArgStr + ", got ''");
  if (int status = checkFormat())
    return status;
  if (chunkRows < 0)
    return fail("expected --chunk-rows of at least 0");
  if (!planning::findStrategy(strategy)) {
    std::string known;
    for (const planning::Strategy &entry : planning::strategies())
      known += (known.empty() ? "" : ", ") + std::string(entry.name);
    return fail("expected a planning strategy (" + known + "), got '" +
                strategy + "'");
  }
  auto readPhase = [&](const cl::opt<std::string> &option, Phase &phase) {
    if (option.empty())
      return 0;
    std::optional<Phase> parsed = parsePhase(option);
    if (!parsed)
      return fail("unknown phase '" + option + "' of --" + option.ArgStr);
    phase = *parsed;
    return 0;
  };
  if (readPhase(compileFrom, from) || readPhase(compileTo, to))
    return 1;
  if (compileTo.getNumOccurrences() && !emit.getNumOccurrences())
    emit = Emit::MLIR;
  if (!compileFrom.empty() && emit == Emit::Spec)
    return fail("expected a spec as input of --emit=spec, got a module");

  clock.start("read");
  spec::shortenLongLines(sources);
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
  bool isPlan = emit == Emit::Plan || emit == Emit::Drawing ||
                emit == Emit::Cpp || emit == Emit::Library;
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

/// Checks that options appear once, except lists: LLVM's parser takes the last
/// of several values.
static int checkOnce() {
  std::vector<StringRef> names;
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (is_contained(option->Categories, &category) &&
        option->getNumOccurrences() > 1 &&
        option->getNumOccurrencesFlag() == cl::Optional)
      names.push_back(name);
  if (names.empty())
    return 0;
  const StringRef first = *llvm::min_element(names);
  return fail("expected " + StringRef(first.size() > 1 ? "--" : "-") + first +
              " once, got it more often");
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  outs(); // made now, so that it is destroyed after the handler ran
  std::atexit(closeOutput);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
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
  if (int status = checkOnce())
    return status;
  return Driver(argv[0]).run();
}
