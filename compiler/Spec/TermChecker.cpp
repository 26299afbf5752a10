//===- TermChecker.cpp - checks of the terms' parameters ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermChecker.h"

#include "Text.h"

#include "tamc/Spec/PenaltyLimits.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tamc::spec {
namespace {

constexpr llvm::StringLiteral modeWords[] = {"continue", "constant", "linear",
                                             "saturation"};

bool isNone(const Value &value) {
  return std::holds_alternative<std::monostate>(value);
}

std::optional<double> asNumber(const ParsedValue &value) {
  if (auto *integer = std::get_if<int64_t>(&value.value))
    return static_cast<double>(*integer);
  if (auto *number = std::get_if<double>(&value.value))
    // Zero has one form, without a sign.
    return *number == 0 ? 0.0 : *number;
  return std::nullopt;
}

/// An integer, also one written as 20.0 or 2e1.
std::optional<int64_t> asInteger(const ParsedValue &value) {
  if (auto *integer = std::get_if<int64_t>(&value.value))
    return *integer;
  auto *number = std::get_if<double>(&value.value);
  if (number && std::abs(*number) < 0x1p53 && *number == std::trunc(*number))
    return static_cast<int64_t>(*number);
  return std::nullopt;
}

/// Words may be bare or quoted.
const std::string *asWord(const ParsedValue &value) {
  return std::get_if<std::string>(&value.value);
}

/// A word of the list, or an error with the nearest one.
std::optional<Value> checkWord(llvm::StringRef key, const ParsedValue &value,
                               llvm::ArrayRef<llvm::StringRef> words,
                               Diagnostics &diagnostics) {
  const std::string *word = asWord(value);
  if (word && llvm::is_contained(words, llvm::StringRef(*word)))
    return Value(*word);
  diagnostics.error(value.range, "expected " + listed(words, "or") + " for '" +
                                     key + "', got " + value.text);
  if (word)
    diagnostics.suggest(value.range, *word, words);
  return std::nullopt;
}

/// Names of the keys a term takes.
llvm::SmallVector<std::string> keysOf(const TermInfo &info) {
  llvm::SmallVector<std::string> keys;
  for (const ParameterInfo &parameter : info.parameters) {
    if (parameter.type != ParameterType::Weights) {
      keys.push_back(parameter.name.str());
      continue;
    }
    for (int order = 0; order <= parameter.max; ++order)
      keys.push_back(parameter.name.str() + std::to_string(order));
  }
  if (info.others)
    keys.push_back("others");
  keys.push_back("ap");
  keys.push_back("extrapolate");
  return keys;
}

/// Whether the term, or a factor of it, depends on the order of rows.
bool holdsPid(const Term &term) {
  return term.kind == TermKind::PID || llvm::any_of(term.factors, holdsPid);
}

class Checker {
public:
  Checker(const ParsedTerm &parsed, const TermDefaults &defaults,
          Diagnostics &diagnostics, bool isFactor)
      : parsed(parsed), info(termInfo(parsed.kind)), defaults(defaults),
        diagnostics(diagnostics), isFactor(isFactor) {}

  std::optional<Term> run();

private:
  void fillDefaults();
  void setDefault(llvm::StringRef key, const TermDefaults::Entry &entry);
  void setArgument(const ParsedArgument &argument);
  void setOthers(const ParsedArgument &argument);
  void unknownKey(const ParsedArgument &argument);
  void checkTogether();
  void checkCategorical();
  void checkPhysics();
  void ignore(llvm::StringRef key, const llvm::Twine &why);
  llvm::SMRange where(llvm::StringRef key) const;
  bool written(llvm::StringRef key) const;

