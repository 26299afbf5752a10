//===- YamlTest.cpp - a model's YAML --------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTesting.h"

using namespace tamc::spec;
using namespace tamc::spec::testing;

namespace {

TEST(Yaml, AllKeys) {
  Sources sources;
  auto spec = sources.yaml("# a model\n"
                           "name: load model\n"
                           "formula: Load ~ s(t1, k=20) + c(hour, n_cat=24)\n"
                           "group: tod\n"
                           "date: 'the date'\n"
                           "weights: \"w\"\n"
                           "solver: direct\n"
                           "device: cpu\n"
                           "chunk_rows: 4096\n");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->name, "load model");
  EXPECT_EQ(spec->formula, "Load ~ s(t1, k=20) + c(hour, n_cat=24)");
  EXPECT_EQ(spec->group, "tod");
  EXPECT_EQ(spec->date, "the date");
  EXPECT_EQ(spec->weights, "w");
  EXPECT_EQ(spec->solver, Solver::Direct);
  EXPECT_EQ(spec->device, "cpu");
  EXPECT_EQ(spec->chunkRows, 4096);
  EXPECT_EQ(sources.manager.getLineAndColumn(spec->formulaRange.Start),
            std::make_pair(3u, 10u));
}

TEST(Yaml, OnlyTheFormulaIsNeeded) {
  Sources sources;
  auto spec = sources.yaml("formula: y ~ l(x)", "some/dir/load.v2.yaml");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->name, "load.v2");
  EXPECT_EQ(spec->group + spec->date + spec->weights, "");
  EXPECT_EQ(spec->solver, Solver::Auto);
  EXPECT_EQ(spec->device, "auto");
  EXPECT_EQ(spec->chunkRows, std::nullopt);
  EXPECT_EQ(sources.yaml("formula: y ~ l(x)", "<stdin>")->name, "model");
  EXPECT_EQ(sources.yaml("formula: y ~ l(x)", "-")->name, "model");
}

TEST(Yaml, ChunkRowsAll) {
  Sources sources;
  auto spec = sources.yaml("formula: y ~ l(x)\nchunk_rows: all\n");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->chunkRows, allRows);
}

TEST(Yaml, LineEndsAndBom) {
  Sources sources;
  auto spec = sources.yaml("\xef\xbb\xbf"
                           "formula: y ~ l(x)\r\ngroup: g\r\n");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->group, "g");
  EXPECT_EQ(spec->formula, "y ~ l(x)");
}

TEST(Yaml, FlowMapping) {
  Sources sources;
  auto spec = sources.yaml("{formula: 'y ~ s(x, k=3)', group: g}");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->terms[0].getInt("k"), 3);
}

TEST(Yaml, DocumentMarks) {
  EXPECT_EQ(messagesOfYaml("---\nformula: y ~ l(x)\n...\n"), "");
  EXPECT_EQ(messagesOfYaml("%YAML 1.2\n---\nformula: y ~ l(x)\n"), "");
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\n---\nformula: y ~ l(x)\n"),
            "3:1 error: expected one document, got another\n");
}

TEST(Yaml, Empty) {
  const char *expected = "1:1 error: expected a spec with the key 'formula', "
                         "got an empty document\n";
  for (const char *text : {"", "\n\n", "# only words\n", "---\n", "---\n...\n"})
    EXPECT_EQ(messagesOfYaml(text), expected) << text;
}

TEST(Yaml, FormulaIsNeeded) {
  EXPECT_EQ(messagesOfYaml("name: load\n"),
            "1:1 error: expected the key 'formula', got none\n");
  EXPECT_EQ(messagesOfYaml("formula:\n"),
            "1:1 error: expected a formula for 'formula', got nothing\n");
  EXPECT_EQ(messagesOfYaml("formula: ''\n"),
            "1:11 error: expected a formula, got nothing\n");
  EXPECT_EQ(messagesOfYaml("formula: ~\n"),
            "1:10 error: expected a formula for 'formula', got nothing\n");
}

