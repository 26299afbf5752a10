//===- ErrorsTest.cpp - what users do wrong -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRun.h"

#include "core/model/Weights.h"

#include <cmath>
#include <random>

namespace tamrt::test {
namespace {

/// A run that must fail: exit 1, one line on stderr that starts with the
/// model's name and contains `parts`, nothing on stdout.
void expectError(const Outcome &outcome, std::vector<std::string> parts) {
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("fake: error: ", 0), 0u) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  for (const std::string &part : parts)
    EXPECT_NE(outcome.err.find(part), std::string::npos)
        << outcome.err << "lacks: " << part;
}

class Errors : public RunTest {
protected:
  /// Fits `text` and expects it to fail without a trace.
  void fitFails(const std::string &text, std::vector<std::string> parts) {
    std::string train = write("t.csv", text);
    expectError(run(model, {"fit", train, "-o", path("w")}), parts);
    EXPECT_EQ(files(), "t.csv");
  }
  /// Weights of groups 1 and 2 in the file w.
  void fitGood() {
    std::string train =
        write("good.csv", "g,x,d,y\n1,0,a,1\n1,2,b,7\n2,1,a,1\n2,2,b,3\n");
    ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  }
  FakeModel model;
};

TEST_F(Errors, MissingColumn) {
  fitFails("g,x,y\n1,1,1\n", {"t.csv", "column 'd'", "g, x, y"});
  fitFails("g,x,d\n1,1,1\n", {"column 'y'"});
}

TEST_F(Errors, TextInNumericColumn) {
  fitFails("g,x,d,y\n1,1,a,1\n1,red,a,1\n",
           {"t.csv: line 3: column 'x'", "'red'"});
}

TEST_F(Errors, MissingValueNamesRowColumnAndGroup) {
  fitFails("g,x,d,y\nnorth,1,a,1\nsouth,nan,a,1\n",
           {"t.csv: line 3: column 'x': group 'south'", "missing value"});
  fitFails("g,x,d,y\nnorth,1,a,\n", {"line 2: column 'y': group 'north'"});
  fitFails("g,x,d,y\nnorth,1,NA,1\n", {"line 2: column 'd': group 'north'"});
  fitFails("g,x,d,y\nnorth,-inf,a,1\n",
           {"line 2: column 'x': group 'north'", "infinity"});
  fitFails("g,x,d,y\n,1,a,1\n", {"line 2: column 'g'", "a group"});
  // The first bad row is named, whatever its column.
  fitFails("g,x,d,y\n1,1,a,1\n1,1,a,\n1,,a,1\n", {"line 3: column 'y'"});
}

TEST_F(Errors, Dates) {
  model.date = "t";
  fitFails("g,t,x,d,y\n1,2020-01-01,1,a,1\n1,soon,1,a,1\n",
           {"line 3: column 't'", "soon"});
  fitFails("g,t,x,d,y\n1,,1,a,1\n", {"line 2: column 't': group '1'"});
}

TEST_F(Errors, NegativeWeight) {
  model.weights = "w";
  fitFails("g,x,d,y,w\n1,1,a,1,1\n1,1,a,1,-2\n",
           {"line 3: column 'w': group '1'", "-2"});
  fitFails("g,x,d,y,w\n1,1,a,1,\n", {"line 2: column 'w'", "missing"});
}

// The other fields of a dropped row do not matter.
TEST_F(Errors, RowsThatAreDroppedAreNotChecked) {
  model.weights = "w";
  const std::string good = "g,x,d,y,w\n1,1,a,1,1\n1,3,b,2,2\n";
  auto fit = [&](const std::string &rows) {
    std::string train = write("t.csv", good + rows);
    return run(model, {"fit", train, "-o", path("w"), "--drop-missing"});
  };
  ASSERT_EQ(fit("").status, 0);
  const std::string clean = contents(path("w"));
  for (const char *row :
       {"1,,a,1,-2\n", "1,NA,a,1,heavy\n", "1,1,,1,-2\n", "1,1, ,1,heavy\n",
        "1,red,a,,1\n", ",red,a,1,-1\n", "1,1,a,1,\n", "1,1,a,red,nan\n",
        "1,inf,a,1,-1\n", "1,red,,1,1\n"}) {
    Outcome outcome = fit(row);
    EXPECT_EQ(outcome.status, 0) << row << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with(
        "fake: note: dropped 1 of 3 rows: missing values in '"))
        << outcome.err;
    EXPECT_EQ(contents(path("w")), clean) << row;
  }
  std::filesystem::remove(path("w"));
  // In a row that is kept they do, even if other rows are dropped.
  for (const char *row : {"1,1,a,1,-2\n1,,a,1,1\n", "1,,a,1,1\n1,1,a,1,-2\n"})
    expectError(fit(row), {"column 'w': group '1'", "got -2"});
  expectError(fit("1,,a,x,1\n1,red,a,1,1\n"), {"line 5: column 'x'", "'red'"});
  EXPECT_EQ(files(), "t.csv");
}

