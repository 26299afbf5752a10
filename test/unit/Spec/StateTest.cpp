//===- StateTest.cpp - tables that a spec gives ---------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTesting.h"

#include "tamc/Spec/Tables.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <limits>
#include <random>

using namespace tamc::spec;
using namespace tamc::spec::testing;

namespace {

/// "effect.table: 1 2 3" per table, in the order of the model's.
std::string show(const std::optional<ModelSpec> &spec) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!spec)
    return "none";
  for (const GivenTable &table : spec->state) {
    out << table.effect << '.' << table.name << ':';
    for (double value : table.values)
      out << ' ' << llvm::format("%g", value);
    out << '\n';
  }
  return text;
}

std::string stateOf(llvm::StringRef text) {
  Sources sources;
  auto spec = sources.yaml(text);
  EXPECT_EQ(sources.messages, "") << text.str();
  if (!spec)
    return "none";
  // The canonical text parses to the same state.
  Sources more;
  auto again = more.yaml(spec->canonical());
  EXPECT_EQ(more.messages, "") << spec->canonical();
  EXPECT_EQ(show(again), show(spec));
  if (again) {
    EXPECT_EQ(again->canonical(), spec->canonical());
  }
  return show(spec);
}

constexpr llvm::StringLiteral neural = "formula: y ~ n(a, n_neurons=2)\n";
constexpr llvm::StringLiteral oblivious =
    "formula: y ~ t(a, others='b', n_trees=2, max_depth=2)\n";
constexpr llvm::StringLiteral flat =
    "formula: y ~ t(a, n_trees=2, max_leaves=3)\n";

std::string stateMessages(llvm::StringRef formula, llvm::StringRef state) {
  return messagesOfYaml((formula + "state: " + state + "\n").str());
}

TEST(State, Spellings) {
  const char *expected = "a.W1: 1 2\na.b1: 3 4\n";
  std::string head = neural.str();
  for (const char *state :
       {"{a: {W: [1, 2], b: [3, 4]}}", "{a: {b1: [3, 4], W1: [1.0, 2e0]}}",
        "{\"a\": {\"W1\": [[1, 2]], 'b': [[3], [4]]}}",
        "\n  a:\n    W: [1,\n        2]\n    b:\n      - 3\n      - 4",
        "\n  a:\n    W:\n      - [1, 2]\n    b1: [+3, 4]"})
    EXPECT_EQ(stateOf(head + "state: " + state + "\n"), expected) << state;
  // The formula may come after it.
  EXPECT_EQ(stateOf("state: {a: {W: [1, 2]}}\n" + head), "a.W1: 1 2\n");
  EXPECT_EQ(stateOf(head + "state: {}\n"), "");
  EXPECT_EQ(stateOf(head + "state: {a: {}}\n"), "");
  EXPECT_EQ(stateOf(head + "state: {a: {W: [-0, 1e-400]}}\n"), "a.W1: 0 0\n");
}