TEST(Yaml, Keys) {
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\nforumla: z\n"),
            "2:1 error: unknown key 'forumla'\n"
            "2:1 note: did you mean 'formula'?\n");
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\nfoo: z\n"),
            "2:1 error: unknown key 'foo'\n"
            "2:1 note: the keys are name, formula, group, date, weights, "
            "solver, device, defaults, chunk_rows, oracle, placement, "
            "adapt, grid and state\n");
  EXPECT_EQ(messagesOfYaml("group: a\nformula: y ~ l(x)\ngroup: b\n"),
            "3:1 error: 'group' is given twice\n"
            "1:1 note: first given here\n");
  EXPECT_EQ(messagesOfYaml("? [a]\n: b\n"),
            "1:4 error: expected a key of plain text\n");
}

TEST(Yaml, Oracle) {
  Sources sources;
  auto spec = sources.yaml("formula: y ~ l(x)\noracle: estimate\n");
  ASSERT_TRUE(spec) << sources.messages;
  OracleSettings expected;
  expected.estimates = true;
  EXPECT_EQ(spec->oracle, expected);

  spec = sources.yaml("formula: y ~ l(x)\n"
                      "oracle:\n"
                      "  rule: estimate\n"
                      "  device_share: 0.8\n"
                      "  ram_share: 1\n"
                      "  sliding_device_share: 0.7\n"
                      "  sliding_ram_share: 1e-3\n"
                      "  direct_limit: 10000\n"
                      "  estimate_factor: 5.5\n");
  ASSERT_TRUE(spec) << sources.messages;
  expected = {true, 0.8, 1.0, 0.7, 1e-3, 10000, 5.5};
  EXPECT_EQ(spec->oracle, expected);

  spec = sources.yaml("formula: y ~ l(x)\noracle: {ram_share: 0.5}\n");
  ASSERT_TRUE(spec) << sources.messages;
  expected = {};
  expected.ramShare = 0.5;
  EXPECT_EQ(spec->oracle, expected);
  EXPECT_EQ(sources.yaml("formula: y ~ l(x)\n")->oracle, std::nullopt);

  // What is decided at run time does not change what the model computes.
  EXPECT_EQ(spec->canonical(), "formula: 'y ~ l(x)'\n");
}

TEST(Yaml, OracleErrors) {
  const std::string formula = "formula: y ~ l(x)\n";
  for (const char *word : {"guess", "7"})
    EXPECT_EQ(messagesOfYaml(formula + "oracle: " + word + "\n"),
              std::string("2:9 error: expected plan or estimate for 'oracle', "
                          "got '") +
                  word + "'\n");
  EXPECT_EQ(messagesOfYaml(formula + "oracle: {rule: estimat}\n"),
            "2:16 error: expected plan or estimate for 'rule', got 'estimat'\n"
            "2:16 note: did you mean 'estimate'?\n");
  EXPECT_EQ(messagesOfYaml(formula + "oracle: [plan]\n"),
            "2:1 error: expected plan or estimate for 'oracle', got a list\n");
  for (const char *key : {"device_share", "ram_share", "sliding_device_share",
                          "sliding_ram_share"})
    for (const char *value : {"0", "-0.5", "1.0001", "nan", "'0.5'", "half"})
      EXPECT_NE(
          messagesOfYaml(formula + "oracle:\n  " + key + ": " + value + "\n")
              .find(std::string("error: expected a number above 0, at "
                                "most 1 for '") +
                    key + "', got '"),
          std::string::npos)
          << key << value;
  EXPECT_EQ(messagesOfYaml(formula + "oracle:\n  ram_share: 70\n"),
            "3:14 error: expected a number above 0, at most 1 for 'ram_share', "
            "got '70'\n");
  for (const char *value : {"0", "1.5", "-3", "many"})
    EXPECT_EQ(
        messagesOfYaml(formula + "oracle:\n  direct_limit: " + value + "\n"),
        std::string("3:17 error: expected a positive integer for "
                    "'direct_limit', got '") +
            value + "'\n");
  EXPECT_EQ(messagesOfYaml(formula + "oracle:\n  estimate_factor: 2e6\n"),
            "3:20 error: expected a number above 0, at most 1000000 for "
            "'estimate_factor', got '2e6'\n");
  EXPECT_EQ(messagesOfYaml(formula + "oracle:\n  ram_shares: 1\n"),
            "3:3 error: unknown setting 'ram_shares'\n"
            "3:3 note: did you mean 'ram_share'?\n");
  EXPECT_EQ(messagesOfYaml(formula + "oracle:\n  tree: 1\n"),
            "3:3 error: unknown setting 'tree'\n"
            "3:3 note: the settings are rule, device_share, ram_share, "
            "sliding_device_share, sliding_ram_share, direct_limit and "
            "estimate_factor\n");
}