TEST_F(Errors, Files) {
  fitFails("g,x,d,y\n1,1,a,1\n1,1,a\n", {"t.csv: line 3", "4"});
  fitFails("", {"t.csv", "empty"});
  fitFails("g,x,d,y\n", {"t.csv", "no rows"});
  std::filesystem::remove(path("t.csv"));
  expectError(run(model, {"fit", path("none.csv"), "-o", path("w")}),
              {"none.csv"});
  EXPECT_EQ(files(), "");
}

TEST_F(Errors, NothingLeft) {
  std::string train = write("t.csv", "g,x,d,y\n1,,a,1\n");
  expectError(run(model, {"fit", train, "-o", path("w"), "--drop-missing"}),
              {"t.csv", "missing values"});
}

TEST_F(Errors, TooManyLevels) {
  fitFails("g,x,d,y\n1,1,a,1\n1,1,c,1\n1,1,b,1\n1,1,e,1\n",
           {"column 'd'", "at most 3 levels, got 4: 'a', 'b', 'c', 'e'"});
}

TEST_F(Errors, RangeTooWide) {
  fitFails("g,x,d,y\n1,-1e308,a,1\n1,1.7e308,b,1\n",
           {"t.csv: column 'x': group '1'", "finite"});
}

TEST_F(Errors, UnseenGroup) {
  fitGood();
  std::string fresh = write("n.csv", "g,x,d\n1,1,a\nwest,1,a\n");
  expectError(
      run(model, {"predict", fresh, "--weights", path("w"), "-o", path("p")}),
      {"n.csv: line 3: column 'g': expected a group that was trained, '1', "
       "'2', got 'west'"});
  EXPECT_FALSE(std::filesystem::exists(path("p")));
}

TEST_F(Errors, MissingValueWhenPredicting) {
  fitGood();
  std::string fresh = write("n.csv", "g,x,d\n1,1,a\n2,NaN,a\n");
  expectError(
      run(model, {"predict", fresh, "--weights", path("w"), "-o", path("p")}),
      {"n.csv: line 3: column 'x': group '2'"});
  EXPECT_FALSE(std::filesystem::exists(path("p")));
}

TEST_F(Errors, PredictionThatIsNotFinite) {
  fitGood();
  // Finite themselves; the second overflows before it is multiplied.
  std::string fresh =
      write("n.csv", "g,x,d\n1,1,a\n2,-1.7e308,a\n1,1.7e308,b\n");
  for (const char *type : {"response", "terms", "design"})
    for (const char *threads : {"1", "2"})
      expectError(run(model, {"predict", fresh, "--weights", path("w"), "-o",
                              path("p"), "--type", type, "--threads", threads}),
                  {"n.csv: line 3: group '2': term l(x): expected a finite "
                   "number, got -inf; the row is too far"});
  EXPECT_EQ(files(), "good.csv n.csv w");
  // Without groups no group is named.
  FakeModel single;
  single.group = nullptr;
  std::string train = write("t.csv", "x,d,y\n1,a,1\n1.5,b,2\n");
  ASSERT_EQ(run(single, {"fit", train, "-o", path("w")}).status, 0);
  fresh = write("n.csv", "x,d\n1e308,a\n");
  expectError(run(single, {"decompose", fresh, "--weights", path("w")}),
              {"n.csv: line 2: term l(x): "});
}

TEST_F(Errors, TruncatedWeights) {
  fitGood();
  std::string fresh = write("n.csv", "g,x,d\n1,1,a\n");
  std::string whole = contents(path("w"));
  // Every length, with a stride that ends at the last byte.
  for (size_t length = whole.size() - 1; length < whole.size(); length -= 13) {
    write("cut", whole.substr(0, length));
    expectError(run(model, {"predict", fresh, "--weights", path("cut"), "-o",
                            path("p")}),
                {"cut"});
    EXPECT_FALSE(std::filesystem::exists(path("p")));
  }
}

