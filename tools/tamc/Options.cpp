//===- Options.cpp - the command line of tamc -----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <memory>

using namespace llvm;
using namespace tamc;
using namespace tamc::options;

namespace tamc::options {

static cl::OptionCategory category("tamc options");

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
             "loops, kernels, bufferize, rungs, plan or llvm"),
    cl::value_desc("phase"), cl::cat(category));
cl::opt<std::string> compileTo("compile-to",
                               cl::desc("Stop after this phase (see "
                                        "--compile-from)"),
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
                                    "else the target's choice)"),
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
    cl::desc("Least number of neighbouring terms of one kind that become one "
             "matrix: linear terms, and others outside the loop over rows (0: "
             "never)"),
    cl::value_desc("n"), cl::init(16), cl::cat(category));
cl::opt<int64_t>
    joinPairs("join-pairs",
              cl::desc("Least number of sums of pairs of terms outside that "
                       "loop that become one launch (0: never)"),
              cl::value_desc("n"), cl::init(2), cl::cat(category));
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

} // namespace tamc::options

namespace {

using Fault = std::optional<std::string>;

/// An option and the first and last phase that reads it, for what is imported
/// from a spec Phase::Import. Numbers have a least value.
struct Use {
  Use(const cl::Option &option, Phase phase) : Use(option, phase, phase) {}
  Use(const cl::Option &option, Phase first, Phase last)
      : option(option), first(first), last(last) {}
  Use(const cl::opt<int64_t> &number, Phase phase, int64_t least = 0)
      : option(number), first(phase), last(phase),
        number(std::addressof(number)), least(least) {}

  const cl::Option &option;
  Phase first, last;
  const cl::opt<int64_t> *number = nullptr;
  int64_t least = 0;
};

} // namespace

/// The options that phases read. The others are about input and output.
static const Use uses[] = {
    {name, Phase::Import},
    {group, Phase::Import},
    {date, Phase::Import},
    {weights, Phase::Import},
    {solver, Phase::Import},
    {device, Phase::Import},
    {profile, Phase::Import},
    {maxDirect, Phase::Choices},
    {minCg, Phase::Choices},
    {blockLimit, Phase::Choices},
    {smallBlockLimit, Phase::Choices},
    {mergeColumns, Phase::Choices},
    {joinPairs, Phase::Choices},
    {rowWords, Phase::Choices, -1},
    {rowsPerLevel, Phase::Choices},
    {dense, Phase::Choices},
    {panels, Phase::Choices},
    // The modules of devices are added to one that has been imported.
    {deviceSteps, Phase::Choices},
    {fuseRows, Phase::Choices, Phase::Tile},
    {chunkRows, Phase::Rungs},
    {strategy, Phase::Plan},
    {reuse, Phase::Plan},
    {tableOperands, Phase::LLVM},
    // Modules keep their target.
    {triple, Phase::Import, Phase::LLVM},
    {cpu, Phase::Import, Phase::LLVM},
};

static std::string quoted(Phase phase) {
  return ("'" + toString(phase) + "'").str();
}

/// An option as the command line has it.
static std::string spelled(const cl::Option &option) {
  return ((option.ArgStr.size() > 1 ? "--" : "-") + option.ArgStr).str();
}

static std::string spelledEmit() {
  auto &parser = emit.getParser();
  for (unsigned i = 0; i < parser.getNumOptions(); ++i) {
    Emit value;
    if (!parser.parse(emit, emit.ArgStr, parser.getOption(i), value) &&
        value == emit)
      return ("--emit=" + parser.getOption(i)).str();
  }
  llvm_unreachable("all kinds have names");
}

/// Checks that options appear once, except lists: LLVM's parser takes the last
/// of several values.
static Fault checkOnce() {
  const cl::Option *first = nullptr;
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (is_contained(option->Categories, &category) &&
        option->getNumOccurrences() > 1 &&
        option->getNumOccurrencesFlag() == cl::Optional &&
        (!first || option->ArgStr < first->ArgStr))
      first = option;
  if (!first)
    return std::nullopt;
  return "expected " + spelled(*first) + " once, got it more often";
}

/// `text`, a value of --sep, as the separator of fields.
static std::optional<char> parseSeparator(StringRef text) {
  if (text == "tab" || text == "\\t")
    return '\t';
  if (text.size() == 1 && StringRef(",;|:\t ").contains(text))
    return text.front();
  return std::nullopt;
}

/// Checks the options of a profile's format.
static Fault checkFormat() {
  const cl::Option *options[] = {&separator, &decimal, std::addressof(missing)};
  for (const cl::Option *option : options)
    if (option->getNumOccurrences() && profile.empty())
      return "expected --profile with " + spelled(*option);
  if (!parseSeparator(separator))
    return "expected ',', ';', '|', ':', ' ' or tab for --sep, got '" +
           separator + "'";
  if (decimal != "." && decimal != ",")
    return "expected . or , for --decimal, got '" + decimal + "'";
  return std::nullopt;
}

static Fault readPhase(const cl::opt<std::string> &option, Phase &phase) {
  if (option.empty())
    return std::nullopt;
  const std::optional<Phase> parsed = parsePhase(option);
  if (!parsed)
    return "unknown phase '" + option + "' of " + spelled(option);
  phase = *parsed;
  return std::nullopt;
}