TEST(Yaml, Adapt) {
  Sources sources;
  const std::string start = "formula: y ~ l(x) + s(t)\ngroup: g\n";
  auto spec =
      sources.yaml(start + "adapt: {window: 365, update: 2, horizon: 3}\n");
  ASSERT_TRUE(spec) << sources.messages;
  ASSERT_TRUE(spec->adapt);
  EXPECT_EQ(spec->adapt->window, 365);
  EXPECT_EQ(spec->adapt->update, 2);
  EXPECT_EQ(spec->adapt->horizon, 3);
  // Weights stay valid.
  EXPECT_EQ(spec->canonical(), sources.yaml(start)->canonical());
  std::optional<ModelSpec> windows = spec->windowModel();
  ASSERT_TRUE(windows);
  EXPECT_EQ(windows->canonicalFormula(), spec->canonicalFormula());
  EXPECT_EQ(windows->weights, "weights");
  EXPECT_FALSE(windows->adapt);
  EXPECT_FALSE(sources.yaml(start)->windowModel());

  spec = sources.yaml("adapt:\n"
                      "  formula: residual ~ s(effect_t) + l(effect_offset)\n"
                      "  window: 9\n  update: 1\n  horizon: 1\n" +
                      start +
                      "weights: w\n"
                      "defaults: {s: {k: 4}}\n");
  ASSERT_TRUE(spec) << sources.messages;
  windows = spec->windowModel();
  ASSERT_TRUE(windows);
  EXPECT_EQ(windows->canonicalFormula(),
            "residual ~ s(effect_t, k=4) + l(effect_offset)");
  EXPECT_EQ(windows->group, "g");
  EXPECT_EQ(windows->weights, "w");
}

TEST(Yaml, AdaptErrors) {
  const std::string start = "formula: y ~ l(x)\n";
  for (const char *number : {"0", "-1", "1.5", "'1'", "4294967296", "all"})
    EXPECT_EQ(messagesOfYaml(start + "adapt: {window: " + number +
                             ", update: 1, horizon: 1}\n"),
              std::string("2:17 error: expected a positive integer of at most "
                          "4294967295 for 'window', got '") +
                  llvm::StringRef(number).trim('\'').str() + "'\n");
  EXPECT_EQ(messagesOfYaml(start + "adapt: {window: 5, update: 1}\n"),
            "2:1 error: expected the settings window, update and horizon of "
            "'adapt', got no 'horizon'\n");
  EXPECT_EQ(messagesOfYaml(start + "adapt: 5\n"),
            "2:1 error: expected a mapping 'key: value' for 'adapt'\n");
  EXPECT_EQ(messagesOfYaml(start + "adapt: {windows: 5}\n"),
            "2:9 error: unknown setting 'windows'\n"
            "2:9 note: did you mean 'window'?\n");
  auto formula = [&](const std::string &text) {
    return messagesOfYaml(start +
                          "adapt:\n  window: 5\n  update: 1\n"
                          "  horizon: 1\n  formula: " +
                          text + "\n");
  };
  EXPECT_EQ(formula("y ~ l(z)"),
            "6:12 error: expected the target 'residual' in the formula of "
            "'adapt', got 'y'\n");
  EXPECT_EQ(formula("residual ~ l(effect_t)"),
            "6:23 error: expected an effect of the model after 'effect_', got "
            "'t'\n"
            "6:23 note: the effects are offset and x\n");
  EXPECT_EQ(formula("residual ~ l(y)"),
            "6:23 error: expected features other than the target 'y', got "
            "it\n");
  EXPECT_EQ(formula("residual ~ l(residual)"),
            "6:23 error: expected features other than the residual "
            "'residual', got it\n");
  EXPECT_EQ(formula("residual ~ q(z)").substr(0, 11), "6:23 error:");
}