TEST_F(Errors, CorruptWeightsNeverCrash) {
  fitGood();
  std::string fresh = write("n.csv", "g,x,d\n1,1,a\n");
  std::string whole = contents(path("w"));
  std::minstd_rand random(1);
  size_t loaded = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string bad = whole;
    // One byte or a few, anywhere or near the end, where the numbers
    // are.
    for (size_t flips = 1 + random() % 3; flips > 0; --flips) {
      size_t range =
          random() % 2 ? bad.size() : std::min<size_t>(bad.size(), 300);
      bad[bad.size() - 1 - random() % range] ^= char(1 + random() % 255);
    }
    // Deliberate damage can include a correct checksum.
    write("bad", i % 2 ? sealed(std::move(bad)) : bad);
    Result<Weights> weights = loadWeights(model.get(), path("bad"));
    if (!weights) {
      EXPECT_EQ(weights.error().message.rfind(path("bad") + ": ", 0), 0u)
          << weights.error().message;
    } else {
      EXPECT_EQ(i % 2, 1);
      // A prediction can rely on files without an error.
      ++loaded;
      const Normalization &norm = weights->normalization;
      for (double value : weights->coefficients)
        EXPECT_TRUE(std::isfinite(value));
      for (size_t g = 0; g < weights->groups.size(); ++g)
        EXPECT_GT(norm.ranges[4 * g + 1], 0);
      EXPECT_LT(norm.knots[0], norm.knots[1]);
      EXPECT_LE(norm.levels[1].size(), size_t(kLevels));
    }
    if (i % 20)
      continue;
    Outcome outcome =
        run(model, {"predict", fresh, "--weights", path("bad"), "-o", "-"});
    EXPECT_EQ(outcome.status != 0,
              outcome.err.find(": error: ") != std::string::npos)
        << outcome.err;
    EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("inf"), std::string::npos) << outcome.out;
  }
  // A changed coefficient cannot be detected without the checksum.
  EXPECT_GT(loaded, 100u);
  EXPECT_LT(loaded, 9000u);
}

TEST_F(Errors, WeightsOfAnotherModel) {
  fitGood();
  FakeModel other;
  other.name = "fake2";
  other.formula = "y ~ l(z)";
  other.hash = std::string(64, 'b');
  std::string fresh = write("n.csv", "g,x,d\n1,1,a\n");
  Outcome outcome =
      run(other, {"predict", fresh, "--weights", path("w"), "-o", path("p")});
  EXPECT_EQ(outcome.status, 1);
  for (const char *part :
       {"fake2: error: ", "'fake2' (y ~ l(z))", "'fake' (y ~ l(x) + c(d))"})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(path("p")));
  EXPECT_EQ(run(other, {"coefficients", "--weights", path("w")}).status, 1);
}

TEST_F(Errors, Outputs) {
  fitGood();
  std::string good = path("good.csv");
  expectError(run(model, {"fit", good, "-o", path("no/w")}), {"no/w"});
  expectError(run(model, {"fit", good, "-o", folder}), {folder});
  expectError(run(model, {"fit", good, "-o", "/dev/full"}),
              {"/dev/full", "o space"});
  expectError(
      run(model, {"predict", good, "--weights", path("w"), "-o", "/dev/full"}),
      {"/dev/full", "o space"});
  // A failed run leaves the file that was there.
  std::string before = contents(path("w"));
  std::string bad = write("t.csv", "g,x,d,y\n1,,a,1\n");
  expectError(run(model, {"fit", bad, "-o", path("w")}), {"t.csv"});
  EXPECT_EQ(contents(path("w")), before);
  EXPECT_EQ(files(), "good.csv t.csv w");
}

TEST_F(Errors, StatusNamesGroupAndEffect) {
  failingRows = 3;
  failure = TAMRT_ERROR_NOT_POSITIVE_DEFINITE;
  failureDetail = 3;
  const std::string text = "g,x,d,y\nb,1,a,1\nb,2,a,1\nb,3,a,1\nc,1,a,1\n"
                           "c,2,a,1\nc,3,a,1\na,1,a,1\n";
  for (const char *threads : {"1", "2", "3"}) {
    std::string train = write("t.csv", text);
    expectError(
        run(model, {"fit", train, "-o", path("w"), "--threads", threads}),
        {"t.csv: group 'b': effect 'd'", "positive definite"});
  }
  failure = TAMRT_ERROR_OVERFLOW;
  fitFails(text, {"t.csv: group 'b': effect 'd': expected finite coefficients, "
                  "got an overflow; scale the target"});
  failure = TAMRT_ERROR_OUT_OF_MEMORY;
  // Without the warnings of the steps down before it.
  ::setenv("TAMRT_LOG", "error", 1);
  fitFails(text, {"group 'b'", "3 bytes"});
  ::unsetenv("TAMRT_LOG");
  failure = TAMRT_ERROR_DEVICE;
  fitFails(text, {"group 'b'", "device", "3"});
  failure = TAMRT_ERROR_INVALID_ARGUMENT;
  fitFails(text, {"group 'b'", "internal error"});
  failure = TAMRT_OK;
}

