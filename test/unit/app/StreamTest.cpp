//===- StreamTest.cpp - fits of files in parts ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LearnedModel.h"
#include "ModelRun.h"

#include "core/run/StreamedFit.h"
#include "kernels/cpu/CpuKernels.h"

#include <cstdio>
#include <functional>
#include <utility>

namespace tamrt::test {
namespace {

/// Rows of `groups` groups that take turns, dates in order in each group, some
/// values missing where `holes` is set.
std::string rowsInOrder(int rows, int groups, bool holes = false) {
  std::string text = "g,t,x,d,y,w\n";
  uint32_t seed = 11;
  auto next = [&] { return seed = seed * 1664525u + 1013904223u, seed >> 8; };
  for (int i = 0; i < rows; ++i) {
    const int g = int(next() % unsigned(groups));
    const double x = double(next() % 1000) / 100 - 3;
    const char *d = &"abc"[next() % 3];
    char line[160];
    std::snprintf(line, sizeof(line), "%d,%d.5,%s,%.1s,%.17g,%d\n", g, i / 3,
                  holes && next() % 20 == 0 ? "" : std::to_string(x).c_str(), d,
                  10 * g + 2 * x + double(next() % 1000) / 1e4,
                  1 + int(next() % 3));
    text += line;
  }
  return text;
}

class Stream : public RunTest {
protected:
  /// The bytes of a fit in memory.
  std::string inMemory(FakeModel &model, const std::string &train) {
    Outcome fit = run(model, {"fit", train, "-o", path("w"), "--drop-missing"});
    EXPECT_EQ(fit.status, 0) << fit.err;
    return contents(path("w"));
  }

  /// The bytes of a fit in parts, or its error.
  std::string inParts(FakeModel &model, const std::string &train,
                      unsigned threads, size_t blockBytes,
                      const StreamLimits &limits) {
    const tamrt_model &compiled = model.get();
    Result<RowReader> reader =
        RowReader::open(train, compiled, {true, threads, blockBytes});
    EXPECT_TRUE(reader.ok());
    RunOptions options;
    options.threads = threads;
    options.chunkRows = 3;
    Result<StreamedFit> fit =
        StreamedFit::survey(*reader, compiled, options, limits);
    if (!fit)
      return fit.error().message;
    EXPECT_EQ(fit->disorder(), nullptr);
    if (meanwhile)
      meanwhile();
    Result<Weights> weights = fit->fit();
    if (!weights)
      return weights.error().message;
    EXPECT_TRUE(serialize(compiled, *weights).write(path("v")).ok());
    return contents(path("v"));
  }