TEST(State, EveryTable) {
  EXPECT_EQ(stateOf("formula: y ~ w(a)\nstate: {a: {range: [-1, .5]}}\n"),
            "a.range: -1 0.5\n");
  EXPECT_EQ(stateOf("formula: y ~ rbf(a, others='b', n_centers=2)\n"
                    "state: {a: {gamma: 2.5, centers: [[1, 2], [3, 4]]}}\n"),
            "a.centers: 1 2 3 4\na.gamma: 2.5\n");
  EXPECT_EQ(stateOf("formula: y ~ t(a, others='b', n_trees=2, max_depth=1, "
                    "sp_alpha=1)\n"
                    "state: {a: {features: [0, 1], thresholds: [.5, -.5],\n"
                    "  leaf_weights: [1, 2, 0, 4]}}\n"),
            "a.features: 0 1\na.thresholds: 0.5 -0.5\n"
            "a.leaf_weights: 1 2 0 4\n");
  EXPECT_EQ(stateOf("formula: y ~ lt(a, others='b', max_leaves=3)\n"
                    "state: {a: {features: [[1]], thresholds: [1, 1]}}\n"),
            "a.features: 1\na.thresholds: 1 1\n");
  EXPECT_EQ(stateOf("formula: y ~ n(a, others='b', n_neurons=2, "
                    "n_hidden_layers=2)\n"
                    "state: {a: {W1: [[1, 2], [3, 4]], W2: [5, 6, 7, 8]}}\n"),
            "a.W1: 1 2 3 4\na.W2: 5 6 7 8\n");
  // Factors have numbers; `gamma` agrees with the term's.
  EXPECT_EQ(stateOf("formula: y ~ te(n(a, n_neurons=1), te(l(b), "
                    "rbf(c, n_centers=1, gamma=2))) + l(a)\n"
                    "state: {te_a_x_b_x_c: {0.b: [1], 1.1.gamma: [2]}}\n"),
            "te_a_x_b_x_c.0.b1: 1\nte_a_x_b_x_c.1.1.gamma: 2\n");
  // Two effects of one feature, and one with an odd name.
  EXPECT_EQ(stateOf("formula: |\n  y ~ n(\"a: 'b\", n_neurons=1) + w(c) + "
                    "n(c, n_neurons=1)\n"
                    "state: {n_c: {b: [2]}, \"a: 'b\": {b: [1]}}\n"),
            "a: 'b.b1: 1\nn_c.b1: 2\n");
}

TEST(State, Canonical) {
  auto canonical = [](llvm::StringRef state) {
    Sources sources;
    auto spec = sources.yaml((neural + state).str());
    EXPECT_TRUE(spec) << sources.messages;
    return spec ? spec->canonical() : "";
  };
  std::string none = canonical("");
  EXPECT_EQ(canonical("state: {a: {b: [1, .5], W1: [[1e300, 2]]}}\n"),
            none + "state:\n  'a':\n    W1: [1e+300, 2]\n    b1: [1, 0.5]\n");
  // Other numbers are another model.
  EXPECT_NE(canonical("state: {a: {b: [1, .5]}}\n"),
            canonical("state: {a: {b: [1, .500000000000001]}}\n"));
  EXPECT_EQ(canonical("state: {}\n"), none);
}

TEST(State, LongStateIsCanonicalByItsHash) {
  size_t count = ModelSpec::maxCanonicalNumbers;
  auto canonical = [&](size_t neurons, llvm::StringRef last) {
    std::string text =
        "formula: y ~ n(a, n_neurons=" + std::to_string(neurons) +
        ")\nstate: {a: {W: [" + last.str();
    for (size_t i = 1; i < neurons; ++i)
      text += ",1";
    Sources sources;
    auto spec = sources.yaml(text + "]}}\n");
    EXPECT_TRUE(spec) << sources.messages;
    std::string all = spec ? spec->canonical() : "state:";
    return all.substr(all.find("state:"));
  };
  EXPECT_EQ(canonical(count, "1").substr(0, 20), "state:\n  'a':\n    W1");
  std::string hash = canonical(count + 1, "1");
  EXPECT_EQ(hash.substr(0, 15), "state: 'sha256 ");
  EXPECT_EQ(hash.size(), 15 + 64 + 2u);
  EXPECT_EQ(canonical(count + 1, "1.0"), hash);
  EXPECT_NE(canonical(count + 1, "1.1"), hash);
}

