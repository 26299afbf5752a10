//===- ModelSpec.cpp - a parsed and checked model -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Spec/ModelSpec.h"

#include "Text.h"

#include "tamc/Spec/Terms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"

namespace tamc::spec {
namespace {

const Value &lookUp(const Term &term, llvm::StringRef name) {
  auto found = term.parameters.find(name.str());
  assert(found != term.parameters.end() && "a parameter of this term");
  return found->second;
}

/// The name "a_x_b" of a te, also of one inside another.
std::string productName(const Term &term) {
  if (term.kind != TermKind::Tensor)
    return term.feature;
  std::string name;
  for (const Term &factor : term.factors)
    name += (name.empty() ? "" : "_x_") + productName(factor);
  return name;
}

void collectFeatures(const Term &term, llvm::StringSet<> &seen,
                     std::vector<std::string> &features) {
  auto add = [&](llvm::StringRef name) {
    if (!name.empty() && seen.insert(name).second)
      features.push_back(name.str());
  };
  add(term.feature);
  for (const std::string &name : term.others)
    add(name);
  if (term.kind == TermKind::LinearTree)
    add(term.getString("slope"));
  for (const Term &factor : term.factors)
    collectFeatures(factor, seen, features);
}

/// Whether a parameter can be left out of the canonical text.
bool isDefault(const Term &term, const ParameterInfo &info,
               const Value &value) {
  if (info.type == ParameterType::Column)
    return value == Value(term.feature);
  return value == info.defaultValue();
}

/// The text in single quotes, as in YAML. The text is printable, so that only
/// the quote needs escaping.
std::string quoteYaml(llvm::StringRef text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

/// The value of the key `state`.
std::string canonicalState(llvm::ArrayRef<GivenTable> state) {
  size_t numbers = 0;
  for (const GivenTable &table : state)
    numbers += table.values.size();
  if (numbers > ModelSpec::maxCanonicalNumbers) {
    // Each part comes after its length, so that different states give different
    // texts.
    llvm::SHA256 hash;
    auto add = [&](llvm::ArrayRef<uint8_t> bytes) {
      uint8_t length[8];
      llvm::support::endian::write64le(length, bytes.size());
      hash.update(length);
      hash.update(bytes);
    };
    for (const GivenTable &table : state) {
      add(llvm::arrayRefFromStringRef(table.effect));
      add(llvm::arrayRefFromStringRef(table.name));
      std::vector<uint8_t> bytes(table.values.size() * sizeof(double));
      for (auto [index, value] : llvm::enumerate(table.values))
        llvm::support::endian::write64le(&bytes[index * sizeof(double)],
                                         llvm::bit_cast<uint64_t>(value));
      add(bytes);
    }
    return " 'sha256 " + llvm::toHex(hash.final(), /*LowerCase=*/true) + "'\n";
  }
  std::string text;
  llvm::StringRef effect;
  for (const GivenTable &table : state) {
    if (text.empty() || table.effect != effect)
      text += "\n  " + quoteYaml(table.effect) + ":";
    effect = table.effect;
    text += "\n    " + table.name + ": [" +
            llvm::join(llvm::map_range(table.values, formatNumber), ", ") + "]";
  }
  return text + "\n";
}

} // namespace

int64_t Term::getInt(llvm::StringRef name) const {
  const Value &value = lookUp(*this, name);
  assert(std::holds_alternative<int64_t>(value) && "an integer parameter");
  return std::get<int64_t>(value);
}

double Term::getNumber(llvm::StringRef name) const {
  const Value &value = lookUp(*this, name);
  if (auto *integer = std::get_if<int64_t>(&value))
    return static_cast<double>(*integer);
  assert(std::holds_alternative<double>(value) && "a number parameter");
  return std::get<double>(value);
}

bool Term::getBool(llvm::StringRef name) const {
  const Value &value = lookUp(*this, name);
  assert(std::holds_alternative<bool>(value) && "a flag");
  return std::get<bool>(value);
}

llvm::StringRef Term::getString(llvm::StringRef name) const {
  const Value &value = lookUp(*this, name);
  assert(std::holds_alternative<std::string>(value) && "a text parameter");
  return std::get<std::string>(value);
}

bool Term::isNone(llvm::StringRef name) const {
  return std::holds_alternative<std::monostate>(lookUp(*this, name));
}

std::string Term::canonical() const {
  const TermInfo &info = termInfo(kind);
  std::string text = info.name.str() + "(";
  llvm::ListSeparator comma;
  auto add = [&](const llvm::Twine &part) {
    text += llvm::StringRef(comma);
    text += part.str();
  };
  if (kind == TermKind::Tensor)
    for (const Term &factor : factors)
      add(factor.canonical());
  else
    add(formatColumn(feature));
  for (const ParameterInfo &parameter : info.parameters) {
    if (parameter.type != ParameterType::Weights) {
      const Value &value = lookUp(*this, parameter.name);
      if (!isDefault(*this, parameter, value))
        add(parameter.name + "=" + formatValue(value));
      continue;
    }
    std::vector<std::pair<std::string, Value>> weights;
    for (int order = 0; order <= parameter.max; ++order) {
      std::string key = parameter.name.str() + std::to_string(order);
      if (auto found = parameters.find(key); found != parameters.end())
        weights.push_back(*found);
    }
    // Only D2=1 is the default if no weight is given.
    if (weights.size() == 1 && weights[0].first == "D2" &&
        weights[0].second == Value(1.0))
      continue;
    for (const auto &[key, value] : weights)
      add(key + "=" + formatValue(value));
  }
  if (!others.empty())
    add("others=" + formatValue(llvm::join(others, "|")));
  if (ap != Term().ap)
    add("ap=" + formatNumber(ap));
  if (extrapolate != info.extrapolate)
    add("extrapolate=" + toString(extrapolate));
  return text + ")";
}

std::vector<std::string> ModelSpec::effectNames() const {
  // "offset" is the name of the intercept; a feature with that name gets a
  // number.
  llvm::StringMap<unsigned> uses = {{"offset", 1}};
  for (const Term &term : terms)
    if (term.kind != TermKind::Tensor)
      ++uses[term.feature];
  std::vector<std::string> names = {"offset"};
  llvm::StringMap<unsigned> next = {{"offset", 2}};
  for (const Term &term : terms) {
    std::string base = productName(term);
    if (term.kind == TermKind::Tensor)
      base = "te_" + base;
    else if (uses[base] > 1)
      base = termInfo(term.kind).name.str() + "_" + base;
    std::string name = base;
    // `next` keeps the counts; a feature's own name may already end in _2.
    while (!next.try_emplace(name, 2).second)
      name = base + "_" + std::to_string(next[base]++);
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> Term::features() const {
  llvm::StringSet<> seen;
  std::vector<std::string> features;
  collectFeatures(*this, seen, features);
  return features;
}

std::vector<std::string> ModelSpec::features() const {
  llvm::StringSet<> seen;
  std::vector<std::string> features;
  for (const Term &term : terms)
    collectFeatures(term, seen, features);
  return features;
}

std::optional<ModelSpec> ModelSpec::windowModel() const {
  if (!adapt)
    return std::nullopt;
  ModelSpec model = *this;
  model.adapt.reset();
  // Its rows are not those of the profile.
  model.profile.reset();
  // For those that forgetting gives, if no column has others.
  if (weights.empty())
    model.weights = "weights";
  if (adapt->formula.empty())
    return model;
  model.state.clear();
  model.formula = adapt->formula;
  model.formulaRange = adapt->formulaRange;
  model.target = residualName;
  model.terms = adapt->terms;
  return model;
}

std::string ModelSpec::canonicalFormula() const {
  std::string text = formatColumn(target) + " ~ ";
  if (terms.empty())
    return text + "1";
  llvm::ListSeparator plus(" + ");
  for (const Term &term : terms) {
    text += llvm::StringRef(plus);
    text += term.canonical();
  }
  return text;
}

/// Sets the aps of a term and its factors to the next ones.
static void setAps(Term &term, const double *&next) {
  term.ap = *next++;
  for (Term &factor : term.factors)
    setAps(factor, next);
}

Term ModelSpec::termOf(const GridSettings::Choice &choice) const {
  Term term = terms[choice.term];
  const double *next = choice.aps.data();
  setAps(term, next);
  term.text = choice.text;
  return term;
}

std::string ModelSpec::canonical() const {
  std::string text =
      "formula: " + quoteYaml(grid ? formula : canonicalFormula()) + "\n";
  if (grid) {
    text += "grid:\n";
    for (const GridSettings::Token &token : grid->tokens)
      text +=
          "  " + token.name + ": [" + llvm::join(token.values, ", ") + "]\n";
  }
  return text + canonicalKeys();
}

std::string ModelSpec::canonicalKeys() const {
  std::string text;
  auto add = [&](llvm::StringRef key, llvm::StringRef column) {
    if (!column.empty())
      text += (key + ": " + quoteYaml(column) + "\n").str();
  };
  add("group", group);
  add("date", date);
  add("weights", weights);
  if (solver != Solver::Auto)
    text += ("solver: " + toString(solver) + "\n").str();
  if (!state.empty())
    text += "state:" + canonicalState(state);
  return text;
}

} // namespace tamc::spec
