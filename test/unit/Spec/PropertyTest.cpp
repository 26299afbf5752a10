//===- PropertyTest.cpp - random formulas and broken ones -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTesting.h"

#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace tamc::spec;
using namespace tamc::spec::testing;

namespace {

/// Random formulas that are right, spelled in random ways.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  int64_t integer(int64_t lo, int64_t hi) {
    return lo +
           static_cast<int64_t>(random() % static_cast<uint64_t>(hi - lo + 1));
  }
  bool coin(int one = 2) { return integer(1, one) == 1; }

  std::string blank() {
    const char *blanks[] = {"", "", "", " ", "  ", "\n  ", "\t"};
    return blanks[integer(0, 6)];
  }

  std::string name() {
    const char *plain[] = {"x", "temp", "t_1", "a.b", "température", "NA", "s"};
    const char *odd[] = {"my col", "it's", "a\"b",  "a\\b", "x+y", "(", "~,=",
                         "1",      "True", "日 本", "#",    ": ",  "'", "|"};
    if (coin(3))
      return odd[integer(0, 13)];
    return plain[integer(0, 6)];
  }

  std::string quoted(llvm::StringRef text) {
    char quote = coin() ? '\'' : '"';
    std::string result(1, quote);
    for (char c : text) {
      if (c == quote || c == '\\')
        result += '\\';
      result += c;
    }
    return result + quote;
  }

  std::string column() {
    std::string text = name();
    bool bare = llvm::all_of(text, [](char c) {
      return llvm::isAlpha(c) || c == '_' || c == '.' || llvm::isDigit(c) ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    bare &= !llvm::isDigit(text[0]) && text != "True";
    return bare && coin() ? text : quoted(text);
  }

  std::string number(double lo, double hi) {
    double value = lo + (hi - lo) * (static_cast<double>(random()) / 0x1p64);
    if (coin())
      return std::to_string(static_cast<int64_t>(value)) + (coin() ? ".0" : "");
    char buffer[64];
    snprintf(buffer, sizeof buffer, coin() ? "%.17g" : "%.3e", value);
    return buffer;
  }

  std::string value(const ParameterInfo &info) {
    switch (info.type) {
    case ParameterType::OptionalInteger:
      if (coin(4))
        return "None";
      [[fallthrough]];
    case ParameterType::Integer: {
      int64_t hi = std::min<int64_t>(int64_t(info.max), int64_t(info.min) + 30);
      int64_t drawn = integer(int64_t(info.min), hi);
      if (info.name == "n_coeffs")
        drawn = 2 * (drawn / 2);
      return std::to_string(drawn) + (coin(5) ? ".0" : "");
    }
    case ParameterType::Number:
      return number(std::max(info.min, -5.0), std::min(info.max, 15.0));
    case ParameterType::OptionalPositive:
      return coin(4) ? "None" : number(1, 5);
    case ParameterType::Flag:
      return coin() ? "True" : "False";
    case ParameterType::Word: {
      auto words = info.wordList();
      std::string word = words[integer(0, int64_t(words.size()) - 1)].str();
      return coin() ? word : quoted(word);
    }
    case ParameterType::Period:
      if (coin(3))
        return "None";
      if (coin())
        return quoted("auto");
      return "(" + number(-5, 0) + blank() + "," + blank() + number(2, 9) + ")";
    case ParameterType::Column:
      return column();
    case ParameterType::Weights:
      return number(-2, 2);
    }
    return "";
  }

  std::string term(int depth) {
    const TermInfo &info = depth < 3 && coin(5)
                               ? termInfo(TermKind::Tensor)
                               : allTerms()[size_t(integer(0, 12))];
    if (info.kind == TermKind::Tensor && depth == 3)
      return term(depth);
    std::vector<std::string> arguments;
    bool tensor = info.kind == TermKind::Tensor;
    bool period = false;
    for (const ParameterInfo &parameter : info.parameters) {
      if (!coin(3))
        continue;
      std::string key = parameter.name.str();
      if (parameter.type == ParameterType::Weights)
        key += std::to_string(integer(0, 3));
      period |= parameter.type == ParameterType::Period;
      arguments.push_back(key + blank() + "=" + blank() + value(parameter));
    }
    (void)period;
    if (info.others && coin())
      arguments.push_back("others=" + quoted("a|b c"));
    if (coin(3))
      arguments.push_back("ap=" + number(-30, 6));
    if (coin(4) && info.kind != TermKind::PID && !tensor)
      arguments.push_back(
          "extrapolate=" +
          toString(static_cast<Extrapolate>(integer(0, 3))).str());
    if (tensor)
      for (int64_t i = integer(2, 3); i != 0; --i)
        arguments.push_back(term(depth + 1));
    std::shuffle(arguments.begin(), arguments.end(), random);
    if (!tensor)
      arguments.insert(arguments.begin(), column());
    std::string text = coin() ? info.name.upper() : info.name.str();
    text += blank() + "(" + blank();
    for (size_t i = 0; i != arguments.size(); ++i)
      text += (i ? blank() + "," + blank() : "") + arguments[i];
    return text + blank() + ")";
  }

  std::string formula() {
    std::string text = column() + blank() + "~" + blank();
    for (int64_t i = integer(0, 5); i >= 0; --i)
      text += (coin(8) ? "1" : term(0)) + blank() +
              (i ? "+" + blank() : std::string());
    return text;
  }

  std::mt19937_64 random;
};

/// A drawn formula may break a rule between two parameters, but rarely.
TEST(Property, CanonicalTextReadsBack) {
  Generator generator(1);
  unsigned right = 0;
  const unsigned drawn = 5000;
  for (unsigned i = 0; i != drawn; ++i) {
    std::string formula = generator.formula();
    Sources sources;
    SpecOverrides overrides;
    if (generator.coin())
      overrides.group = generator.name();
    if (generator.coin())
      overrides.date = generator.name();
    if (generator.coin())
      overrides.weights = generator.name();
    if (generator.coin())
      overrides.solver = "cg";
    auto spec = sources.formula(formula, overrides);
    if (!spec)
      continue;
    ++right;
    sources.messages.clear();
    std::string canonical = spec->canonical();
    auto again = sources.yaml(canonical);
    ASSERT_TRUE(again) << formula << "\n" << canonical << sources.messages;
    // Parameters without effect caused a warning and are removed.
    ASSERT_EQ(sources.messages, "") << canonical;
    ASSERT_TRUE(sameModel(*spec, *again)) << formula << "\n" << canonical;
    ASSERT_EQ(again->canonical(), canonical);
    ASSERT_EQ(spec->effectNames(), again->effectNames());
    ASSERT_EQ(spec->features(), again->features());
    // Names are unique.
    std::vector<std::string> names = spec->effectNames();
    ASSERT_EQ(names.size(), spec->terms.size() + 1);
    std::sort(names.begin(), names.end());
    ASSERT_EQ(std::unique(names.begin(), names.end()), names.end());
  }
  EXPECT_GT(right, drawn / 2);
}

/// Changes a few bytes of `text`.
std::string mutate(std::string text, Generator &generator,
                   const std::string &other) {
  static const llvm::StringRef bits[] = {
      "(",   ")",    ",",        "=",   "+",  "~",      "'",    "\"",
      "\\",  "\n",   " ",        "\t",  ":",  ": ",     "#",    "[",
      "]",   "{",    "}",        "|\n", ">",  "---\n",  "- ",   "? ",
      "&a ", "*a",   "!!x",      "%",   "@",  "1e999",  "-1",   "None",
      "\r",  "\xff", "\xc3\xa9", "te(", "s(", "n_cat=", "...\n"};
  for (int64_t i = generator.integer(1, 4); i != 0; --i) {
    size_t at = size_t(generator.integer(0, int64_t(text.size())));
    switch (generator.integer(0, 4)) {
    case 0:
      text.erase(at, size_t(generator.integer(1, 8)));
      break;
    case 1:
      text.insert(at, bits[generator.integer(0, 38)].str());
      break;
    case 2:
      if (at < text.size())
        text[at] = static_cast<char>(generator.integer(0, 255));
      break;
    case 3:
      text.insert(
          at,
          text.substr(size_t(generator.integer(0, int64_t(text.size()))), 20));
      break;
    case 4:
      text.insert(
          at, other.substr(size_t(generator.integer(0, int64_t(other.size()))),
                           30));
      break;
    }
  }
  return text;
}

TEST(Property, BrokenSpecsNeverCrash) {
  Generator generator(2);
  const std::string seeds[] = {
      "name: load\nformula: y ~ s(t1, k=20) + c(h, n_cat=24)\ngroup: g\n",
      "formula: >\n  y ~ te(s(a), c(b, topo='fourier'), ap=-1)\n    + l(x)\n"
      "defaults:\n  all: {ap: -5}\n  f: {period: [0, 1], cyclic: true}\n",
      "formula: \"y ~ l(\\\"a b\\\") +\n  f(x, period=(0, 1))\"\nsolver: cg\n"
      "chunk_rows: all\ndevice: cpu\n",
      "formula: 'y ~ rbf(x, others=''a|b'') + phys(z, D0=1)'\ndate: d\n",
      "formula: |-\n  y ~ 1 + pid(x) +\n\n  lt(z, slope=w)\nweights: w\n",
      "formula: y ~ n(a, n_neurons=2) + te(l(x), t(b, n_trees=1, "
      "max_leaves=3))\nstate:\n  a: {W: [[1, -2]], b: [.5, 1e-9]}\n"
      "  te_x_x_b:\n    1.features: [0]\n    1.thresholds:\n      - 1\n"
      "      - 2\n"};
  const unsigned count = std::size(seeds);
  unsigned right = 0;
  const unsigned runs = 100000;
  for (unsigned i = 0; i != runs; ++i) {
    std::string text =
        mutate(seeds[i % count], generator, seeds[(i / count) % count]);
    Sources sources;
    auto spec = sources.yaml(text);
    bool told = sources.messages.find("error: ") != std::string::npos;
    ASSERT_EQ(spec.has_value(), !told) << text << "\n" << sources.messages;
    if (!spec)
      continue;
    ++right;
    std::string canonical = spec->canonical();
    auto again = sources.yaml(canonical);
    ASSERT_TRUE(again) << text << "\n" << canonical << sources.messages;
    ASSERT_TRUE(sameModel(*spec, *again)) << text << "\n" << canonical;
  }
  EXPECT_GT(right, runs / 100);
}

TEST(Property, BrokenProfilesNeverCrash) {
  Generator generator(3);
  Sources sources;
  const std::string seeds[] = {"x,y,z\n1,2,3\n\"a\",\"b\"\"c\",NA\r\n4,5,6\n",
                               "\xef\xbb\xbfx,z\r\n0,1\r\n1,2\r\n,\r\n",
                               "x\n1\n1.0\n-0\n"};
  unsigned right = 0;
  for (unsigned i = 0; i != 20000; ++i) {
    std::string csv = mutate(seeds[i % 3], generator, seeds[i / 3 % 3]);
    sources.messages.clear();
    auto spec = sources.formula(i % 2 ? "y ~ c(x)" : "y ~ c(x, topo=fourier)");
    ASSERT_TRUE(spec);
    bool good = sources.levels(*spec, csv);
    ASSERT_EQ(good, sources.messages.empty()) << csv << sources.messages;
    right += good;
    if (good) {
      ASSERT_GE(spec->terms[0].getInt("n_cat"), 1);
    }
  }
  EXPECT_GT(right, 500u);
}

} // namespace