TEST(State, Names) {
  EXPECT_EQ(stateMessages("formula: y ~ n(speed) + w(b) + l(c)\n",
                          "{sped: {W: [1]}}"),
            "2:9 error: unknown effect 'sped'\n"
            "2:9 note: did you mean 'speed'?\n");
  EXPECT_EQ(
      stateMessages("formula: y ~ n(speed) + w(b) + l(c)\n", "{zz: {W: [1]}}"),
      "2:9 error: unknown effect 'zz'\n"
      "2:9 note: the effects with tables are speed and b\n");
  EXPECT_EQ(stateMessages("formula: y ~ l(a)\n", "{b: {W: [1]}}"),
            "2:9 error: unknown effect 'b'\n"
            "2:9 note: no term of the formula has tables\n");
  EXPECT_EQ(stateMessages("formula: y ~ l(a)\n", "{a: {W: [1]}}"),
            "2:9 error: expected an effect with tables, got 'a', for which a "
            "fit draws and learns none\n");
  EXPECT_EQ(stateMessages(neural, "{offset: {W: [1]}}"),
            "2:9 error: expected an effect with tables, got 'offset', for "
            "which a fit draws and learns none\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W2: [1]}}"),
            "2:13 error: unknown table 'W2' of effect 'a'\n"
            "2:13 note: did you mean 'W1'?\n");
  EXPECT_EQ(stateMessages(neural, "{a: {centers: [1]}}"),
            "2:13 error: unknown table 'centers' of effect 'a'\n"
            "2:13 note: its tables are W1 and b1\n");
  // Weights of leaves are there with sp_alpha only.
  EXPECT_EQ(stateMessages(flat, "{a: {leaf_weights: [1]}}"),
            "2:13 error: unknown table 'leaf_weights' of effect 'a'\n"
            "2:13 note: its tables are features and thresholds\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: [1, 2], W1: [1, 2]}}"),
            "2:24 error: table 'W1' of effect 'a' is given twice\n"
            "2:13 note: first given here\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: [1, 2]}, a: {b: [1, 2]}}"),
            "2:25 error: 'a' is given twice\n2:9 note: first given here\n");
}

TEST(State, Shapes) {
  EXPECT_EQ(stateMessages(neural, "{a: {W: [1]}}"),
            "2:13 error: expected 1 x 2 numbers for 'W', got 1\n");
  EXPECT_EQ(stateMessages(neural, "{a: {b: []}}"),
            "2:13 error: expected 2 numbers for 'b', got 0\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: [[1], [2]]}}"),
            "2:13 error: expected 1 x 2 numbers for 'W', got 2 rows\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: [[1]]}}"),
            "2:18 error: expected 1 x 2 numbers for 'W', got 1 in row 1\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: [[]]}}"),
            "2:13 error: expected 1 x 2 numbers for 'W', got 0 in row 1\n");
  EXPECT_EQ(stateMessages(neural, "{a: {b: [[1, 2]]}}"),
            "2:13 error: expected 2 x 1 numbers for 'b', got 1 row\n");
  EXPECT_EQ(stateMessages("formula: y ~ rbf(a)\n", "{a: {gamma: [1, 2]}}"),
            "2:13 error: expected 1 number for 'gamma', got 2\n");
  EXPECT_EQ(stateMessages(oblivious, "{a: {features: [[0, 1], [0]]}}"),
            "2:33 error: expected 2 x 2 numbers for 'features', got 1 in row "
            "2\n");
}