  const ParsedTerm &parsed;
  const TermInfo &info;
  const TermDefaults &defaults;
  Diagnostics &diagnostics;
  /// The penalty of a factor of a te is checked with those around it.
  bool isFactor;
  Term term;
  /// `extrapolate` comes from the formula or the term's own defaults.
  bool modeChosen = false;
};

bool Checker::written(llvm::StringRef key) const {
  return llvm::any_of(parsed.arguments, [&](const ParsedArgument &argument) {
    return argument.key == key;
  });
}

/// Location of a parameter's value in the term or in `defaults:`, else of the
/// term's name.
llvm::SMRange Checker::where(llvm::StringRef key) const {
  for (const ParsedArgument &argument : parsed.arguments)
    if (argument.key == key)
      return argument.value.range;
  auto own = defaults.terms.find(parsed.kind);
  if (own != defaults.terms.end())
    if (auto entry = own->second.find(key.str()); entry != own->second.end())
      return entry->second.range;
  return parsed.nameRange;
}

void Checker::setDefault(llvm::StringRef key,
                         const TermDefaults::Entry &entry) {
  if (key == "ap")
    term.ap = std::get<double>(entry.value);
  else if (key == "extrapolate")
    term.extrapolate = *toExtrapolate(std::get<std::string>(entry.value));
  else
    term.parameters[key.str()] = entry.value;
}

void Checker::fillDefaults() {
  term.extrapolate = info.extrapolate;
  for (const ParameterInfo &parameter : info.parameters)
    if (parameter.type != ParameterType::Weights)
      term.parameters[parameter.name.str()] = parameter.defaultValue();
  for (const auto &[key, entry] : defaults.all)
    // pid has only one mode; a default for all terms does not change it.
    if (key != "extrapolate" || !holdsPid(term))
      setDefault(key, entry);
  auto own = defaults.terms.find(parsed.kind);
  if (own == defaults.terms.end())
    return;
  for (const auto &[key, entry] : own->second) {
    modeChosen |= key == "extrapolate";
    setDefault(key, entry);
  }
}

/// `others='x|y'`.
void Checker::setOthers(const ParsedArgument &argument) {
  const std::string *text = asWord(argument.value);
  if (isNone(argument.value.value))
    return;
  if (!text) {
    diagnostics.error(argument.value.range,
                      "expected columns 'x|y' for 'others', got " +
                          argument.value.text);
    return;
  }
  llvm::SmallVector<llvm::StringRef> columns;
  llvm::StringRef(*text).split(columns, '|');
  for (llvm::StringRef column : columns) {
    column = column.trim();
    if (column.empty()) {
      diagnostics.error(argument.value.range,
                        "expected columns 'x|y' for 'others', got an empty "
                        "name");
      return;
    }
    term.others.push_back(column.str());
  }
}

void Checker::unknownKey(const ParsedArgument &argument) {
  llvm::SmallVector<std::string> keys = keysOf(info);
  llvm::SmallVector<llvm::StringRef> names(keys.begin(), keys.end());
  diagnostics.error(argument.keyRange,
                    "unknown parameter '" + argument.key + "' of " + info.name);
  llvm::StringRef near = closest(argument.key, names);
  if (!near.empty()) {
    diagnostics.note(argument.keyRange, "did you mean '" + near + "'?");
    return;
  }
  llvm::SmallVector<std::string> shown;
  for (const ParameterInfo &parameter : info.parameters)
    shown.push_back(parameter.type == ParameterType::Weights
                        ? parameter.name.str() + "0.." + parameter.name.str() +
                              formatNumber(parameter.max)
                        : parameter.name.str());
  if (info.others)
    shown.push_back("others");
  shown.push_back("ap");
  shown.push_back("extrapolate");
  diagnostics.note(
      argument.keyRange,
      info.name + " takes " +
          listed(llvm::SmallVector<llvm::StringRef>(shown.begin(), shown.end()),
                 "and"));
}

void Checker::setArgument(const ParsedArgument &argument) {
  llvm::StringRef key = argument.key;
  if (key == "ap" || key == "extrapolate") {
    std::optional<Value> value = checkCommon(key, argument.value, diagnostics);
    modeChosen |= key == "extrapolate";
    if (value)
      setDefault(key, {*value, argument.value.range});
    return;
  }
  if (key == "others" && info.others) {
    setOthers(argument);
    return;
  }
  const ParameterInfo *parameter = info.find(key);
  if (!parameter) {
    unknownKey(argument);
    return;
  }
  if (std::optional<Value> value =
          checkValue(*parameter, key, argument.value, diagnostics))
    term.parameters[key.str()] = *value;
}

/// Handles a parameter that has no effect because of others: emits a warning if
/// the user gave it, and sets its default, so that equal models have one
/// canonical text.
void Checker::ignore(llvm::StringRef key, const llvm::Twine &why) {
  if (written(key))
    diagnostics.warning(where(key), "'" + key + "' has no effect " + why);
  term.parameters[key.str()] = info.find(key)->defaultValue();
}

bool checkOrder(const Term &term, llvm::StringRef key, int64_t columns,
                const llvm::Twine &limit, Diagnostics &diagnostics,
                llvm::SMRange where) {
  int64_t order = term.getInt(key);
  if (order < columns)
    return true;
  diagnostics.error(where, "expected '" + key + "' below " + limit + " = " +
                               llvm::Twine(columns) + ", got " +
                               llvm::Twine(order));
  return false;
}

void Checker::checkCategorical() {
  llvm::StringRef topo = term.getString("topo");
  bool known = !term.isNone("n_cat");
  if (topo == "fourier" && term.getBool("levels")) {
    diagnostics.error(where("levels"), "expected topo='nominal' or 'ordinal' "
                                       "with levels=True, got 'fourier'");
    return;
  }
  if (topo != "ordinal")
    ignore("p_order", "with topo='" + topo + "'");
  if (topo == "fourier")
    ignore("unseen", "with topo='fourier'");
  else if (known && !term.getBool("levels"))
    ignore("unseen", "on codes with n_cat; levels=True would count values");
  // Without n_cat the levels are always those of the data.
  if (!known)
    term.parameters["levels"] = false;
  checkOrdinalOrder(term, diagnostics, where("p_order"));
}

void Checker::checkPhysics() {
  bool spline = term.getString("basis") == "spline";
  for (llvm::StringRef key : {"n_coeffs", "cyclic"})
    if (spline)
      ignore(key, "with basis='spline'");
  for (llvm::StringRef key : {"k", "spline_degree"})
    if (!spline)
      ignore(key, "with basis='fourier'");
  if (!spline && term.getInt("n_coeffs") % 2 != 0)
    diagnostics.error(where("n_coeffs"),
                      "expected an even number for 'n_coeffs', got " +
                          llvm::Twine(term.getInt("n_coeffs")));
  int highest = -1;
  for (int order = 0; order <= info.find("D0")->max; ++order)
    if (term.parameters.count(("D" + llvm::Twine(order)).str()))
      highest = order;
  if (highest < 0) {
    term.parameters["D2"] = 1.0;
    highest = 2;
  }
  std::string name = ("D" + llvm::Twine(highest)).str();
  // The highest order determines the rows of the penalty. At a lower order, a
  // weight of zero has no effect.
  for (int order = 0; order < highest; ++order) {
    auto weight = term.parameters.find(("D" + llvm::Twine(order)).str());
    if (weight != term.parameters.end() && weight->second == Value(0.0))
      term.parameters.erase(weight);
  }
  if (!spline)
    return;
  int64_t columns = term.getInt("k") + term.getInt("spline_degree");
  if (highest >= columns)
    diagnostics.error(where(name), "expected derivatives of order below k + "
                                   "spline_degree = " +
                                       llvm::Twine(columns) + ", got " + name);
}

/// Checks the rules between parameters.
void Checker::checkTogether() {
  switch (term.kind) {
  case TermKind::Spline:
    checkOrder(term, "p", term.getInt("k") + term.getInt("deg"), "k + deg",
               diagnostics, where("p"));
    break;
  case TermKind::Categorical:
    checkCategorical();
    break;
  case TermKind::Tree:
  case TermKind::LinearTree:
    if (!term.isNone("max_leaves"))
      ignore("max_depth", "with max_leaves");
    if (term.kind == TermKind::LinearTree && term.isNone("slope"))
      term.parameters["slope"] = term.feature;
    break;
  case TermKind::Physics:
    checkPhysics();
    break;
  default:
    break;
  }
  if (modeChosen && term.extrapolate != Extrapolate::Continue &&
      holdsPid(term)) {
    diagnostics.error(where("extrapolate"),
                      "expected 'continue', the one mode of pid, got '" +
                          toString(term.extrapolate) + "'");
  }
}

/// Checks that the penalties of a term and of its factors are not above their
/// limits; `outer` is the sum of the aps around the term, and `matrices` as
/// apLimit takes it.
void checkStrength(const Term &term, const ParsedTerm &parsed, double outer,
                   int64_t matrices, Diagnostics &diagnostics) {
  const double ap = outer + term.ap;
  for (auto [factor, text] : llvm::zip(term.factors, parsed.factors))
    checkStrength(factor, text, ap, matrices, diagnostics);
  const double limit = apLimit(term, matrices);
  // A sum of tenths may be off by rounding.
  if (ap <= limit + 1e-9)
    return;
  llvm::SMRange where = parsed.range;
  for (const ParsedArgument &argument : parsed.arguments)
    if (argument.key == "ap")
      where = argument.value.range;
  diagnostics.error(
      where, "expected an 'ap' of at most " + formatNumber(limit) + " for " +
                 termInfo(term.kind).name + " with these parameters, " +
                 (outer != 0 ? "the te's added, " : "") + "got " +
                 formatNumber(ap));
  diagnostics.note(where, "a larger penalty would hardly change the fit, but "
                          "take the digits of the rows' sums");
}

std::optional<Term> Checker::run() {
  unsigned before = diagnostics.errorCount();
  term.kind = parsed.kind;
  term.feature = parsed.feature;
  term.text = parsed.text;
  term.range = parsed.range;
  for (const ParsedTerm &factor : parsed.factors)
    if (std::optional<Term> checked =
            Checker(factor, defaults, diagnostics, /*isFactor=*/true).run())
      term.factors.push_back(std::move(*checked));
  fillDefaults();
  for (const ParsedArgument &argument : parsed.arguments)
    if (checkNoToken(argument.value, diagnostics))
      setArgument(argument);
  if (diagnostics.errorCount() == before)
    checkTogether();
  if (diagnostics.errorCount() == before &&
      !std::isfinite(largestPenalty(term)))
    diagnostics.error(parsed.range,
                      "expected a penalty within the range of a double, got "
                      "an overflow; lower its order or ap");
  if (diagnostics.errorCount() == before && !isFactor)
    checkStrength(term, parsed, /*outer=*/0, countFullMatrices(term),
                  diagnostics);
  if (diagnostics.errorCount() != before)
    return std::nullopt;
  return std::move(term);
}

} // namespace

