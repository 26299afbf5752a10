//===- ModelSpec.h - a parsed and checked model -----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_SPEC_MODELSPEC_H
#define TAMC_SPEC_MODELSPEC_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tamc::spec {

/// The thirteen terms of docs/math.md section 1.
enum class TermKind {
  Linear,      // l
  Fourier,     // f
  Spline,      // s
  Categorical, // c
  Chebyshev,   // p
  Wavelet,     // w
  Neural,      // n
  RadialBasis, // rbf
  Tree,        // t
  LinearTree,  // lt
  Tensor,      // te
  Physics,     // phys
  PID,         // pid
};

enum class Extrapolate { Continue, Constant, Linear, Saturation };

/// Value of a parameter: None, True/False, integer, float, (number, number) or
/// text (quoted or bare).
struct Pair {
  double first, second;

  friend bool operator==(const Pair &a, const Pair &b) {
    return a.first == b.first && a.second == b.second;
  }
};
using Value =
    std::variant<std::monostate, bool, int64_t, double, Pair, std::string>;

/// One term of the formula, checked, with every default filled in.
struct Term {
  TermKind kind;
  /// Main feature; empty for `te`.
  std::string feature;
  /// `others='x|y'`, split; empty when not given.
  std::vector<std::string> others;
  /// log10 of the penalty.
  double ap = -9;
  Extrapolate extrapolate = Extrapolate::Continue;
  /// Parameters of the term by name (`k`, `deg`, ...), defaults included,
  /// except `ap`, `extrapolate` and `others`. A parameter that may be absent is
  /// None; only the weights `D0`, `D1`, ... of `phys` are missing unless given.
  /// `slope` of `lt` is the main feature by default.
  std::map<std::string, Value> parameters;
  /// Sub-terms of `te`.
  std::vector<Term> factors;
  /// The term as written, e.g. "s(t1, k=20)", and its place.
  std::string text;
  llvm::SMRange range;

  /// The parameter as an integer, number, flag or text; asserts that it exists
  /// and has that type (an integer serves as a number).
  int64_t getInt(llvm::StringRef name) const;
  double getNumber(llvm::StringRef name) const;
  bool getBool(llvm::StringRef name) const;
  llvm::StringRef getString(llvm::StringRef name) const;
  bool isNone(llvm::StringRef name) const;

  /// The columns that the term and its factors read, in the order of first
  /// appearance (docs/math.md section 1).
  std::vector<std::string> features() const;

  /// The term in its canonical spelling: without parameters that equal their
  /// default, the others in the order of Terms.def, numbers in their shortest
  /// form.
  std::string canonical() const;
};

enum class Solver { Auto, Direct, CG };

/// The key `oracle`: rules for memory (tamrt_oracle of abi.h). The runtime has
/// defaults for settings that are not given.
struct OracleSettings {
  /// Whether the rule is `estimate`, not `plan`.
  bool estimates = false;
  /// Shares of free memory, above 0 and at most 1.
  std::optional<double> deviceShare, ramShare, slidingDeviceShare,
      slidingRamShare;
  /// Largest number of columns for the direct solver, at least 1.
  std::optional<int64_t> directLimit;
  /// Above 0, at most 1e6.
  std::optional<double> estimateFactor;

  friend bool operator==(const OracleSettings &,
                         const OracleSettings &) = default;
};

/// The key `placement` (tamrt_placement of abi.h): for each kind of steps,
/// whether it runs on the CPU instead of the device of the run.
struct PlacementSettings {
  bool sumsOnCpu = false, solveOnCpu = false, predictOnCpu = false;

  friend bool operator==(const PlacementSettings &,
                         const PlacementSettings &) = default;
};

/// Largest number of rows of a window, an update or a horizon: no file has
/// more.
inline constexpr int64_t maxAdaptRows = std::numeric_limits<uint32_t>::max();

/// The target of a correction's formula.
inline constexpr llvm::StringLiteral residualName = "residual";

/// The key `adapt`: fits in sliding windows (tamrt_adapt of abi.h).
struct AdaptSettings {
  /// Numbers of rows, at least 1 and at most maxAdaptRows.
  int64_t window = 0, update = 0, horizon = 0;
  /// The formula of the residuals as written, white space around it trimmed;
  /// empty: none, the model itself is fitted in windows.
  std::string formula;
  std::vector<Term> terms;
  llvm::SMRange formulaRange;
};