TEST(Yaml, Placement) {
  Sources sources;
  auto spec = sources.yaml("formula: y ~ l(x)\nplacement: {solve: cpu}\n");
  ASSERT_TRUE(spec) << sources.messages;
  PlacementSettings expected;
  expected.solveOnCpu = true;
  EXPECT_EQ(spec->placement, expected);
  spec = sources.yaml("formula: y ~ l(x)\n"
                      "placement:\n"
                      "  sums: cpu\n"
                      "  solve: device\n"
                      "  predict: cpu\n");
  ASSERT_TRUE(spec) << sources.messages;
  expected = {true, false, true};
  EXPECT_EQ(spec->placement, expected);
  EXPECT_EQ(spec->canonical(), "formula: 'y ~ l(x)'\n");
  EXPECT_EQ(sources.yaml("formula: y ~ l(x)\n")->placement, std::nullopt);

  const std::string start = "formula: y ~ l(x)\nplacement: ";
  EXPECT_EQ(messagesOfYaml(start + "{solve: gpu}\n"),
            "2:20 error: expected cpu or device for 'solve', got 'gpu'\n"
            "2:20 note: 'device' is the device of the run, which --device of "
            "the compiled model names\n");
  EXPECT_EQ(messagesOfYaml(start + "{solve: cuda:1}\n"),
            "2:20 error: expected cpu or device for 'solve', got 'cuda:1'\n"
            "2:20 note: 'device' is the device of the run, which --device of "
            "the compiled model names\n");
  EXPECT_EQ(messagesOfYaml(start + "{sovle: cpu}\n"),
            "2:13 error: unknown step 'sovle'\n"
            "2:13 note: did you mean 'solve'?\n");
  EXPECT_EQ(messagesOfYaml(start + "{wash: cpu}\n"),
            "2:13 error: unknown step 'wash'\n"
            "2:13 note: the steps are sums, solve and predict\n");
  EXPECT_EQ(messagesOfYaml(start + "cpu\n"),
            "2:1 error: expected a mapping 'key: value' for 'placement'\n");
}

TEST(Yaml, Types) {
  EXPECT_EQ(messagesOfYaml("formula: [y, x]\n"),
            "1:1 error: expected a formula for 'formula', got a list\n");
  EXPECT_EQ(messagesOfYaml("formula: {y: x}\n"),
            "1:1 error: expected a formula for 'formula', got a mapping\n");
  EXPECT_EQ(messagesOfYaml("name: &n load\nformula: *n\n"),
            "2:1 error: expected a formula for 'formula', got an alias\n");
  EXPECT_EQ(messagesOfYaml("formula: !!str y ~ l(x)\n"),
            "1:1 error: expected a formula for 'formula', got the YAML tag "
            "!!str\n");
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\ngroup: ''\n"),
            "2:8 error: expected a column name for 'group', got empty text\n");
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\ngroup: null\n"),
            "2:8 error: expected a column name for 'group', got nothing\n");
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\ngroup: \"a\\nb\"\n"),
            "2:10 error: expected a column name for 'group', got a line break "
            "or control character in it\n");
  EXPECT_EQ(messagesOfYaml("- a\n- b\n"),
            "1:1 error: expected a mapping 'key: value' with the key "
            "'formula'\n");
  EXPECT_EQ(messagesOfYaml("y ~ l(x)\n"),
            "1:1 error: expected a mapping 'key: value' with the key "
            "'formula'\n");
}

TEST(Yaml, ChunkRows) {
  for (const char *bad : {"0", "-4", "1.5", "many", "99999999999999999999"})
    EXPECT_EQ(messagesOfYaml(std::string("formula: y ~ l(x)\nchunk_rows: ") +
                             bad + "\n"),
              std::string("2:13 error: expected a positive integer or all for "
                          "'chunk_rows', got '") +
                  bad + "'\n");
}