std::optional<Extrapolate> toExtrapolate(llvm::StringRef word) {
  for (Extrapolate mode : {Extrapolate::Continue, Extrapolate::Constant,
                           Extrapolate::Linear, Extrapolate::Saturation})
    if (word == toString(mode))
      return mode;
  return std::nullopt;
}

std::optional<Value> checkCommon(llvm::StringRef key, const ParsedValue &value,
                                 Diagnostics &diagnostics) {
  if (key == "extrapolate")
    return checkWord(key, value,
                     llvm::SmallVector<llvm::StringRef>(std::begin(modeWords),
                                                        std::end(modeWords)),
                     diagnostics);
  std::optional<double> number = asNumber(value);
  if (number && *number >= minimumAp && *number <= maximumAp)
    return Value(*number);
  diagnostics.error(value.range, "expected a number from " +
                                     formatNumber(minimumAp) + " to " +
                                     formatNumber(maximumAp) +
                                     " for 'ap', got " + value.text);
  return std::nullopt;
}

std::optional<Value> checkValue(const ParameterInfo &info, llvm::StringRef key,
                                const ParsedValue &value,
                                Diagnostics &diagnostics) {
  auto inRange = [&](double number) {
    return number >= info.min && number <= info.max;
  };
  switch (info.type) {
  case ParameterType::OptionalInteger:
    if (isNone(value.value))
      return value.value;
    [[fallthrough]];
  case ParameterType::Integer:
    if (auto integer = asInteger(value);
        integer && inRange(static_cast<double>(*integer)))
      return Value(*integer);
    break;
  case ParameterType::Number:
    if (auto number = asNumber(value); number && inRange(*number))
      return Value(*number);
    break;
  case ParameterType::OptionalPositive:
    if (isNone(value.value))
      return value.value;
    if (auto number = asNumber(value); number && *number > 0)
      return Value(*number);
    break;
  case ParameterType::Flag:
    if (std::holds_alternative<bool>(value.value))
      return value.value;
    break;
  case ParameterType::Word:
    return checkWord(key, value, info.wordList(), diagnostics);
  case ParameterType::Period:
    if (isNone(value.value))
      return value.value;
    if (const std::string *word = asWord(value); word && *word == "auto")
      return value.value;
    if (auto *pair = std::get_if<Pair>(&value.value)) {
      double lo = pair->first == 0 ? 0.0 : pair->first;
      double hi = pair->second == 0 ? 0.0 : pair->second;
      // The range's width is a divisor.
      if (lo < hi && std::isfinite(hi - lo))
        return Value(Pair{lo, hi});
      diagnostics.error(value.range, "expected (lo, hi) with lo < hi for '" +
                                         key + "', got " + value.text);
      return std::nullopt;
    }
    break;
  case ParameterType::Column:
    if (isNone(value.value))
      return value.value;
    if (const std::string *name = asWord(value); name && !name->empty())
      return value.value;
    break;
  case ParameterType::Weights:
    if (auto number = asNumber(value))
      return Value(*number);
    break;
  }
  diagnostics.error(value.range, "expected " + info.expected() + " for '" +
                                     key + "', got " + value.text);
  if (info.type == ParameterType::Flag && asWord(value))
    diagnostics.suggest(value.range, *asWord(value), {"True", "False"});
  return std::nullopt;
}

bool checkOrdinalOrder(const Term &term, Diagnostics &diagnostics,
                       llvm::SMRange where) {
  if (term.getString("topo") != "ordinal" || term.isNone("n_cat"))
    return true;
  return checkOrder(term, "p_order", term.getInt("n_cat"), "n_cat", diagnostics,
                    where);
}

bool checkNoToken(const ParsedValue &value, Diagnostics &diagnostics) {
  if (value.token.empty())
    return true;
  diagnostics.error(value.range, "expected a list of values for the token " +
                                     value.text +
                                     " in the spec's key 'grid', got none");
  return false;
}

std::optional<Term> checkTerm(const ParsedTerm &parsed,
                              const TermDefaults &defaults,
                              Diagnostics &diagnostics) {
  return Checker(parsed, defaults, diagnostics, /*isFactor=*/false).run();
}

} // namespace tamc::spec
