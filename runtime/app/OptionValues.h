//===- app/OptionValues.h - values of options -------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parsers of the values of options, and CLI11's checks of them, whose messages
/// have the values expected and the one given.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_OPTIONVALUES_H
#define TAMRT_APP_OPTIONVALUES_H

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// One of some texts.
CLI::Validator oneOf(std::vector<std::string> choices);

/// `text` as an integer from 1 to `most`.
std::optional<int64_t> parseCount(const std::string &text, int64_t most);
CLI::Validator count(int64_t most);

/// A name that is not empty; whether the file exists is checked when it is
/// opened.
CLI::Validator file();

/// `text` as a number of bytes, with K, M, G or T for powers of 1024. With one
/// of these it may have a fraction; the result is rounded down to bytes.
std::optional<int64_t> parseBytes(std::string_view text);
CLI::Validator bytes();

/// A number above 0, at most `most`.
CLI::Validator positive(double most);

/// `text` as a number greater than 0 and less than 1.
std::optional<double> parseTolerance(const std::string &text);
CLI::Validator tolerance();

/// `text`, such as "0.9", as the level of an interval.
std::optional<double> parseLevel(const std::string &text);
/// The texts between commas.
std::vector<std::string> splitAtCommas(const std::string &text);
/// Levels with commas between them.
CLI::Validator levels();
/// The level in percent: "90" of "0.9", "97.5" of ".975".
std::string nameOfLevel(const std::string &text);

/// `text` as the separator of fields.
std::optional<char> parseSeparator(const std::string &text);
CLI::Validator separator();

/// Which rows are held out (`parseSplit`).
CLI::Validator split();

/// `text` as an ap.
std::optional<double> parseAp(const std::string &text);
/// Aps with commas between them.
CLI::Validator aps();

} // namespace tamrt

#endif // TAMRT_APP_OPTIONVALUES_H