/// The key `grid`: candidate values of tokens in the formula (docs/math.md
/// section 4, "Grid").
struct GridSettings {
  /// A token, with its values as the formula writes them.
  struct Token {
    std::string name;
    std::vector<std::string> values;
  };
  /// A term with values in place of its tokens.
  struct Choice {
    /// Its index in ModelSpec::terms: choices that differ in penalties alone
    /// have one term in common.
    size_t term = 0;
    /// As the formula writes it.
    std::string text;
    /// Its own ap and those of its factors, in depth-first order.
    std::vector<double> aps;
  };
  struct Place {
    /// The term's tokens, and its choices: one for each tuple of their values,
    /// those of the last token next to each other.
    std::vector<size_t> tokens;
    std::vector<Choice> choices;
  };

  std::vector<Token> tokens;
  /// The terms of the formula.
  std::vector<Place> places;
  /// Most choices of a term.
  static constexpr size_t maxChoices = 1024;
};

/// `chunk_rows: all`: a chunk holds every row of a group.
inline constexpr int64_t allRows = std::numeric_limits<int64_t>::max();

/// A table whose contents `state` gives (docs/spec-reference.md, "State"): a
/// fit neither draws nor learns it.
struct GivenTable {
  /// One of ModelSpec::effectNames.
  std::string effect;
  /// Its name in the effect: "W1", "1.features" (Tables.h).
  std::string name;
  /// One for each element of the table, row by row. They are finite and satisfy
  /// the table's TableContents. Zeros have no sign.
  std::vector<double> values;
};

/// Largest number of points of a grid.
inline constexpr size_t maxGridLevels = 1024;

/// Values of a column, evenly spaced: first + k * step, 0 <= k < levels.
struct Grid {
  std::string column;
  /// At least 2, at most maxGridLevels; points without a value included.
  int64_t levels = 0;
  /// The step is above 0.
  double first = 0, step = 0;
};

/// Whether `value` is a point of the grid, continued on both sides, within
/// 2^-51 of the grid's length.
bool isOnGrid(const Grid &grid, double value);

/// Properties of training data from a profile. They change how a fit is
/// computed, never which model it is.
struct Profile {
  /// Rows over groups, rounded down.
  int64_t rowsPerGroup = 0;
  /// Grids of those columns of terms s, f, p and w whose values are on one.
  std::vector<Grid> grids;
};

/// A model: the contents of the YAML, checked.
struct ModelSpec {
  /// `name`, else the stem of the file's name, else "model".
  std::string name;
  /// As written, white space around it trimmed.
  std::string formula;
  std::string target;
  std::vector<Term> terms;
  /// Column names; empty: none.
  std::string group, date, weights;
  Solver solver = Solver::Auto;
  /// The device requested, "auto" by default. The machine on which the model
  /// runs may have none of that name.
  std::string device = "auto";
  /// Largest number of rows of a chunk, at least 1, or allRows; nullopt: the
  /// compiler chooses.
  std::optional<int64_t> chunkRows;
  /// Settings of decisions at run time, if the spec has them.
  std::optional<OracleSettings> oracle;
  std::optional<PlacementSettings> placement;
  std::optional<AdaptSettings> adapt;
  /// If the formula has tokens: `terms` are then those of all candidates.
  std::optional<GridSettings> grid;
  /// In the order of the model's tables.
  std::vector<GivenTable> state;
  /// Paths of the files that `state` was read from. Not in the canonical spec.
  std::vector<std::string> stateFiles;
  /// From resolveLevels, if there is a profile. Not in the canonical
  /// spec.
  std::optional<Profile> profile;
  llvm::SMRange formulaRange;

  /// Names of the effects, the offset first, then one per term, unique
  /// (docs/math.md section 4, decompose).
  std::vector<std::string> effectNames() const;
  /// Features in order of first appearance (docs/math.md section 1).
  std::vector<std::string> features() const;
  /// The model that is fitted in windows, if the spec has them: this model, or
  /// that of the formula of `adapt`, with the columns and settings of this
  /// model. Features `effect_NAME` of that formula are effects of this model
  /// (TAMRT_EFFECT_PREFIX). It always has row weights.
  std::optional<ModelSpec> windowModel() const;
  /// The formula in one canonical spelling (see Term::canonical), terms in the
  /// order written. With resolved levels: `n_cat=7, levels=True`.
  std::string canonicalFormula() const;
  /// A choice of the grid as a term: that of `terms` with its own text and aps.
  Term termOf(const GridSettings::Choice &choice) const;
  /// What `canonical` has after the formula.
  std::string canonicalKeys() const;
  /// The spec as YAML in one canonical spelling: formula, group, date, weights,
  /// solver and state, without those that have the default. Equal texts mean
  /// equal models: parsed again, the text gives the same terms and columns.
  /// `name`, `device`, `chunk_rows`, `oracle`, `placement` and `adapt` are not
  /// in it, because they do not change what a fit or a prediction computes;
  /// weights stay valid when they change. A state of more than
  /// `maxCanonicalNumbers` numbers is replaced by its SHA-256, `state: 'sha256
  /// ...'`; such a text is only for comparison. With tokens the formula is as
  /// written, and the values follow.
  std::string canonical() const;

