//===- Planning/TorchSnapshotTest.cpp - PyTorch's memory snapshots --------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// test/integration/test_snapshot.py compares files with Python's pickle. Here
/// are mutants: files that Python wrote, with random changes. Each must be an
/// error at an offset of the file, or a snapshot that makes sense, however the
/// input is cut into parts.
///
/// In the environment: TAMC_MUTANTS is the number of mutants,
/// TAMC_MUTANTS_FIRST the first one.
///
//===----------------------------------------------------------------------===//

#include "tamc/Planning/TorchSnapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace tamc::planning;

namespace {

/// A text, at most `part` bytes at a time.
class Text final : public ByteSource {
public:
  Text(std::string_view text, size_t part) : text(text), part(part) {}

  size_t read(char *out, size_t room) override {
    size_t count = std::min({room, part, text.size()});
    std::memcpy(out, text.data(), count);
    text.remove_prefix(count);
    return count;
  }
  std::string fault() const override { return {}; }

private:
  std::string_view text;
  size_t part;
};

/// What a file contains, or its error.
struct Outcome {
  std::string error, lines;
  TorchSnapshot snapshot;
};

Outcome read(std::string_view text, size_t part,
             size_t memory = size_t(1) << 24) {
  Text source(text, part);
  Outcome outcome;
  TorchOptions options;
  options.memory = memory;
  options.print = [&](std::string_view line) {
    outcome.lines.append(line);
    outcome.lines += '\n';
  };
  auto result = readTorchSnapshot(source, options);
  if (auto *wrong = std::get_if<Diagnostic>(&result))
    outcome.error = wrong->message;
  else
    outcome.snapshot = std::get<TorchSnapshot>(std::move(result));
  return outcome;
}

std::vector<std::string> seeds() {
  std::vector<std::string> paths, texts;
  for (const auto &entry : std::filesystem::directory_iterator(SNAPSHOT_SEEDS))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

/// Bytes with a meaning: opcodes, and the parts of large lengths.
constexpr std::string_view alphabet =
    "().}]aeustdlNKMJGXBChjqrcRb\x80\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e"
    "\x94\x95\xff\x7f";

std::string mutate(const std::vector<std::string> &texts, std::mt19937 &draw) {
  auto below = [&](size_t count) { return count ? draw() % count : 0; };
  std::string text = texts[below(texts.size())];
  for (size_t changes = 1 + below(6); changes > 0; --changes) {
    size_t at = below(text.size());
    size_t length = below(std::min<size_t>(text.size() - at, 1 + below(60)));
    switch (below(7)) {
    case 0:
      text[at] = static_cast<char>(draw());
      break;
    case 1:
      text[at] = alphabet[below(alphabet.size())];
      break;
    case 2:
      text.insert(at, 1, alphabet[below(alphabet.size())]);
      break;
    case 3:
      text.erase(at, length);
      break;
    case 4:
      text.insert(below(text.size()), std::string(text, at, length));
      break;
    case 5: {
      const std::string &other = texts[below(texts.size())];
      size_t from = below(other.size());
      text.replace(at, length, other.substr(from, below(60)));
      break;
    }
    case 6:
      text.resize(at);
      break;
    }
    if (text.empty())
      text = ".";
  }
  return text;
}

int64_t loadOf(const TorchDevice &device) {
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const TorchLife &life : device.lives) {
    changes.push_back({life.lower, life.size});
    changes.push_back({life.upper, -life.size});
  }
  std::sort(changes.begin(), changes.end());
  int64_t load = 0, most = 0;
  for (auto [time, change] : changes)
    most = std::max(most, load += change);
  return most;
}

size_t numberOf(const char *name, size_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

} // namespace

TEST(TorchSnapshot, SeedsAreSnapshots) {
  std::vector<std::string> texts = seeds();
  ASSERT_EQ(texts.size(), 4u);
  for (const std::string &text : texts) {
    Outcome outcome = read(text, text.size());
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.snapshot.devices.size(), 2u);
  }
}

TEST(TorchSnapshot, MutantsAreErrorsOrMakeSense) {
  std::vector<std::string> texts = seeds();
  size_t first = numberOf("TAMC_MUTANTS_FIRST", 0);
  size_t count = numberOf("TAMC_MUTANTS", 3000), errors = 0;
  for (size_t i = first; i < first + count; ++i) {
    SCOPED_TRACE("TAMC_MUTANTS_FIRST=" + std::to_string(i));
    std::mt19937 draw(static_cast<uint32_t>(i));
    std::string text = mutate(texts, draw);
    Outcome outcome = read(text, text.size());
    Outcome again = read(text, 1 + draw() % 9);
    ASSERT_EQ(outcome.error, again.error);
    ASSERT_EQ(outcome.lines, again.lines);
    if (!outcome.error.empty()) {
      ++errors;
      ASSERT_TRUE(outcome.error.starts_with("byte ")) << outcome.error;
      ASSERT_LE(std::stoull(outcome.error.substr(5)), text.size());
      continue;
    }
    ASSERT_FALSE(validate(toProblem(outcome.snapshot)));
    for (const TorchDevice &device : outcome.snapshot.devices)
      ASSERT_EQ(device.allocatedPeak, loadOf(device));
  }
  // The mutants are neither all broken nor all harmless.
  if (count >= 1000) {
    EXPECT_GT(errors, count / 2);
    EXPECT_LT(errors, count - count / 50);
  }
}

TEST(TorchSnapshot, MemoryIsLimited) {
  // A value with half a million entries of the memo.
  std::string text = "\x80\x04](";
  for (int i = 0; i < 500000; ++i)
    text += "N\x94";
  text += "e.";
  Outcome outcome = read(text, text.size(), 1 << 20);
  EXPECT_NE(outcome.error.find("need more than 1048576 bytes of memory"),
            std::string::npos)
      << outcome.error;
}
