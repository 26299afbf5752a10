//===- LibraryHeader.cpp - the C header of a library ------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Emit/Library.h"

#include "Generated/EmbedText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <vector>

using namespace mlir;
using namespace tamc;

/// The text of every header; `$` is replaced by the prefix.
static constexpr llvm::StringLiteral functions = R"(
/// Bytes of weights of at most `groups` groups. Weights are plain bytes at a
/// multiple of 8: they may be copied, stored and read again on machines of the
/// same byte order.
size_t $_weights_size(size_t groups);

/// Bytes of arena that a fit of at most `rows` rows in at most `groups` groups
/// needs, and a prediction of at most `rows` rows. The arena may start at any
/// address, keeps nothing between calls, and is the only memory that a call
/// uses besides the stack.
size_t $_fit_arena_size(size_t rows, size_t groups);
size_t $_predict_arena_size(size_t rows);

/// Fits every group of `data` and writes the weights: the same coefficients, to
/// the bit, as the executable's `fit` of the same rows. `error` may be null.
/// \returns a tamrt_embed_status.
int $_fit(const $_data *data, void *weights, size_t weights_size,
          void *arena, size_t arena_size, tamrt_embed_error *error);

/// Writes a prediction per row, in the order of the data: the same, to the bit,
/// as the executable's. Prediction is fastest if rows of one group are
/// neighbours. `error` may be null. \returns a tamrt_embed_status.
int $_predict(const $_data *data, const void *weights, size_t weights_size,
              void *arena, size_t arena_size, double *predictions,
              tamrt_embed_error *error);

/// As $_predict, but writes the contribution of every effect, row after row, in
/// the order of the table above.
int $_decompose(const $_data *data, const void *weights, size_t weights_size,
                void *arena, size_t arena_size, double *effects,
                tamrt_embed_error *error);

/// Number of groups in weights; 0 if they are not weights of this model.
size_t $_group_count(const void *weights, size_t weights_size);

/// The coefficients of a group, in the order of the table above, within
/// `weights`; null if there is no such group.
const double *$_coefficients(const void *weights, size_t weights_size,
                             int64_t group);

/// Converts the contents of a weights file, which the executable's `fit` wrote,
/// to weights as above. $_load_size returns the bytes of these weights, 0 if
/// `file` is not such a file; $_load writes them. If all groups are whole
/// numbers they stay so: group '7' or '7.0' is group 7. If any is not, all are
/// numbered from 0 in the order of the file, and so are the levels of a column
/// of text. Allocates nothing.
size_t $_load_size(const void *file, size_t file_size);
int $_load(const void *file, size_t file_size, void *weights,
           size_t weights_size, tamrt_embed_error *error);

/// The reverse conversion: the bytes of a file that the executable can read,
/// and their number. If the file's header would exceed 100,000,000 bytes, or a
/// level is not finite, the number is 0 and $_save returns
/// TAMRT_EMBED_MALFORMED_WEIGHTS.
size_t $_save_size(const void *weights, size_t weights_size);
int $_save(const void *weights, size_t weights_size, void *file,
           size_t file_size, tamrt_embed_error *error);

/// The number of the group with that name in weights. \returns TAMRT_EMBED_OK,
/// TAMRT_EMBED_UNKNOWN_NAME or the error in the weights.
int $_group_id(const void *weights, size_t weights_size, const char *name,
               int64_t *group);

/// The value in the data for the level `level` of the column `column`, named as
/// in the spec; for a column whose levels are numbers, the number itself.
/// Status as that of $_group_id. A text that was not trained gives a value that
/// was not trained, to which the model's `unseen` applies.
int $_level(const void *weights, size_t weights_size, const char *column,
            const char *level, double *value);

/// A status in words: "expected a larger arena".
const char *$_status_string(int status);
)";

/// The same for a library with weights; `#` is replaced by their doubles.
static constexpr llvm::StringLiteral forecast = R"(
/// The weights of the file that this library was compiled with (--bake), for
/// the functions above; their size is sizeof $_weights.
extern const uint64_t $_weights[#];

/// As $_predict, with these weights.
int $_forecast(const $_data *data, void *arena, size_t arena_size,
               double *predictions, tamrt_embed_error *error);
)";

/// Bytes of stack that the runtime's functions, the kernels and libm use below
/// an entry function, and those that the C library uses on a thread's stack. At
/// most 9 KiB were measured on Debian 12 (test_lib.py, test_stack); code for
/// other processors and other C libraries may take more.
static constexpr int64_t kRuntimeStackBytes = 24 * 1024;
static constexpr int64_t kPageBytes = 4096;