TEST(Yaml, SolverAndDevice) {
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\nsolver: Direct\n"),
            "2:9 error: expected auto, direct or cg for 'solver', got "
            "'Direct'\n2:9 note: did you mean 'direct'?\n");
  for (const char *bad : {"GPU", "'cuda:'", "cuda:x", "':1'", "a b", "'9'",
                          "'torch:'", "torch:xpu:x"})
    EXPECT_NE(
        messagesOfYaml(std::string("formula: y ~ l(x)\ndevice: ") + bad + "\n")
            .find("2:9 error: expected auto, cpu or a device such as cuda:1 "
                  "for 'device', got '"),
        std::string::npos);
  // Whether there is one of that name is known where the model runs.
  for (const char *device : {"auto", "cpu", "cuda", "cuda:0", "torch",
                             "torch:cpu", "torch:mps", "torch:xpu:0"})
    EXPECT_EQ(messagesOfYaml(std::string("formula: y ~ l(x)\ndevice: ") +
                             device + "\n"),
              "");
}

TEST(Yaml, Malformed) {
  EXPECT_EQ(messagesOfYaml("formula: \"y ~ l(x)\n"),
            "1:19 error: malformed YAML: expected quote at end of scalar\n");
  EXPECT_EQ(messagesOfYaml("formula: \"y \\q\"\n"),
            "1:14 error: malformed YAML: unrecognized escape code\n");
  EXPECT_EQ(messagesOfYaml("formula: y\n\tgroup: g\n"),
            "2:1 error: malformed YAML: found invalid tab character in "
            "indentation\n");
  EXPECT_EQ(messagesOfYaml("formula: |\n  y ~ l(x)\n + l(z)\n"),
            "3:2 error: malformed YAML: a text line is less indented than the "
            "block scalar\n");
  EXPECT_EQ(messagesOfYaml("formula: @y\n"),
            "1:10 error: malformed YAML: unrecognized character while "
            "tokenizing\n");
  EXPECT_EQ(messagesOfYaml("{formula: y ~ l(x)"),
            "1:18 error: malformed YAML: unexpected token. Expected Key, Flow "
            "Entry, or Flow Mapping End\n");
}

TEST(Yaml, NotUtf8) {
  EXPECT_EQ(messagesOfYaml("name: \xe9t\xe9\nformula: y ~ l(x)\n"),
            "1:7 error: expected UTF-8 text, got the byte 0xe9\n");
  // UTF-16.
  EXPECT_EQ(messagesOfYaml(llvm::StringRef("\xff\xfe"
                                           "f\0",
                                           4)),
            "1:1 error: expected UTF-8 text, got the byte 0xff\n");
}

TEST(Yaml, TooLong) {
  std::string text(1 << 20, '#');
  EXPECT_NE(messagesOfYaml(text).find("empty document"), std::string::npos);
  EXPECT_EQ(messagesOfYaml(text + "#"),
            "1:1 error: expected a spec of at most 1048576 bytes, got "
            "1048577\n");
}

/// Deep or long input must not overflow the stack of the YAML reader.
TEST(Yaml, HostileShapes) {
  const size_t n = 200000;
  auto repeat = [&](llvm::StringRef text) {
    std::string all;
    for (size_t i = 0; i != n; ++i)
      all += text;
    return all;
  };
  for (const std::string &text :
       {repeat("["),
        repeat("{"),
        repeat("...\n"),
        repeat("---\n"),
        "{" + repeat(","),
        "{" + repeat(", \n"),
        "{" + repeat(",#\n"),
        "formula: y\ndefaults: {f: {period: [" + repeat(","),
        "formula: " + repeat("["),
        repeat("- "),
        "? " + repeat("["),
        repeat("? "),
        repeat("{a: "),
        repeat("[{"),
        "defaults: {all: " + repeat("["),
        "defaults: {all: {ap: " + repeat("["),
        repeat("&a "),
        repeat("!t "),
        "formula: '" + repeat("''"),
        "formula: y ~ " + repeat("l(x)+"),
        "formula: y ~ " + repeat("+"),
        "formula: " + repeat("~")})
    EXPECT_NE(messagesOfYaml(text), "") << text.substr(0, 40);
}

/// Errors inside a formula have their exact location in every kind of scalar.
TEST(YamlPlaces, Plain) {
  EXPECT_EQ(messagesOfYaml("formula:   y ~ l(x) + s(z, k=0)   # words\n"),
            "1:30 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\n"
                           "    + s(z, k=0)\n"
                           "\n"
                           "  + q(z)\n"
                           "group: g\n"),
            "4:5 error: unknown term 'q'\n"
            "4:5 note: the terms are l, f, s, c, p, w, n, rbf, t, lt, te, phys "
            "and pid\n"
            "2:14 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  EXPECT_EQ(messagesOfYaml("formula:\n  y ~ l(x, a=1)\n"),
            "2:12 error: unknown parameter 'a' of l\n"
            "2:12 note: did you mean 'ap'?\n");
}