TEST(State, Numbers) {
  for (const char *bad :
       {"x", ".nan", "nan", ".inf", "-inf", "1e999", "0x10", "1_000"})
    EXPECT_EQ(stateMessages(neural,
                            ("{a: {W: [1, " + llvm::Twine(bad) + "]}}").str()),
              "2:20 error: expected a finite number in 'W', got '" +
                  std::string(bad) + "'\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: ['1', 2]}}"),
            "2:17 error: expected a finite number in 'W', got '1'\n");
  // All errors are reported.
  EXPECT_EQ(stateMessages(neural, "{a: {W: [a, b]}}"),
            "2:17 error: expected a finite number in 'W', got 'a'\n"
            "2:20 error: expected a finite number in 'W', got 'b'\n");
  EXPECT_EQ(stateMessages(oblivious, "{a: {features: [0, 1, 2, 0]}}"),
            "2:30 error: expected the number of an input, 0 to 1, in "
            "'features', got 2\n");
  EXPECT_EQ(stateMessages(oblivious, "{a: {features: [0, 1, 0.5, 0]}}"),
            "2:30 error: expected the number of an input, 0 to 1, in "
            "'features', got 0.5\n");
  EXPECT_EQ(stateMessages(flat, "{a: {features: [0, -1]}}"),
            "2:27 error: expected 0, the number of the one input, in "
            "'features', got -1\n");
  EXPECT_EQ(stateMessages(flat, "{a: {thresholds: [1, 2, -1, -2]}}"),
            "2:36 error: expected at least -1, the number before it, in "
            "'thresholds', got -2\n");
  EXPECT_EQ(stateMessages("formula: y ~ w(a)\n", "{a: {range: [1, 0]}}"),
            "2:24 error: expected at least 1, the number before it, in "
            "'range', got 0\n");
  EXPECT_EQ(stateMessages("formula: y ~ rbf(a)\n", "{a: {gamma: 0}}"),
            "2:20 error: expected a number above 0 in 'gamma', got 0\n");
  EXPECT_EQ(stateMessages("formula: y ~ rbf(a, gamma=2)\n", "{a: {gamma: 3}}"),
            "2:20 error: expected 2, as the term has it, in 'gamma', got 3\n");
  EXPECT_EQ(stateMessages("formula: y ~ t(a, n_trees=1, max_depth=1, "
                          "sp_alpha=1)\n",
                          "{a: {leaf_weights: [1, -1]}}"),
            "2:31 error: expected a number not below 0 in 'leaf_weights', got "
            "-1\n");
}

TEST(State, Types) {
  const char *expected = "expected a mapping or a file '*.safetensors' for ";
  EXPECT_EQ(stateMessages(neural, ""),
            std::string("2:1 error: ") + expected + "'state', got nothing\n");
  EXPECT_EQ(stateMessages(neural, "[1]"),
            std::string("2:1 error: ") + expected + "'state', got a list\n");
  EXPECT_EQ(stateMessages(neural, "w.bin"),
            std::string("2:8 error: ") + expected + "'state', got 'w.bin'\n");
  EXPECT_EQ(stateMessages(neural, "{a: 3}"),
            std::string("2:12 error: ") + expected + "'a', got '3'\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: {b: 1}}}"),
            "2:13 error: expected a list of numbers for 'W', got a mapping\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: }}"),
            "2:13 error: expected a list of numbers for 'W', got nothing\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: [[[1]]]}}"),
            "2:13 error: expected rows of numbers for 'W', got a list\n");
  EXPECT_EQ(stateMessages(neural, "{a: {W: [1, [2]]}}"),
            "2:13 error: expected numbers or rows of numbers for 'W', got "
            "both\n");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

template <typename T> std::string bytesOf(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

struct Entry {
  std::string name, type, shape, bytes;
};

std::string fileOf(llvm::StringRef header, llvm::StringRef data = "") {
  return bytesOf<uint64_t>({header.size()}) + header.str() + data.str();
}

std::string fileOf(const std::vector<Entry> &entries) {
  std::string header = "{\"__metadata__\": {\"a\": \"b: \\\"c\"}", data;
  for (const Entry &entry : entries) {
    header += ",\"" + entry.name + "\":{\"dtype\":\"" + entry.type +
              "\",\"shape\":" + entry.shape + ",\"data_offsets\":[" +
              std::to_string(data.size()) + ",";
    data += entry.bytes;
    header += std::to_string(data.size()) + "]}";
  }
  return fileOf(header + "}  ", data);
}

class StateFile : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tamc-state", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> all(folder);
    llvm::sys::path::append(all, name);
    return all.str().str();
  }

  void write(llvm::StringRef bytes, llvm::StringRef name = "s.safetensors") {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << bytes;
    ASSERT_FALSE(error);
  }

  /// The state, or the messages.
  std::string read(llvm::StringRef formula, llvm::StringRef state) {
    Sources sources;
    auto spec = sources.yaml((formula + "state: " + state + "\n").str(),
                             path("model.yaml"));
    EXPECT_EQ(spec.has_value(), sources.messages.empty()) << sources.messages;
    return spec ? show(spec) : sources.messages;
  }

  /// The message about s.safetensors, given for effect a.
  std::string message(const std::vector<Entry> &entries,
                      llvm::StringRef formula = neural) {
    write(fileOf(entries));
    return rest(read(formula, "{a: s.safetensors}"));
  }
  std::string message(llvm::StringRef bytes) {
    write(bytes);
    return rest(read(neural, "{a: s.safetensors}"));
  }
  static std::string rest(llvm::StringRef text) {
    EXPECT_TRUE(text.consume_front("2:12 error: s.safetensors: "))
        << text.str();
    return text.str();
  }

  llvm::SmallString<128> folder;
};