/// A text of the user for a comment: one line, no control characters.
static std::string quoted(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f)
      result += c;
    else
      result += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
  }
  return "'" + result + "'";
}

/// Whether a term depends on the order of the rows.
static bool readsOrder(tam::ModelAttr model) {
  return model.getCarryBytes() > 0;
}

/// Whether a name is one of the limits in <stdint.h>, or looks like one.
static bool isLimit(llvm::StringRef name) {
  return (name.ends_with("_MAX") || name.ends_with("_MIN") ||
          name.ends_with("_C")) &&
         llvm::any_of(
             llvm::ArrayRef<llvm::StringRef>{"INT", "UINT", "SIZE_", "PTRDIFF_",
                                             "SIG_ATOMIC_", "WCHAR_", "WINT_"},
             [&](llvm::StringRef begin) { return name.starts_with(begin); });
}

/// Whether a name is a keyword of C or C++, a macro that compilers and libc
/// define, or a type that members have.
static bool isKeyword(llvm::StringRef name) {
  static constexpr llvm::StringLiteral keywords =
      " "
      "EOF I NULL alignas alignof and and_eq asm assert auto bitand bitor bool "
      "break case catch char char16_t char32_t char8_t class co_await "
      "co_return co_yield compl complex concept const const_cast consteval "
      "constexpr constinit continue decltype default delete do double "
      "dynamic_cast else enum errno explicit export extern false float "
      "for friend goto if imaginary inline int int32_t int64_t linux long "
      "mutable namespace new "
      "noexcept not not_eq nullptr operator or or_eq private protected "
      "public register reinterpret_cast requires restrict return short "
      "signed size_t sizeof static static_assert static_cast struct switch "
      "template this thread_local throw true try typedef typeid typename "
      "typeof typeof_unqual union unix unsigned using virtual void "
      "volatile wchar_t while xor xor_eq ";
  return isLimit(name) || keywords.contains((" " + name + " ").str());
}

namespace {

/// One member of the struct of the data.
struct Member {
  std::string type, name, comment;
};

/// The members in the order the runtime reads them (runtime/embed/Support.h,
/// DataView).
class Members {
public:
  Members(tam::ModelAttr model, llvm::StringRef prefix);

  std::vector<Member> list;

private:
  void add(llvm::StringRef type, llvm::StringRef column, std::string comment);

  llvm::StringSet<> taken;
};

} // namespace

void Members::add(llvm::StringRef type, llvm::StringRef column,
                  std::string comment) {
  std::string plain;
  for (char c : column)
    plain += llvm::isAlnum(c) ? c : '_';
  if (plain.empty() || llvm::isDigit(plain.front()) || plain.front() == '_')
    plain.insert(0, "c");
  if (isKeyword(plain))
    plain += "_";
  std::string name = plain;
  for (int i = 2; !taken.insert(name).second; ++i)
    name = plain + "_" + std::to_string(i);
  list.push_back({type.str(), name, quoted(column) + ": " + comment});
}

Members::Members(tam::ModelAttr model, llvm::StringRef prefix) {
  taken.insert("rows");
  if (llvm::StringRef group = model.getGroup(); !group.empty())
    add("const int64_t *", group,
        "the group of each row, a number; those of the fit");
  if (llvm::StringRef date = model.getDate(); !date.empty())
    add("const int64_t *", date,
        std::string("dates as numbers that grow with time (days, seconds); ") +
            (readsOrder(model) ? "a fit and a prediction take"
                               : "a fit takes") +
            " the rows of a group in their order; null: they are in order" +
            (readsOrder(model) ? "" : ". Not read by predictions"));
  std::vector<std::pair<llvm::StringRef, std::string>> columns;
  auto find = [&](llvm::StringRef column) -> std::string & {
    for (auto &[name, comment] : columns)
      if (name == column)
        return comment;
    return columns.emplace_back(column, "").second;
  };
  for (tam::InputAttr input : model.getInputs()) {
    std::string &comment = find(input.getColumn());
    std::string use = "a number";
    switch (input.getRule()) {
    case tam::Rule::Levels:
      use = "a level, of at most " + std::to_string(input.getLevels()) +
            " (numbers; see " + prefix.str() + "_level for text)";
      break;
    case tam::Rule::Codes:
      use = "a code, of " + std::to_string(input.getLevels());
      break;
    case tam::Rule::Period:
    case tam::Rule::PeriodAuto:
      use = "a place in a period";
      break;
    case tam::Rule::Range:
      break;
    }
    if (comment.find(use) == std::string::npos)
      comment += (comment.empty() ? "" : "; ") + use;
  }
  for (auto [column, use] :
       {std::pair<llvm::StringRef, llvm::StringRef>{
            model.getTarget(), "the target; not read by predictions"},
        {model.getWeights(),
         "row weights, not negative, some above 0 in each group; not read "
         "by predictions"}}) {
    if (column.empty())
      continue;
    std::string &comment = find(column);
    comment += (comment.empty() ? "" : "; ") + use.str();
  }
  for (const auto &[name, comment] : columns)
    add("const double *", name, comment);
}