TEST(YamlPlaces, SingleQuoted) {
  EXPECT_EQ(
      messagesOfYaml("formula: 'y ~ c(x, topo=''nominal'') + s(z, k=0)'\n"),
      "1:47 error: expected an integer from 1 to 100000 for 'k', got "
      "0\n");
  EXPECT_EQ(messagesOfYaml("formula: 'y ~ c(x, topo=''nomina'') +\n"
                           "\n"
                           "   s(z, k=0)'\n"),
            "1:25 error: expected nominal, ordinal or fourier for 'topo', got "
            "'nomina'\n"
            "1:25 note: did you mean 'nominal'?\n"
            "3:11 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
}

TEST(YamlPlaces, DoubleQuoted) {
  EXPECT_EQ(
      messagesOfYaml("formula: \"y ~\\tl(\\\"a b\\\") + s(z, k=0)\"\n"),
      "1:36 error: expected an integer from 1 to 100000 for 'k', got 0\n");
  EXPECT_EQ(messagesOfYaml("formula: \"y ~ l(x) \\\n"
                           "    + s(z,\\\n"
                           "  k=0)\"\n"),
            "3:5 error: expected an integer from 1 to 100000 for 'k', got 0\n");
  EXPECT_EQ(messagesOfYaml("formula: \"y ~ l(x)\n"
                           "    + s(z, k=0)\"\n"),
            "2:14 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  EXPECT_EQ(messagesOfYaml("formula: \"y ~ l(\\u6c17\\U00006e29\\xe9) + "
                           "s(z, k=0)\"\n"),
            "1:48 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  EXPECT_EQ(messagesOfYaml("formula: \"y ~ l(x) + s(z, k=\\x30)\"\n"),
            "1:29 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  // A blank in hexadecimal: the place is the scalar's, never a wrong one.
  EXPECT_EQ(messagesOfYaml("formula: \"y\\x20~ l(x) + s(z, k=0)\"\n"),
            "1:10 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
}

TEST(YamlPlaces, Block) {
  EXPECT_EQ(messagesOfYaml("formula: |\n"
                           "  y ~ l(x)\n"
                           "    + s(z, k=0)\n"
                           "group: g\n"),
            "3:14 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  for (const char *header : {">", ">-", ">+", "|-", "|2", ">2-", "> # words"})
    EXPECT_EQ(messagesOfYaml(std::string("formula: ") + header +
                             "\n"
                             "  y ~ l(x) +\n"
                             "  s(x) +\n"
                             "\n"
                             "    s(z,\n"
                             "  k=0)\n"
                             "group: g\n"),
              "6:5 error: expected an integer from 1 to 100000 for 'k', got "
              "0\n")
        << header;
  EXPECT_EQ(messagesOfYaml("formula: |\r\n  y ~ l(x)\r\n  + s(z, k=0)\r\n"),
            "3:12 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  EXPECT_EQ(messagesOfYaml("formula: >\n  y ~ l(x) +\n  l(z) +\n\ngroup: g\n"),
            "3:8 error: expected a term after '+'\n");
}

TEST(YamlPlaces, TermsKnowTheirPlace) {
  Sources sources;
  auto spec = sources.yaml("formula: >\n"
                           "  y ~ l(x) +\n"
                           "    te(s(a),\n"
                           "       s(b))\n");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(sources.manager.getLineAndColumn(spec->terms[1].range.Start),
            std::make_pair(3u, 5u));
  EXPECT_EQ(sources.manager.getLineAndColumn(spec->terms[1].range.End),
            std::make_pair(4u, 13u));
  EXPECT_EQ(spec->terms[1].text, "te(s(a), s(b))");
}

TEST(YamlDefaults, Apply) {
  Sources sources;
  auto spec = sources.yaml("defaults:\n"
                           "  all: {ap: -5, extrapolate: constant}\n"
                           "  s: {k: 20, extrapolate: linear}\n"
                           "  F: {cyclic: true, period: [0, 1], s: 2}\n"
                           "  c: {topo: ordinal, n_cat: 7}\n"
                           "  phys: {D1: 0.5}\n"
                           "  rbf: {gamma: None, seed: 1}\n"
                           "formula: y ~ s(a) + s(b, k=5, ap=-1) + f(c) + c(d) "
                           "+ te(s(e), pid(g)) + phys(h) + rbf(i) + l(j) + "
                           "f(k, period=auto, cyclic=False)\n");
  ASSERT_TRUE(spec) << sources.messages;
  const std::vector<Term> &terms = spec->terms;
  EXPECT_EQ(terms[0].getInt("k"), 20);
  EXPECT_EQ(terms[0].ap, -5);
  EXPECT_EQ(terms[0].extrapolate, Extrapolate::Linear);
  EXPECT_EQ(terms[1].getInt("k"), 5);
  EXPECT_EQ(terms[1].ap, -1);
  EXPECT_TRUE(terms[2].getBool("cyclic"));
  EXPECT_EQ(terms[2].parameters.at("period"), Value(Pair{0, 1}));
  EXPECT_EQ(terms[2].getNumber("s"), 2);
  EXPECT_EQ(terms[2].extrapolate, Extrapolate::Constant);
  EXPECT_EQ(terms[3].getInt("n_cat"), 7);
  EXPECT_EQ(terms[3].getString("topo"), "ordinal");
  // A mode for all terms is not meant for pid, nor for a product with it.
  EXPECT_EQ(terms[4].extrapolate, Extrapolate::Continue);
  EXPECT_EQ(terms[4].factors[0].getInt("k"), 20);
  EXPECT_EQ(terms[4].factors[1].extrapolate, Extrapolate::Continue);
  EXPECT_EQ(terms[4].factors[1].ap, -5);
  EXPECT_EQ(terms[5].getNumber("D1"), 0.5);
  EXPECT_EQ(terms[5].parameters.count("D2"), 0u);
  EXPECT_EQ(terms[6].getInt("seed"), 1);
  EXPECT_EQ(terms[7].extrapolate, Extrapolate::Constant);
  EXPECT_FALSE(terms[8].getBool("cyclic"));
  EXPECT_EQ(terms[8].parameters.at("period"), Value(std::string("auto")));
}

TEST(YamlDefaults, BlockStyle) {
  Sources sources;
  auto spec = sources.yaml("defaults:\n"
                           "  s:\n"
                           "    k: 4\n"
                           "    deg: 2\n"
                           "  l:\n"
                           "    ap: -2\n"
                           "formula: y ~ s(a) + l(b)\n");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->terms[0].getInt("deg"), 2);
  EXPECT_EQ(spec->terms[1].ap, -2);
}

TEST(YamlDefaults, Errors) {
  auto messages = [](llvm::StringRef defaults) {
    return messagesOfYaml(
        ("formula: y ~ s(x)\ndefaults: " + defaults + "\n").str());
  };
  EXPECT_EQ(messages("{q: {k: 3}}"),
            "2:12 error: expected a term or all in 'defaults', got 'q'\n"
            "2:12 note: the terms are l, f, s, c, p, w, n, rbf, t, lt, te, "
            "phys and pid\n");
  EXPECT_EQ(messages("{s: {kk: 3}}"),
            "2:16 error: no default for 'kk' of s\n"
            "2:16 note: defaults of s are k, deg, p, ap and extrapolate\n");
  EXPECT_EQ(messages("{all: {k: 3}}"),
            "2:18 error: no default for 'k' of all\n"
            "2:18 note: defaults of all are ap and extrapolate\n");
  EXPECT_EQ(messages("{t: {others: x}}"),
            "2:16 error: no default for 'others' of t\n"
            "2:16 note: defaults of t are n_trees, max_depth, max_leaves, "
            "seed, sp_alpha, split_strategy, ap and extrapolate\n");
  EXPECT_EQ(messages("{lt: {slope: x}}").substr(0, 43),
            "2:17 error: no default for 'slope' of lt\n2:");
  EXPECT_EQ(messages("{s: {k: 0}}"),
            "2:19 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  EXPECT_EQ(messages("{s: {k: '3'}}"),
            "2:19 error: expected an integer from 1 to 100000 for 'k', got "
            "'3'\n");
  EXPECT_EQ(messages("{s: {k: }}"),
            "2:16 error: expected a value for 'k', got nothing\n");
  EXPECT_EQ(messages("{s: 3}"),
            "2:12 error: expected a mapping 'key: value' for 's' of "
            "'defaults'\n");
  EXPECT_EQ(messages("3"),
            "2:1 error: expected a mapping 'key: value' for 'defaults'\n");
  EXPECT_EQ(messages("{s: {k: 3}, s: {k: 4}}"),
            "2:23 error: 's' is given twice\n2:12 note: first given here\n");
  EXPECT_EQ(messages("{s: {k: 3}, S: {k: 4}}"),
            "2:23 error: 's' is given twice\n");
  EXPECT_EQ(messages("{f: {period: [1]}}"),
            "2:16 error: expected [number, number] for 'period'\n");
  EXPECT_EQ(messages("{f: {period: [1, 2, 3]}}"),
            "2:16 error: expected [number, number] for 'period'\n");
  EXPECT_EQ(messages("{f: {period: [2, 1]}}"),
            "2:16 error: expected (lo, hi) with lo < hi for 'period', got [2, "
            "1]\n");
  EXPECT_EQ(messages("{f: {period: [[1], 2]}}"),
            "2:16 error: expected [number, number] for 'period'\n");
  // A default that is invalid for a term of the formula is reported at the
  // default.
  EXPECT_EQ(messages("{s: {p: 13}}"),
            "2:19 error: expected 'p' below k + deg = 13, got 13\n");
  EXPECT_EQ(messagesOfYaml("formula: y ~ te(s(a), pid(x))\n"
                           "defaults: {te: {extrapolate: linear}}\n"),
            "2:30 error: expected 'continue', the one mode of pid, got "
            "'linear'\n");
}

// The formula is checked all the same: its errors follow.
TEST(Yaml, GridWithErrors) {
  auto messages = [](llvm::StringRef grid, llvm::StringRef term = "l(x)") {
    return messagesOfYaml("formula: y ~ s(x, k=$k) + " + term.str() +
                          "\ngrid: " + grid.str() + "\n");
  };
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\ngrid: {a: []}\n"),
            "2:8 error: expected values for 'a' of 'grid', got an empty "
            "list\n");
  EXPECT_EQ(messages("{k: [1, 2], a: []}"),
            "2:19 error: expected values for 'a' of 'grid', got an empty "
            "list\n");
  EXPECT_EQ(messages("{k: [[10], 20]}", "s(z, k=0)"),
            "2:8 error: expected [number, number] for 'k'\n"
            "1:34 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
  EXPECT_EQ(messages("{k: [1e999, 20]}"),
            "2:12 error: expected a finite number, got '1e999'\n");
  EXPECT_EQ(messages("{k: [$j]}"),
            "2:12 error: expected a list of values for the token $j in the "
            "spec's key 'grid', got none\n");
  EXPECT_EQ(messages("{k: [1, 1]}"),
            "2:15 error: expected '1' once in the values of 'k', got it "
            "twice\n");
}

TEST(Yaml, GridWithoutFormula) {
  const char *expected = "1:1 error: expected the key 'formula', got none\n";
  EXPECT_EQ(messagesOfYaml("name: m\ngroup: g\nweights: w\ngrid:\n"
                           "  k: [1, 2]\n"),
            expected);
  EXPECT_EQ(messagesOfYaml("grid: {k: [1, 2], a: [3], b: [4]}\n"), expected);
}

TEST(Yaml, SeveralErrors) {
  EXPECT_EQ(messagesOfYaml("formula: y ~ s(x, k=0)\n"
                           "chunk_rows: 0\n"
                           "solver: x\n"),
            "2:13 error: expected a positive integer or all for 'chunk_rows', "
            "got '0'\n"
            "3:9 error: expected auto, direct or cg for 'solver', got 'x'\n"
            "1:21 error: expected an integer from 1 to 100000 for 'k', got "
            "0\n");
}

} // namespace