const std::string one = bytesOf<double>({1, 2});

TEST_F(StateFile, OfAnEffect) {
  write(fileOf({{"W", "F64", "[1, 2]", bytesOf<double>({1.5, -0.0})},
                {"b1", "F32", "[2]", bytesOf<float>({.5f, 3})}}));
  EXPECT_EQ(read(neural, "{a: s.safetensors}"), "a.W1: 1.5 0\na.b1: 0.5 3\n");
  EXPECT_EQ(read(neural, "{a: ./s.safetensors}"), "a.W1: 1.5 0\na.b1: 0.5 3\n");
  EXPECT_EQ(read(neural, ("{a: '" + path("s.safetensors") + "'}")),
            "a.W1: 1.5 0\na.b1: 0.5 3\n");
  write(
      fileOf({{"features", "I64", "[2, 2]", bytesOf<int64_t>({0, 1, 1, 0})}}));
  EXPECT_EQ(read(oblivious, "{a: s.safetensors}"), "a.features: 0 1 1 0\n");
  write(fileOf(
      {{"features", "I32", "[2, 2]", bytesOf<int32_t>({0, 1, 1, 0})},
       {"thresholds", "I32", "[2, 2]", bytesOf<int32_t>({-1, 1, 1, 0})}}));
  EXPECT_EQ(read(oblivious, "{a: s.safetensors}"),
            "a.features: 0 1 1 0\na.thresholds: -1 1 1 0\n");
}

TEST_F(StateFile, OfAllAsAFitWritesIt) {
  write(fileOf({{"coefficients", "F64", "[1, 1]", bytesOf<double>({7})},
                {"tables.a.b1", "F64", "[2]", one},
                {"tables.te_b_x_c.1.range", "F64", "[2]", one},
                {"other", "BF16", "[1]", "ab"}}));
  llvm::StringRef formula = "formula: y ~ n(a, n_neurons=2) + te(l(b), w(c))\n";
  EXPECT_EQ(read(formula, "s.safetensors"),
            "a.b1: 1 2\nte_b_x_c.1.range: 1 2\n");
  EXPECT_EQ(read(neural, "s.safetensors"),
            "2:8 error: s.safetensors: tensor 'tables.te_b_x_c.1.range': "
            "expected a table of the model, got another\n"
            "2:8 note: the tables are a.W1 and a.b1\n");
  write(fileOf({{"coefficients", "F64", "[1, 1]", bytesOf<double>({7})}}));
  EXPECT_EQ(read(neural, "s.safetensors"),
            "2:8 error: s.safetensors: expected tensors called "
            "'tables.<effect>.<table>', got none\n");
}

