//===- app/Timings.cpp - seconds per phase --------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Timings.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tamrt {
namespace {

/// Phases are measured to microseconds.
std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f", value);
  return text;
}

/// The name of a member of an object, and the colon.
std::string member(const std::string &name) {
  return nlohmann::json(name).dump() + ":";
}

double since(std::chrono::steady_clock::time_point from,
             std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

} // namespace

void Timings::end(std::string phase) {
  Clock::time_point now = Clock::now();
  auto same = [&](const auto &known) { return known.first == phase; };
  auto known = std::find_if(phases.begin(), phases.end(), same);
  if (known == phases.end())
    known = phases.insert(phases.end(), {std::move(phase), 0.0});
  known->second += since(last, now);
  last = now;
}

void Timings::note(std::string name, int64_t value) {
  notes.emplace_back(std::move(name), std::to_string(value));
}

void Timings::note(std::string name, double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3e", value);
  notes.emplace_back(std::move(name), text);
}

void Timings::note(std::string name, const tamrt_device_counts &counts) {
  devices = std::move(name);
  this->counts = counts;
}

std::string Timings::format(TimingsFormat format) const {
  if (format == TimingsFormat::None)
    return "";
  auto lines = phases;
  lines.emplace_back("total", since(start, last));
  std::string text;
  if (format == TimingsFormat::Json) {
    for (const auto &[name, value] : lines)
      text += (text.empty() ? "{" : ",") + member(name) + seconds(value);
    for (const auto &[name, value] : notes)
      text += "," + member(name) + value;
    return text + ",\"device\":{\"name\":\"" + devices +
           "\",\"launches\":" + std::to_string(counts.launches) +
           ",\"copies\":" + std::to_string(counts.copies) +
           ",\"uploaded_bytes\":" + std::to_string(counts.uploaded_bytes) +
           "}}\n";
  }
  size_t width = 0, digits = 0;
  for (const auto &[name, value] : lines) {
    width = std::max(width, name.size());
    digits = std::max(digits, seconds(value).size());
  }
  for (const auto &[name, value] : lines) {
    std::string number = seconds(value);
    text += name + std::string(width - name.size() + 2, ' ') +
            std::string(digits - number.size(), ' ') + number + " s\n";
  }
  for (const auto &[name, value] : notes)
    text += name + ": " + value + "\n";
  if (devices != "cpu")
    text += devices + ": " + std::to_string(counts.launches) + " launches, " +
            std::to_string(counts.copies) + " copies, " +
            std::to_string(counts.uploaded_bytes) + " bytes uploaded\n";
  return text;
}

} // namespace tamrt
