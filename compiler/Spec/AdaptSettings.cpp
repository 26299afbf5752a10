//===- AdaptSettings.cpp - the key adapt ----------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecParser.h"
#include "Text.h"

#include "tamrt/abi.h"

#include "llvm/ADT/StringSwitch.h"

namespace tamc::spec {

static constexpr llvm::StringRef adaptKeys[] = {"formula", "window", "update",
                                                "horizon"};

/// One setting of `adapt:`.
bool SpecParser::adaptEntry(const Key &key, llvm::yaml::Node *node) {
  if (key.text == "formula")
    return (correction = scalar(node, key, "a formula")).has_value();
  auto *rows = llvm::StringSwitch<int64_t *>(key.text)
                   .Case("window", &spec.adapt->window)
                   .Case("update", &spec.adapt->update)
                   .Case("horizon", &spec.adapt->horizon)
                   .Default(nullptr);
  if (!rows)
    return unknownKey(key, "setting", adaptKeys);
  const std::string expected =
      "a positive integer of at most " + std::to_string(maxAdaptRows);
  std::optional<Scalar> read = scalar(node, key, expected);
  if (!read)
    return false;
  std::optional<int64_t> number =
      read->quoted ? std::nullopt : parseInteger(read->text());
  if (number && *number > 0 && *number <= maxAdaptRows)
    *rows = *number;
  else
    diagnostics.error(read->range, "expected " + expected + " for '" +
                                       key.text + "', got '" + read->text() +
                                       "'");
  return true;
}

/// Checks the columns of a correction.
void SpecParser::checkCorrection() {
  const std::vector<std::string> effects = spec.effectNames();
  for (const Term &term : spec.adapt->terms) {
    for (llvm::StringRef feature : term.features()) {
      if (feature == spec.target || feature == residualName) {
        diagnostics.error(term.range, "expected features other than " +
                                          llvm::Twine(feature == spec.target
                                                          ? "the target '"
                                                          : "the residual '") +
                                          feature + "', got it");
        continue;
      }
      llvm::StringRef name = feature;
      if (!name.consume_front(TAMRT_EFFECT_PREFIX) ||
          llvm::is_contained(effects, name))
        continue;
      diagnostics.error(term.range, "expected an effect of the model after '" +
                                        llvm::Twine(TAMRT_EFFECT_PREFIX) +
                                        "', got '" + name + "'");
      llvm::SmallVector<llvm::StringRef> known(effects.begin(), effects.end());
      diagnostics.note(term.range, "the effects are " + listed(known, "and"));
    }
  }
}

/// Checks that all settings are there, and the formula of the residuals.
void SpecParser::finishAdapt() {
  AdaptSettings &adapt = *spec.adapt;
  for (auto [name, rows] :
       {std::pair("window", adapt.window), std::pair("update", adapt.update),
        std::pair("horizon", adapt.horizon)})
    if (rows == 0 && !diagnostics.hasErrors())
      diagnostics.error(adaptRange,
                        "expected the settings window, update and horizon of "
                        "'adapt', got no '" +
                            llvm::Twine(name) + "'");
  if (!correction)
    return;
  ParsedFormula parsed = parseFormula(correction->source, diagnostics);
  adapt.formula = correction->text().trim().str();
  adapt.formulaRange = correction->range;
  if (!parsed.target.empty() && parsed.target != residualName)
    diagnostics.error(correction->range, "expected the target '" +
                                             residualName +
                                             "' in the formula of 'adapt', "
                                             "got '" +
                                             parsed.target + "'");
  for (const ParsedTerm &term : parsed.terms)
    if (auto checked = checkTerm(term, defaults, diagnostics))
      adapt.terms.push_back(std::move(*checked));
  if (!diagnostics.hasErrors())
    checkCorrection();
}

} // namespace tamc::spec