TEST_F(StateFile, Tensors) {
  EXPECT_EQ(message(std::vector<Entry>{}),
            "expected tensors called as tables of 'a', got none\n");
  EXPECT_EQ(message({{"W7", "F64", "[2]", one}}),
            "tensor 'W7': expected a table of effect 'a', got another\n"
            "2:12 note: did you mean 'W1'?\n");
  EXPECT_EQ(message({{"W1", "F64", "[2]", one}}),
            "tensor 'W1': expected shape [1, 2], got [2]\n");
  EXPECT_EQ(message({{"b1", "F16", "[2]", "abcd"}}),
            "tensor 'b1': expected F64, F32, I64 or I32, got F16\n");
  EXPECT_EQ(message({{"b1", "F32", "[2]", one}}),
            "tensor 'b1': expected bytes for its shape of F32, got 16 bytes\n");
  EXPECT_EQ(message({{"b1", "F64", "[2]",
                      bytesOf<double>(
                          {1, std::numeric_limits<double>::quiet_NaN()})}}),
            "tensor 'b1': expected a finite number at index 1, got nan\n");
  EXPECT_EQ(
      message({{"b1", "F32", "[2]",
                bytesOf<float>({-std::numeric_limits<float>::infinity(), 1})}}),
      "tensor 'b1': expected a finite number at index 0, got -inf\n");
  EXPECT_EQ(message({{"b1", "I64", "[2]",
                      bytesOf<int64_t>({1, (int64_t(1) << 53) + 1})}}),
            "tensor 'b1': expected integers up to 2^53, got 9007199254740993 "
            "at index 1\n");
  EXPECT_EQ(
      message({{"features", "F64", "[2]", bytesOf<double>({0, .5})}}, flat),
      "tensor 'features': expected 0, the number of the one input, at "
      "index 1, got 0.5\n");
  write(fileOf({{"W", "F64", "[1, 2]", one}, {"W1", "F64", "[1, 2]", one}}));
  EXPECT_EQ(read(neural, "{a: s.safetensors}"),
            "2:12 error: table 'W1' of effect 'a' is given twice\n"
            "2:12 note: first given here\n");
}

TEST_F(StateFile, Malformed) {
  EXPECT_EQ(message(""), "truncated: expected 8 bytes, got 0\n");
  EXPECT_EQ(message("abcdefghijkl"),
            "not a safetensors file: expected a header of at most 100000000 "
            "bytes, got 7523094288207667809\n");
  EXPECT_EQ(message(bytesOf<uint64_t>({9}) + "{}"),
            "truncated: expected 17 bytes, got 10\n");
  EXPECT_EQ(message(fileOf("{")),
            "not a safetensors file: its header is not valid JSON\n");
  EXPECT_EQ(message(fileOf("[]")),
            "not a safetensors file: its header is not a JSON object\n");
  EXPECT_EQ(message(fileOf(std::string(1 << 20, '['))),
            "not a safetensors file: its header is nested too deeply\n");
  EXPECT_EQ(message(fileOf("{\"b1\": 1, \"b1\": 1}")),
            "its header holds a key twice\n");
  const char *entry =
      "tensor 'b1': expected dtype, shape and data_offsets, got "
      "others\n";
  for (const char *bad :
       {"1", "{}", "{\"dtype\":\"F64\",\"shape\":[2]}",
        "{\"dtype\":1,\"shape\":[2],\"data_offsets\":[0,16]}",
        "{\"dtype\":\"F64\",\"shape\":[-2],\"data_offsets\":[0,16]}",
        "{\"dtype\":\"F64\",\"shape\":[2.5],\"data_offsets\":[0,16]}",
        "{\"dtype\":\"F64\",\"shape\":2,\"data_offsets\":[0,16]}",
        "{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[16,0]}",
        "{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0]}"})
    EXPECT_EQ(message(fileOf("{\"b1\":" + std::string(bad) + "}", one)), entry)
        << bad;
  auto placed = [&](const char *offsets, llvm::StringRef data) {
    return message(fileOf("{\"b1\":{\"dtype\":\"F64\",\"shape\":[2],"
                          "\"data_offsets\":" +
                              std::string(offsets) + "}}",
                          data));
  };
  EXPECT_EQ(placed("[0,16]", "abc"),
            "tensor 'b1': expected its bytes up to 16, got 3 bytes of "
            "tensors\n");
  EXPECT_EQ(placed("[8,24]", one + one),
            "tensor 'b1' leaves a gap before it\n");
  EXPECT_EQ(placed("[0,16]", one + "x"),
            "too long: expected 80 bytes, got 81\n");
  const char *both = "{\"W1\":{\"dtype\":\"F64\",\"shape\":[1,2],"
                     "\"data_offsets\":[0,16]},\"b1\":{\"dtype\":\"F64\","
                     "\"shape\":[2],\"data_offsets\":[8,24]}}";
  EXPECT_EQ(message(fileOf(both, one + one.substr(8))),
            "tensor 'b1' overlaps another\n");
}

