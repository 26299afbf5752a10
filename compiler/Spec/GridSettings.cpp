//===- GridSettings.cpp - the key grid ------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecParser.h"
#include "Text.h"

#include "llvm/ADT/STLExtras.h"

namespace tamc::spec {

/// The value as a formula writes it.
static std::string written(const ParsedValue &value) {
  return value.quoted || !std::holds_alternative<std::string>(value.value)
             ? formatValue(value.value)
             : value.text;
}

/// One token of `grid:` and its values.
bool SpecParser::gridToken(const Key &key, llvm::yaml::Node *node) {
  if (!isIdentifier(key.text)) {
    diagnostics.error(key.range,
                      "expected the name of a token, such as k for $k, in "
                      "'grid', got '" +
                          key.text + "'");
    return false;
  }
  auto *list = llvm::dyn_cast_or_null<llvm::yaml::SequenceNode>(node);
  if (!list) {
    diagnostics.error(key.range,
                      "expected a list of values for '" + key.text + "'");
    return false;
  }
  TokenValues &token = tokens.emplace_back();
  token.key = key;
  std::vector<std::string> texts;
  for (llvm::yaml::Node &item : *list) {
    std::optional<ParsedValue> value = yamlValue(&item, key);
    if (!value)
      return false;
    if (!checkNoToken(*value, diagnostics))
      return true;
    value->text = written(*value);
    if (llvm::is_contained(texts, value->text)) {
      diagnostics.error(value->range, "expected '" + value->text +
                                          "' once in the values of '" +
                                          key.text + "', got it twice");
      return true;
    }
    texts.push_back(value->text);
    token.values.push_back(std::move(*value));
  }
  if (failed())
    return false;
  if (token.values.empty())
    diagnostics.error(key.range, "expected values for '" + key.text +
                                     "' of 'grid', got an empty list");
  return true;
}

/// Calls `body` for every argument of a term and of its factors whose value is
/// a token.
template <class Term>
static void
forEachToken(Term &term,
             llvm::function_ref<void(decltype(term.arguments.front()))> body) {
  for (auto &argument : term.arguments)
    if (!argument.value.token.empty())
      body(argument);
  for (auto &factor : term.factors)
    forEachToken(factor, body);
}

/// The term with a value of each token, by index; none if a token is unknown.
std::optional<ParsedTerm>
SpecParser::substitute(const ParsedTerm &term, llvm::ArrayRef<size_t> values) {
  ParsedTerm result = term;
  std::map<std::string, std::string> texts;
  // A token whose values have errors has none; the term does not use it.
  for (auto [token, value] : llvm::zip(tokens, values))
    if (!token.values.empty())
      texts[token.key.text] = token.values[value].text;
  forEachToken(result, [&](ParsedArgument &argument) {
    auto token = llvm::find_if(tokens, [&](const TokenValues &known) {
      return known.key.text == argument.value.token;
    });
    // Messages about the value point at its place in the formula.
    const llvm::SMRange place = argument.value.range;
    argument.value = token->values[values[token - tokens.begin()]];
    argument.value.range = place;
  });
  auto setText = [&](ParsedTerm &part, auto &&self) -> void {
    part.text = replaceTokens(part.text, texts);
    for (ParsedTerm &factor : part.factors)
      self(factor, self);
  };
  setText(result, setText);
  return result;
}

static void collectAps(const Term &term, std::vector<double> &aps) {
  aps.push_back(term.ap);
  for (const Term &factor : term.factors)
    collectAps(factor, aps);
}

static void clearAps(Term &term) {
  term.ap = Term().ap;
  for (Term &factor : term.factors)
    clearAps(factor);
}

/// Adds the choices of a term, and those that have a basis of their own to the
/// model's terms.
void SpecParser::addChoices(const ParsedTerm &parsed) {
  GridSettings::Place &place = spec.grid->places.emplace_back();
  bool known = true;
  forEachToken(parsed, [&](const ParsedArgument &argument) {
    auto token = llvm::find_if(tokens, [&](const TokenValues &other) {
      return other.key.text == argument.value.token;
    });
    if (token == tokens.end()) {
      known = checkNoToken(argument.value, diagnostics);
      return;
    }
    token->used = true;
    known &= !token->values.empty();
    place.tokens.push_back(token - tokens.begin());
  });
  if (!known)
    return;
  llvm::sort(place.tokens);
  place.tokens.erase(llvm::unique(place.tokens), place.tokens.end());
  size_t count = 1;
  for (size_t token : place.tokens)
    count = std::min(count * tokens[token].values.size(),
                     GridSettings::maxChoices + 1);
  if (count > GridSettings::maxChoices) {
    diagnostics.error(parsed.range,
                      "expected at most " +
                          llvm::Twine(GridSettings::maxChoices) +
                          " choices of values for the tokens of a term, got "
                          "more");
    return;
  }
  std::map<std::string, size_t> termOf;
  for (size_t choice = 0; choice < count; ++choice) {
    std::vector<size_t> values(tokens.size());
    size_t rest = choice;
    for (size_t token : llvm::reverse(place.tokens)) {
      values[token] = rest % tokens[token].values.size();
      rest /= tokens[token].values.size();
    }
    std::optional<Term> term =
        checkTerm(*substitute(parsed, values), defaults, diagnostics);
    // The others would have the same errors.
    if (!term)
      return;
    GridSettings::Choice &added = place.choices.emplace_back();
    added.text = term->text;
    collectAps(*term, added.aps);
    Term basis = *term;
    clearAps(basis);
    auto [at, isNew] = termOf.try_emplace(basis.canonical(), spec.terms.size());
    added.term = at->second;
    if (isNew)
      spec.terms.push_back(std::move(*term));
  }
}

/// Checks that the formula has all tokens, and keys that tokens exclude.
void SpecParser::finishGrid() {
  for (const TokenValues &token : tokens) {
    if (!token.used && !diagnostics.hasErrors())
      diagnostics.error(token.key.range, "expected a token $" + token.key.text +
                                             " in the formula, got none");
    GridSettings::Token &own = spec.grid->tokens.emplace_back();
    own.name = token.key.text;
    for (const ParsedValue &value : token.values)
      own.values.push_back(value.text);
  }
  if (tokens.empty() && !diagnostics.hasErrors())
    diagnostics.error(*gridRange, "expected values of tokens for 'grid', got "
                                  "none");
  auto refuse = [&](bool isGiven, llvm::StringRef what) {
    if (isGiven)
      diagnostics.error(*gridRange, "expected a spec without " + what +
                                        " beside 'grid', got both");
  };
  refuse(spec.adapt.has_value(), "'adapt'");
  refuse(!state.effects.empty() || state.file, "'state'");
}

} // namespace tamc::spec