/// Checks the phases and the output with each other.
static Fault checkPhases(Phase from, Phase to) {
  if (!compileFrom.empty()) {
    if (!formula.empty())
      return "expected a module's file with --compile-from, got a formula";
    if (emit == Emit::Spec)
      return "expected a spec as input of --emit=spec, got a module";
  }
  if (to < from)
    return "expected a phase from " + quoted(from) + " on for --compile-to, " +
           "got " + quoted(to);
  const std::optional<Phase> source = getSource(emit);
  if (!compileTo.empty() && emit == Emit::Spec)
    return std::string("expected --emit=mlir with --compile-to, got ") +
           spelledEmit();
  if (!compileTo.empty() && source && to != *source)
    return "expected --compile-to=" + toString(*source).str() + " with " +
           spelledEmit() + ", got " + quoted(to);
  if (source && from > *source)
    return "expected a module before phase " + quoted(from) + " with " +
           spelledEmit() + ", got one after it";
  if (staticBlas && emit != Emit::Executable)
    return std::string("expected --static-blas with --emit=exe alone");
  if (!device.empty() && emit == Emit::Library)
    return std::string("expected no --device with --emit=lib: libraries run on "
                       "the CPU");
  return std::nullopt;
}

/// The last phase that a module is lowered to; none for a spec.
static std::optional<Phase> findEnd(Phase from, Phase to) {
  switch (emit) {
  case Emit::Spec:
    return std::nullopt;
  case Emit::MLIR:
    return compileTo.empty() ? from : to;
  case Emit::Plan:
  case Emit::Drawing:
  case Emit::Cpp:
    return Phase::Plan;
  case Emit::LLVM:
  case Emit::Assembly:
  case Emit::Object:
  case Emit::Library:
  case Emit::Executable:
    return Phase::LLVM;
  }
  llvm_unreachable("all kinds are listed");
}

/// Checks that options are in their range and can take effect.
static Fault checkUses(Phase from, Phase to) {
  const std::optional<Phase> end = findEnd(from, to);
  for (const Use &use : uses) {
    if (use.number && *use.number < use.least)
      return ("expected " + spelled(use.option) + " of at least " +
              Twine(use.least) + ", got " + Twine(*use.number))
          .str();
    if (!use.option.getNumOccurrences())
      continue;
    if (use.first > end.value_or(Phase::Import))
      return "expected an output from phase " + quoted(use.first) +
             " on with " + spelled(use.option) + ", got " +
             (end ? "one of " + quoted(*end) : spelledEmit());
    if (compileFrom.empty() || from < use.last)
      continue;
    if (use.last == Phase::Import)
      return "expected a spec with " + spelled(use.option) + ", got a module";
    return "expected a module before phase " + quoted(use.last) + " with " +
           spelled(use.option) + ", got one after " + quoted(from);
  }
  return std::nullopt;
}

std::optional<Phase> tamc::options::getSource(Emit emit) {
  switch (emit) {
  case Emit::Spec:
  case Emit::MLIR:
    return std::nullopt;
  case Emit::Plan:
  case Emit::Drawing:
  case Emit::Cpp:
  case Emit::Library:
    return Phase::Plan;
  case Emit::LLVM:
  case Emit::Assembly:
  case Emit::Object:
  case Emit::Executable:
    return Phase::LLVM;
  }
  llvm_unreachable("all kinds are listed");
}

std::optional<std::string>
tamc::options::given(const cl::opt<std::string> &option) {
  if (option.getNumOccurrences() == 0)
    return std::nullopt;
  return option.getValue();
}

char tamc::options::getSeparator() { return *parseSeparator(separator); }

void tamc::options::hideOthers() { cl::HideUnrelatedOptions(category); }

std::optional<std::string> tamc::options::findOptionError(Phase &from,
                                                          Phase &to) {
  if (Fault fault = checkOnce())
    return fault;
  if (formula.empty() == inputFile.empty())
    return std::string(formula.empty()
                           ? "expected a spec: a file or -f 'formula'"
                           : "expected a file or -f 'formula', got both");
  for (const cl::opt<std::string> *option : {&outputFile, &profile, &bake})
    if (option->getNumOccurrences() && option->empty())
      return "expected the name of a file for " + spelled(*option) + ", got ''";
  if (Fault fault = checkFormat())
    return fault;
  if (!planning::findStrategy(strategy)) {
    std::string known;
    for (const planning::Strategy &entry : planning::strategies())
      known += (known.empty() ? "" : ", ") + std::string(entry.name);
    return "expected a planning strategy (" + known + "), got '" + strategy +
           "'";
  }
  for (auto [option, phase] :
       {std::pair(&compileFrom, &from), std::pair(&compileTo, &to)})
    if (Fault fault = readPhase(*option, *phase))
      return fault;
  if (compileTo.getNumOccurrences() && !emit.getNumOccurrences())
    emit = Emit::MLIR;
  if (Fault fault = checkPhases(from, to))
    return fault;
  return checkUses(from, to);
}