TEST_F(StateFile, Unreadable) {
  EXPECT_EQ(read(neural, "{a: s.safetensors}"),
            "2:12 error: s.safetensors: cannot read it: No such file or "
            "directory\n");
  ASSERT_FALSE(llvm::sys::fs::create_directory(path("d.safetensors")));
  EXPECT_EQ(read(neural, "d.safetensors"),
            "2:8 error: d.safetensors: expected a regular file\n");
  // A file of zeros, without a byte on the disk.
  int descriptor;
  ASSERT_FALSE(
      llvm::sys::fs::openFileForWrite(path("s.safetensors"), descriptor));
  ASSERT_FALSE(llvm::sys::fs::resize_file(descriptor, (1ull << 30) + 1));
  llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(descriptor);
  llvm::sys::fs::closeFile(file);
  EXPECT_EQ(read(neural, "s.safetensors"),
            "2:8 error: s.safetensors: expected at most 1073741824 bytes, got "
            "1073741825\n");
}

TEST_F(StateFile, BrokenFilesNeverCrash) {
  const std::string whole =
      fileOf({{"W1", "F64", "[1, 2]", one},
              {"b1", "I64", "[2]", bytesOf<int64_t>({1, 2})}});
  std::mt19937 random(1);
  unsigned right = 0;
  for (int run = 0; run < 3000; ++run) {
    std::string bytes = whole;
    for (unsigned changes = 1 + random() % 3; changes != 0; --changes) {
      size_t at = random() % bytes.size();
      switch (random() % 3) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.insert(at, 1, "0129[]{},:\""[random() % 11]);
        break;
      default:
        bytes.erase(at, 1 + random() % 4);
      }
    }
    write(bytes);
    std::string got = read(neural, "{a: s.safetensors}");
    right += got.find("error: ") == std::string::npos;
  }
  // Changes of a length make the file invalid, and most other changes do, too.
  EXPECT_GT(right, 20u);
  EXPECT_LT(right, 1000u);
}

TEST(State, TablesOfTerms) {
  auto names = [](llvm::StringRef term) {
    std::string text;
    for (const TableForm &form : allTablesOf(termOf(term))) {
      text += form.name;
      for (int64_t extent : form.shape)
        text += " " + std::to_string(extent);
      text += form.isInteger() ? " i; " : "; ";
    }
    return text;
  };
  EXPECT_EQ(names("s(a)"), "");
  EXPECT_EQ(names("w(a)"), "range 2; ");
  EXPECT_EQ(names("n(a, others='b', n_neurons=3, n_hidden_layers=2)"),
            "W1 2 3; b1 3; W2 3 3; b2 3; ");
  EXPECT_EQ(names("rbf(a, n_centers=4)"), "centers 4 1; gamma 1; ");
  EXPECT_EQ(names("t(a, n_trees=3, max_depth=2)"),
            "features 3 2 i; thresholds 3 2; ");
  EXPECT_EQ(names("lt(a, max_depth=2, sp_alpha=1, slope=b)"),
            "features 1 2 i; thresholds 1 2; leaf_weights 1 4; ");
  EXPECT_EQ(names("t(a, n_trees=3, max_leaves=6, sp_alpha=1)"),
            "features 3 i; thresholds 3 5; leaf_weights 3 6; ");
  EXPECT_EQ(names("te(w(a), te(w(b), w(c)))"),
            "0.range 2; 1.0.range 2; 1.1.range 2; ");
}

} // namespace