TEST_F(Errors, NoMemoryForTheSmallestRung) {
  for (tamrt_step &step : model.steps)
    if (step.kind == TAMRT_STEP_FIT_CHUNK)
      step.arena_bytes = int64_t(1) << 62;
  fitFails("g,x,d,y\n1,1,a,1\n", {"bytes of memory", "bytes more would do"});
}

TEST_F(Errors, NextRungWhenMemoryLacks) {
  for (tamrt_step &step : model.steps)
    if (step.kind == TAMRT_STEP_FIT_CHUNK && step.rung_rows > 2)
      step.arena_bytes = int64_t(1) << 62;
  std::string text = "g,x,d,y\n";
  for (int i = 0; i < 9; ++i)
    text += "1," + std::to_string(i) + ",a,1\n";
  calls.clear();
  recording = true;
  Outcome outcome = run(model, {"fit", write("t.csv", text), "-o", path("w")});
  recording = false;
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(calls[1].rows, 2);
}

TEST_F(Errors, CommandLine) {
  expectError(run(model, {}), {"expected a command"});
  expectError(run(model, {"fi"}), {"fi"});
  expectError(run(model, {"fit"}), {"expected TRAIN.csv; "});
  expectError(run(model, {"fit", "a.csv"}), {"expected --output; "});
  expectError(run(model, {"fit", "a.csv", "-o"}),
              {"expected a value of --output"});
  expectError(run(model, {"predict", "a", "--weights", "v", "--weights", "w"}),
              {"expected --weights once"});
  expectError(run(model, {"fit", "a.csv", "-o", "w", "--threads", "0"}),
              {"--threads", "whole number", "'0'"});
  expectError(run(model, {"fit", "a.csv", "-o", "w", "--threads", "two"}),
              {"--threads", "'two'"});
  expectError(run(model, {"fit", "a.csv", "-o", "w", "--chunk-rows", "-1"}),
              {"--chunk-rows"});
  expectError(
      run(model, {"predict", "a.csv", "--weights", "w", "--type=margins"}),
      {"--type", "response, terms or design", "'margins'"});
  expectError(run(model, {"plan", "--format=xml"}),
              {"--format", "text, csv or json", "'xml'"});
  expectError(run(model, {"fit", "a.csv", "-o", "w", "--nonsense"}),
              {"unexpected argument: --nonsense"});
  expectError(run(model, {"fit", "a.csv", "b", "-o", "w", "c"}),
              {"unexpected argument: b c;"});
  // An option that may be repeated takes one value at a time.
  expectError(run(model, {"fit", "a.csv", "--missing", "NA", "b", "-o", "w"}),
              {"unexpected argument: b;"});
  expectError(
      run(model, {"fit", "a.csv", "--placement", "solve=cpu", "b", "-o", "w"}),
      {"unexpected argument: b;"});
  expectError(run(model, {"fit", "a.csv", "-o", "w", "--placement", "sums=cpu",
                          "--placement=solve=cpu,sums=device"}),
              {"one place for each step", "--placement", "two for sums"});
  expectError(run(model, {"fit", "a.csv", "-o", "w", "--solver", "cg"}),
              {"--solver: expected direct, the only solver of this model, got "
               "'cg'; a model that tamc compiles with --solver auto --min-cg 0 "
               "has both"});
}

TEST_F(Errors, AbiAndSteps) {
  char name[] = "./fake";
  char *argv[] = {name};
  auto errorOf = [&](const tamrt_model &wrong) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(tamrt_main(&wrong, 1, argv), 1);
    return testing::internal::GetCapturedStderr();
  };
  tamrt_model wrong = model.get();
  wrong.abi_version = 99;
  EXPECT_NE(errorOf(wrong).find("99"), std::string::npos);
  wrong = model.get();
  wrong.cpu_level = 99;
  EXPECT_NE(
      errorOf(wrong).find("expected a CPU of level x86-64-v99 or above, got "),
      std::string::npos);
  FakeModel lacking;
  std::erase_if(lacking.steps, [](const tamrt_step &step) {
    return step.kind == TAMRT_STEP_TERMS;
  });
  expectError(run(lacking, {"info"}), {"'terms'"});
}

TEST_F(Errors, ExportOfUnknownTerms) {
  fitGood();
  expectError(run(model, {"export", "--weights", path("w")}),
              {"expected a model that knows its terms"});
}

TEST_F(Errors, OneLineWhateverTheData) {
  fitFails("g,x,d,y\n\"a\nb\",nan,a,1\n", {"group 'a\\x0ab'"});
}

} // namespace
} // namespace tamrt::test