  /// What happens between the survey and the fit.
  std::function<void()> meanwhile;
};

TEST_F(Stream, GivesTheBytesOfAFitInMemory) {
  FakeModel fake;
  LearnedModel learned;
  for (FakeModel *model : {&fake, static_cast<FakeModel *>(&learned)})
    for (bool grouped : {true, false})
      for (bool holes : {true, false}) {
        model->group = grouped ? "g" : nullptr;
        model->date = holes ? "t" : nullptr;
        model->weights = holes ? nullptr : "w";
        std::string train = write("train.csv", rowsInOrder(500, 5, holes));
        const std::string expected = inMemory(*model, train);
        ASSERT_FALSE(expected.empty());
        for (unsigned threads : {1u, 3u})
          // Rows and groups one by one, some at once, all at once.
          for (size_t bytes : {1u, 3000u, 1u << 20}) {
            EXPECT_EQ(inParts(*model, train, threads,
                              std::min<size_t>(bytes, 500), {bytes, bytes}),
                      expected)
                << threads << " threads, " << bytes << " bytes";
          }
      }
}

TEST_F(Stream, TakesItsFlagFromTheCommandLine) {
  LearnedModel model;
  std::string train = write("train.csv", rowsInOrder(300, 4));
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  Outcome fit = run(
      model, {"fit", train, "-o", path("v"), "--stream", "--chunk-rows", "5"});
  ASSERT_EQ(fit.status, 0) << fit.err;
  EXPECT_EQ(contents(path("v")), contents(path("w")));
  // Data that grow with the rows are reported.
  EXPECT_NE(fit.err.find("fake: note: --stream keeps 2400 bytes, one input of "
                         "every row, for the quantiles of effect '"),
            std::string::npos)
      << fit.err;
  EXPECT_NE(fit.err.find("some rows, for the centres of effect '"),
            std::string::npos)
      << fit.err;
}

TEST_F(Stream, DatesOutOfOrderKeepTheRows) {
  FakeModel model;
  model.date = "t";
  std::string train =
      write("train.csv", "g,t,x,d,y\na,1,1,a,1\nb,2,2,b,2\nb,1,3,b,4\n");
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  Outcome fit = run(model, {"fit", train, "-o", path("v"), "--stream"});
  ASSERT_EQ(fit.status, 0) << fit.err;
  EXPECT_EQ(contents(path("v")), contents(path("w")));
  EXPECT_TRUE(fit.err.starts_with("fake: note: --stream keeps all rows, "))
      << fit.err;
  EXPECT_TRUE(
      fit.err.ends_with("bytes: the dates of group 'b' are not in order\n"))
      << fit.err;
}

TEST_F(Stream, NotesRepeatedReading) {
  FakeModel model;
  std::string train = write("train.csv", rowsInOrder(50, 5));
  RowReader reader = *RowReader::open(train, model.get(), {});
  Result<StreamedFit> fit =
      StreamedFit::survey(reader, model.get(), {}, {1, 1});
  ASSERT_TRUE(fit.ok());
  ASSERT_EQ(fit->notes().size(), 1u);
  EXPECT_TRUE(fit->notes()[0].starts_with(
      "reads the file at most 5 times for sums: those of all 5 groups take "))
      << fit->notes()[0];
}

TEST_F(Stream, NeedsAFileThatStaysTheSame) {
  FakeModel model;
  std::string train = path("train.csv");
  const std::string text = rowsInOrder(100, 3);
  for (const std::string &later :
       {text + "0,99,1,a,1,1\n", text.substr(0, text.size() / 2),
        text + "new,99,1,a,1,1\n", text + "0,99,1,new,1,1\n"}) {
    write("train.csv", text);
    meanwhile = [&] {
      write("train.csv", later.substr(0, later.rfind('\n') + 1));
    };
    const std::string error = inParts(model, train, 1, 1000, {});
    EXPECT_TRUE(error.starts_with(train + ": expected the ")) << error;
    EXPECT_TRUE(error.ends_with("the file has changed meanwhile")) << error;
  }
  Outcome fit = run(model, {"fit", "/dev/null", "-o", path("w"), "--stream"});
  EXPECT_EQ(fit.status, 1);
}

/// What FIT_INIT of a model does before its work: learning is over by then.
std::function<void()> whenLearnt;
tamrt_step_function fitInit = nullptr;

void initWhenLearnt(tamrt_context *ctx, void *arena, void *state, void *carry,
                    const double *parameters, const void *const *tables,
                    const double *coefficients, const void *const *columns,
                    double *output, int64_t rows, int64_t first,
                    int64_t groupRows) {
  whenLearnt();
  fitInit(ctx, arena, state, carry, parameters, tables, coefficients, columns,
          output, rows, first, groupRows);
}

TEST_F(Stream, NeedsAFileThatStaysTheSameWhileTermsLearn) {
  LearnedModel model;
  for (tamrt_step &step : model.steps)
    if (step.kind == TAMRT_STEP_FIT_INIT)
      fitInit = std::exchange(step.run, initWhenLearnt);
  const std::string train = path("train.csv");
  const std::string text = rowsInOrder(100, 3);
  // For the reading after, the file is again what it was.
  whenLearnt = [&] { write("train.csv", text); };
  std::string half = text.substr(0, text.size() / 2);
  half.resize(half.rfind('\n') + 1);
  for (const std::string &later :
       {text + "0,99,1,a,1,1\n", half, text + "new,99,1,a,1,1\n",
        text + "0,99,1,new,1,1\n"}) {
    write("train.csv", text);
    meanwhile = [&] { write("train.csv", later); };
    const std::string error = inParts(model, train, 1, 1000, {});
    // Runs without an error write valid weights.
    ASSERT_TRUE(error.starts_with(train + ": expected the "));
    EXPECT_TRUE(error.ends_with("the file has changed meanwhile")) << error;
  }
}

TEST_F(Stream, ErrorsAreThoseOfAFitInMemory) {
  FakeModel model;
  for (const char *text :
       {"g,x,d,y\na,1,a,1\na,2,b,x\n,1,a,1\n", "g,x,d,y\na,1,a,1\na,,b,2\n",
        "g,x,d,y\na,1,a,1\na,2,b\n", "g,x,d,y\na,1e308,a,1\na,-1e308,a,1\n",
        "g,x,d,y\na,1,a,1\na,1,b,1\na,1,c,1\na,1,d,1\n"}) {
    std::string train = write("train.csv", text);
    Outcome whole = run(model, {"fit", train, "-o", path("w")});
    Outcome parts = run(model, {"fit", train, "-o", path("w"), "--stream"});
    EXPECT_EQ(whole.status, 1);
    EXPECT_EQ(parts.status, 1);
    EXPECT_EQ(parts.err, whole.err);
  }
}

} // namespace
} // namespace tamrt::test