  static constexpr size_t maxCanonicalNumbers = 4096;
};

/// Number of levels of a categorical term without `n_cat`, from a profile:
/// filled in as `n_cat` by resolveLevels, with `levels` = true in the term's
/// parameters to tell "levels are those of the training rows" from an explicit
/// `n_cat` (always present, false by default). With topo='fourier' the profile
/// gives n = max code + 1 and `levels` stays false: from there on the term is
/// as with that `n_cat` (docs/math.md section 2.2).

/// Parses a spec in buffer `bufferID` of `sources`: one YAML document of at
/// most 1 MiB, a mapping with the keys
///
///   formula     required; see docs/math.md section 1
///   name        of the model
///   group, date, weights    names of columns
///   solver      auto, direct or cg
///   device      auto, cpu or a backend's, such as cuda:1
///   chunk_rows  a positive integer or all
///   oracle      plan or estimate, or a mapping with this as `rule` and with
///               shares and limits (docs/spec-reference.md, "Memory")
///   placement   cpu or device for sums, solve and predict
///   adapt       window, update and horizon of sliding windows, and perhaps a
///               formula of the residuals (docs/spec-reference.md, "Windows")
///   grid        lists of values for tokens such as $k in the formula
///               (docs/spec-reference.md, "Grid")
///   state       numbers that a fit would draw or learn, by effect and table,
///               here or in safetensors files beside the spec
///               (docs/spec-reference.md, "State")
///   defaults    a mapping from terms to parameters that replace the defaults
///               of Terms.def: `defaults: {s: {k: 20}, f: {period: [0, 1]}}`.
///               The formula overrides them; they also hold for factors of
///               `te`. `all` has `ap` and `extrapolate` for every term. A
///               term's own defaults override it, and it does not set the mode
///               of `pid` and of products with it. Columns (`others`, `slope`)
///               have no default.
///
/// Errors go to the handler of `sources` with line, column (in bytes) and
/// caret, and yield nullopt; notes say how to fix them. A parameter without
/// effect is a warning. Locations inside the formula are exact in plain, quoted
/// and block scalars. Time is linear in the text and in the files of `state`,
/// of at most 1 GiB each, whose names are relative to the folder of the
/// buffer's name.
std::optional<ModelSpec> parseSpec(llvm::SourceMgr &sources, unsigned bufferID);

/// Settings of the command line that replace or add keys of the YAML.
struct SpecOverrides {
  std::optional<std::string> name, group, date, weights, solver, device;
};

/// Sets the keys given in `overrides`; a value that is invalid in the YAML is
/// an error without location that names the option. Returns success.
bool applyOverrides(llvm::SourceMgr &sources, ModelSpec &spec,
                    const SpecOverrides &overrides);

/// As parseSpec, from a bare formula; the formula is the buffer's whole text.
std::optional<ModelSpec> parseFormulaSpec(llvm::SourceMgr &sources,
                                          unsigned bufferID,
                                          const SpecOverrides &overrides);

/// The format of a profile; compiled models have options of the same names.
struct ProfileFormat {
  /// Separator of fields, which is not a quote or a line end.
  char separator = ',';
  /// Decimal separator: '.' or ','.
  char decimal = '.';
  /// Texts that are missing values in every column; a number stands for every
  /// number equal to it.
  std::vector<std::string> missing;
};

/// Resolves the parameters that depend on the data: `c(x)` without `n_cat`.
/// With `profile` (a CSV's text and name) counts levels and sets
/// ModelSpec::profile. Without one, a term that needs it is an error whose note
/// has both fixes. Returns success. The profile is CSV as RFC 4180 has it, but
/// for its format, with a header, quotes, LF or CRLF and perhaps a BOM; empty
/// cells, NA and nan, in upper or lower case, are missing values and not
/// counted. A column's values are numbers if all of them parse as numbers, else
/// text. One pass; memory only for the distinct spellings.
bool resolveLevels(llvm::SourceMgr &sources, ModelSpec &spec,
                   std::optional<llvm::MemoryBufferRef> profile,
                   const ProfileFormat &format = {});

} // namespace tamc::spec

#endif // TAMC_SPEC_MODELSPEC_H
