//===- DeviceSettings.cpp - keys oracle and placement ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecParser.h"
#include "Text.h"

#include "llvm/ADT/StringSwitch.h"

namespace tamc::spec {

static constexpr llvm::StringRef oracleKeys[] = {"rule",
                                                 "device_share",
                                                 "ram_share",
                                                 "sliding_device_share",
                                                 "sliding_ram_share",
                                                 "direct_limit",
                                                 "estimate_factor"};

static constexpr llvm::StringRef placedSteps[] = {"sums", "solve", "predict"};

bool SpecParser::oracleRule(llvm::yaml::Node *node, const Key &key) {
  std::optional<Scalar> read = scalar(node, key, "plan or estimate");
  if (!read)
    return false;
  if (read->text() == "plan" || read->text() == "estimate") {
    spec.oracle->estimates = read->text() == "estimate";
    return true;
  }
  diagnostics.error(read->range, "expected plan or estimate for '" + key.text +
                                     "', got '" + read->text() + "'");
  diagnostics.suggest(read->range, read->text(), {"estimate"});
  return true;
}

bool SpecParser::oracleShare(llvm::yaml::Node *node, const Key &key,
                             double most, std::optional<double> &result) {
  std::string expected = "a number above 0, at most " + formatNumber(most);
  std::optional<Scalar> read = scalar(node, key, expected);
  if (!read)
    return false;
  std::optional<double> number =
      read->quoted ? std::nullopt : parseNumber(read->text());
  if (number && *number > 0 && *number <= most)
    result = number;
  else
    diagnostics.error(read->range, "expected " + expected + " for '" +
                                       key.text + "', got '" + read->text() +
                                       "'");
  return true;
}

bool SpecParser::oracleLimit(llvm::yaml::Node *node, const Key &key) {
  std::optional<Scalar> read = scalar(node, key, "a positive integer");
  if (!read)
    return false;
  std::optional<int64_t> limit =
      read->quoted ? std::nullopt : parseInteger(read->text());
  if (limit && *limit > 0)
    spec.oracle->directLimit = limit;
  else
    diagnostics.error(read->range, "expected a positive integer for '" +
                                       key.text + "', got '" + read->text() +
                                       "'");
  return true;
}

/// One setting of `oracle:`.
bool SpecParser::oracleEntry(const Key &key, llvm::yaml::Node *node) {
  OracleSettings &oracle = *spec.oracle;
  if (key.text == "rule")
    return oracleRule(node, key);
  if (key.text == "direct_limit")
    return oracleLimit(node, key);
  if (key.text == "estimate_factor")
    return oracleShare(node, key, /*most=*/1e6, oracle.estimateFactor);
  auto *share = llvm::StringSwitch<std::optional<double> *>(key.text)
                    .Case("device_share", &oracle.deviceShare)
                    .Case("ram_share", &oracle.ramShare)
                    .Case("sliding_device_share", &oracle.slidingDeviceShare)
                    .Case("sliding_ram_share", &oracle.slidingRamShare)
                    .Default(nullptr);
  if (share)
    return oracleShare(node, key, /*most=*/1, *share);
  return unknownKey(key, "setting", oracleKeys);
}

/// One kind of step of `placement:`.
bool SpecParser::placementEntry(const Key &key, llvm::yaml::Node *node) {
  bool *onCpu = llvm::StringSwitch<bool *>(key.text)
                    .Case("sums", &spec.placement->sumsOnCpu)
                    .Case("solve", &spec.placement->solveOnCpu)
                    .Case("predict", &spec.placement->predictOnCpu)
                    .Default(nullptr);
  if (!onCpu)
    return unknownKey(key, "step", placedSteps);
  std::optional<Scalar> read = scalar(node, key, "cpu or device");
  if (!read)
    return false;
  if (read->text() == "cpu" || read->text() == "device") {
    *onCpu = read->text() == "cpu";
    return true;
  }
  diagnostics.error(read->range, "expected cpu or device for '" + key.text +
                                     "', got '" + read->text() + "'");
  if (isDevice(read->text()))
    diagnostics.note(read->range, "'device' is the device of the run, which "
                                  "--device of the compiled model names");
  return true;
}

} // namespace tamc::spec