/// Breaks a comment into lines of at most 80 columns.
static std::string comment(llvm::StringRef text, llvm::StringRef indent) {
  std::string result, line;
  auto flush = [&]() {
    if (!line.empty())
      result += (indent + "///" + line + "\n").str();
    line.clear();
  };
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    if (indent.size() + 3 + line.size() + 1 + word.size() > 80)
      flush();
    line += " " + word.str();
  }
  flush();
  return result;
}

static std::string withPrefix(llvm::StringRef text, llvm::StringRef prefix) {
  std::string result;
  for (char c : text)
    if (c == '$')
      result += prefix;
    else
      result += c;
  return result;
}

llvm::StringRef tamc::moduleName(ModuleOp module) {
  tam::ModelAttr model = tam::getModel(module);
  return model ? model.getName() : "";
}

std::string tamc::libraryHeader(tam::ModelAttr model, llvm::StringRef prefix,
                                llvm::StringRef version, int64_t stackBytes,
                                size_t weightBytes) {
  const std::string upper = prefix.upper();
  std::string out;
  out += "// Written by tamc " + version.str() + ".\n//\n";
  out += comment("Model " + quoted(model.getName()) + ": " +
                     quoted(model.getFormula()),
                 "");
  out += "///\n";
  out += comment("Link with the archive beside this header and with -lm. The "
                 "functions allocate nothing, keep nothing, print nothing and "
                 "start no threads; calls with different arenas and outputs "
                 "may run at the same time. Matrices are row-major.",
                 "");
  out += "\n#ifndef TAMC_MODEL_" + upper + "_H\n#define TAMC_MODEL_" + upper +
         "_H\n\n";
  llvm::StringRef shared(embedText);
  out += shared.drop_front(shared.find("#ifndef")).str();

  out += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  llvm::ArrayRef<tam::EffectAttr> effects = model.getEffects();
  out += "/// Coefficients of a group. They are, by effect,\n///\n";
  size_t width = 0;
  for (tam::EffectAttr effect : effects)
    width = std::max(width, quoted(effect.getName()).size());
  for (tam::EffectAttr effect : effects) {
    std::string name = quoted(effect.getName());
    int64_t first = effect.getFirst();
    out += "///     " + name + std::string(width - name.size(), ' ') + "  [" +
           std::to_string(first) + ", " +
           std::to_string(first + effect.getColumns()) + ")  " +
           quoted(effect.getTerm()) + "\n";
  }
  out += "#define " + upper + "_COLUMNS " + std::to_string(model.getColumns()) +
         "\n";
  out += "/// Effects.\n#define " + upper + "_EFFECTS " +
         std::to_string(effects.size()) + "\n";
  out += comment("Bytes of stack below a call of any of the functions. Code "
                 "touches its pages in order: on a stack that is too small it "
                 "stops at the guard page.",
                 "");
  out += "#define " + upper + "_STACK " +
         std::to_string(
             llvm::alignTo(stackBytes + kRuntimeStackBytes, kPageBytes)) +
         "\n\n";

  out += "/// Rows of data, column by column; every column has `rows` values, "
         "none missing.\ntypedef struct " +
         prefix.str() + "_data {\n  size_t rows;\n";
  Members members(model, prefix);
  for (const Member &member : members.list)
    out += comment(member.comment, "  ") + "  " + member.type + member.name +
           ";\n";
  out += "} " + prefix.str() + "_data;\n";
  out += withPrefix(functions, prefix);
  if (weightBytes > 0) {
    auto [before, after] = forecast.split('#');
    out += withPrefix(before, prefix) +
           std::to_string(weightBytes / sizeof(uint64_t)) +
           withPrefix(after, prefix);
  }
  out += "\n#ifdef __cplusplus\n} // extern \"C\"\n#endif\n\n#endif // "
         "TAMC_MODEL_" +
         upper + "_H\n";
  return out;
}
