//===- FitPredictTest.cpp - fit, weights, predict -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRun.h"
#include "support/WholeTable.h"

#include "io/Safetensors.h"

#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace tamrt::test {
namespace {

/// `rows` rows of `groups` groups in mixed order: y = 10*g + 2*x + effect of d.
std::string trainingData(int rows, int groups) {
  std::string text = "g,t,x,d,y,w\n";
  uint32_t seed = 7;
  auto next = [&] { return seed = seed * 1664525u + 1013904223u, seed >> 8; };
  for (int i = 0; i < rows; ++i) {
    int g = int(next() % unsigned(groups));
    double x = double(next() % 1000) / 100;
    const char *levels[] = {"a", "b", "c"};
    const char *d = levels[next() % 3];
    double noise = double(next() % 1000) / 1e4;
    char line[160];
    std::snprintf(
        line, sizeof(line), "%d,%d,%.17g,%s,%.17g,%d\n", g, int(next() % 50), x,
        d, 10 * g + 2 * x + (*d - 'a') * 0.5 + noise, 1 + int(next() % 3));
    text += line;
  }
  return text;
}

class FitPredict : public RunTest {
protected:
  /// Predictions of `fresh` with the weights "w" say `notes` on stderr, however
  /// the rows are read.
  void expectNotes(FakeModel &model, const std::string &fresh,
                   const std::string &notes) {
    for (const char *option : {"--threads=1", "--threads=2", "--stream"})
      EXPECT_EQ(
          run(model, {"predict", fresh, "--weights", path("w"), option}).err,
          notes)
          << option;
  }
};

TEST_F(FitPredict, PredictsWhatItLearnt) {
  FakeModel model;
  std::string train = write("train.csv", trainingData(200, 3));
  Outcome fit = run(model, {"fit", train, "-o", path("w")});
  ASSERT_EQ(fit.status, 0) << fit.err;
  EXPECT_EQ(fit.out + fit.err, "");
  Outcome predict =
      run(model, {"predict", train, "--weights", path("w"), "-o", path("p")});
  ASSERT_EQ(predict.status, 0) << predict.err;

  auto data = WholeTable::open(train);
  auto table = WholeTable::open(path("p"));
  ASSERT_TRUE(data.ok());
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->names(), (std::vector<std::string>{"g", "prediction"}));
  ASSERT_EQ(table->rowCount(), data->rowCount());
  auto y = data->numbers(*data->find("y"));
  auto p = table->numbers(1);
  for (size_t row = 0; row < table->rowCount(); ++row) {
    EXPECT_EQ(table->field(row, 0), data->field(row, 0));
    EXPECT_NEAR((*p)[row], (*y)[row], 0.15);
  }
  EXPECT_EQ(files(), "p train.csv w");
}

TEST_F(FitPredict, WeightsDoNotDependOnThreadsOrChunks) {
  FakeModel model({64, 32, 16, 8, 4, 2, 1});
  model.date = "t";
  std::string train = write("train.csv", trainingData(1000, 5));
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  const std::string weights = contents(path("w"));
  ASSERT_FALSE(weights.empty());
  for (const char *threads : {"1", "2", "5", "16"})
    for (const char *rows : {"1", "7", "64", "100000"}) {
      ASSERT_EQ(run(model, {"fit", train, "-o", path("v"), "--threads", threads,
                            "--chunk-rows", rows})
                    .status,
                0);
      EXPECT_EQ(contents(path("v")), weights) << threads << " " << rows;
    }
  FakeModel other({1});
  other.date = "t";
  ASSERT_EQ(run(other, {"fit", train, "-o", path("v")}).status, 0);
  EXPECT_EQ(contents(path("v")), weights);

  ASSERT_EQ(
      run(model, {"predict", train, "--weights", path("w"), "-o", path("p")})
          .status,
      0);
  ASSERT_EQ(run(model, {"predict", train, "--weights", path("w"), "-o",
                        path("q"), "--threads", "2", "--chunk-rows", "3"})
                .status,
            0);
  EXPECT_EQ(contents(path("p")), contents(path("q")));
}

TEST_F(FitPredict, ChunksAndPointersKeepTheContract) {
  FakeModel model;
  model.group = nullptr;
  std::string text = "x,d,y\n";
  for (int i = 0; i < 10; ++i)
    text += std::to_string(i) + ",a," + std::to_string(i) + "\n";
  std::string train = write("train.csv", text);
  auto chunks = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments = {"fit",     train,       "-o",
                                          path("w"), "--threads", "1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    calls.clear();
    recording = true;
    EXPECT_EQ(run(model, arguments).status, 0);
    recording = false;
    std::string order;
    for (const Call &call : calls) {
      EXPECT_TRUE(call.aligned);
      EXPECT_EQ(call.groupRows, 10);
      std::ostringstream text;
      text << (order.empty() ? "" : " ") << call.kind << ':' << call.rows << '@'
           << call.first;
      order += text.str();
    }
    return order;
  };
  EXPECT_EQ(chunks({}), "0:0@0 1:8@0 1:2@8 2:10@0");
  EXPECT_EQ(chunks({"--chunk-rows", "7"}), "0:0@0 1:7@0 1:3@7 2:10@0");
  EXPECT_EQ(chunks({"--chunk-rows", "4"}), "0:0@0 1:4@0 1:4@4 1:2@8 2:10@0");
}

TEST_F(FitPredict, TermsSumToThePrediction) {
  FakeModel model;
  std::string train = write("train.csv", trainingData(60, 2));
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  Outcome response = run(model, {"predict", train, "--weights", path("w")});
  Outcome terms = run(model, {"decompose", train, "--weights", path("w")});
  Outcome again =
      run(model, {"predict", train, "--weights", path("w"), "--type=terms"});
  ASSERT_EQ(terms.status, 0) << terms.err;
  EXPECT_EQ(terms.out, again.out);
  auto p = WholeTable::open(write("p", response.out));
  auto q = WholeTable::open(write("q", terms.out));
  ASSERT_TRUE(p.ok() && q.ok());
  EXPECT_EQ(q->names(), (std::vector<std::string>{"g", "offset", "x", "d"}));
  for (size_t row = 0; row < p->rowCount(); ++row)
    EXPECT_DOUBLE_EQ((*p->numbers(1))[row], (*q->numbers(1))[row] +
                                                (*q->numbers(2))[row] +
                                                (*q->numbers(3))[row]);
}

TEST_F(FitPredict, DesignAndCoefficientsShareAnOrder) {
  FakeModel model;
  std::string train = write("train.csv", trainingData(60, 2));
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  Outcome response = run(model, {"predict", train, "--weights", path("w")});
  Outcome design =
      run(model, {"predict", train, "--weights", path("w"), "--type=design"});
  Outcome coefficients = run(model, {"coefficients", "--weights", path("w")});
  ASSERT_EQ(coefficients.status, 0) << coefficients.err;
  auto p = WholeTable::open(write("p", response.out));
  auto q = WholeTable::open(write("q", design.out));
  auto c = WholeTable::open(write("c", coefficients.out));
  ASSERT_TRUE(p.ok() && q.ok() && c.ok());
  EXPECT_EQ(q->names(), (std::vector<std::string>{"g", "offset[0]", "x[0]",
                                                  "d[0]", "d[1]", "d[2]"}));
  EXPECT_EQ(c->names(),
            (std::vector<std::string>{"group", "effect", "index", "value"}));
  ASSERT_EQ(c->rowCount(), size_t(2 * kColumns));
  EXPECT_EQ(c->field(4, 1), "d");
  EXPECT_EQ(c->field(4, 2), "2");
  auto beta = c->numbers(3);
  for (size_t row = 0; row < p->rowCount(); ++row) {
    size_t group = q->field(row, 0) == "0" ? 0 : 1;
    double sum = 0;
    for (size_t i = 0; i < size_t(kColumns); ++i)
      sum += (*q->numbers(i + 1))[row] * (*beta)[group * kColumns + i];
    EXPECT_NEAR((*p->numbers(1))[row], sum, 1e-12);
  }
  FakeModel alone;
  alone.group = nullptr;
  ASSERT_EQ(run(alone, {"fit", train, "-o", path("w")}).status, 0);
  EXPECT_EQ(
      run(alone, {"coefficients", "--weights", path("w")}).out.substr(0, 19),
      "effect,index,value\n");
}

TEST_F(FitPredict, SubsetOfGroupsInAnyOrder) {
  FakeModel model;
  std::string train =
      write("t", "g,x,d,y\nb,1,a,1\nb,2,a,2\na,1,a,5\na,3,a,7\n");
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  Outcome all = run(model, {"predict", train, "--weights", path("w")});
  std::string only = write("n", "g,x,d\na,1,a\n");
  Outcome part = run(model, {"predict", only, "--weights", path("w")});
  ASSERT_EQ(part.status, 0) << part.err;
  // The third data row of the whole.
  size_t line = 0;
  for (int i = 0; i < 3; ++i)
    line = all.out.find('\n', line) + 1;
  EXPECT_EQ(part.out,
            "g,prediction\n" +
                all.out.substr(line, all.out.find('\n', line) + 1 - line));
}

TEST_F(FitPredict, OneRowPerGroupAndConstantColumn) {
  FakeModel model;
  std::string train = write("t", "g,x,d,y\n1,5,a,3\n2,5,a,4\n");
  Outcome fit = run(model, {"fit", train, "-o", path("w")});
  ASSERT_EQ(fit.status, 0) << fit.err;
  auto weights = SafetensorsFile::open(path("w"));
  ASSERT_TRUE(weights.ok());
  const int64_t shape[] = {2, 2, 2};
  auto ranges = weights->values<double>("ranges", shape);
  ASSERT_TRUE(ranges.ok()) << ranges.error().message;
  EXPECT_EQ((*ranges)[0], 5);
  EXPECT_EQ((*ranges)[1], 0.5);
  const int64_t knots[] = {2, 2};
  EXPECT_EQ(*weights->values<double>("knots", knots),
            (std::vector<double>{-1e-3, 1e-3, 0, 0}));
  Outcome predict = run(model, {"predict", train, "--weights", path("w")});
  ASSERT_EQ(predict.status, 0);
  auto p = WholeTable::open(write("p", predict.out));
  EXPECT_NEAR((*p->numbers(1))[0], 3, 1e-4);
  EXPECT_NEAR((*p->numbers(1))[1], 4, 1e-4);
}

TEST_F(FitPredict, RowWeightsAreRepeatedRows) {
  FakeModel weighted, plain;
  weighted.weights = "w";
  std::string once = write("a", "g,x,d,y,w\n1,0,a,1,2\n1,1,a,2,1\n1,2,b,7,3\n");
  std::string repeated = write("b", "g,x,d,y\n1,0,a,1\n1,0,a,1\n1,1,a,2\n"
                                    "1,2,b,7\n1,2,b,7\n1,2,b,7\n");
  ASSERT_EQ(run(weighted, {"fit", once, "-o", path("v")}).status, 0);
  ASSERT_EQ(run(plain, {"fit", repeated, "-o", path("w")}).status, 0);
  auto v = SafetensorsFile::open(path("v"));
  auto w = SafetensorsFile::open(path("w"));
  const int64_t shape[] = {1, kColumns};
  auto a = v->values<double>("coefficients", shape);
  auto b = w->values<double>("coefficients", shape);
  for (size_t i = 0; i < size_t(kColumns); ++i)
    // The ridge grows with the rows, so they agree but for it.
    EXPECT_NEAR((*a)[i], (*b)[i], 1e-4);
}

TEST_F(FitPredict, UnseenLevels) {
  std::string train =
      write("t", "g,x,d,y\n1,0,1,1\n1,1,2,2\n1,2,5,9\n1,3,1,4\n");
  std::string fresh = write("n", "g,x,d\n1,0,4\n1,0,5.0\n1,0,zebra\n1,0,2\n"
                                 "1,0,3.5\n1,0,-7\n");
  auto designs = [&](tamrt_unseen unseen) {
    FakeModel model;
    model.unseen = unseen;
    EXPECT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
    Outcome design =
        run(model, {"predict", fresh, "--weights", path("w"), "--type=design"});
    EXPECT_EQ(design.status, 0) << design.err;
    auto table = WholeTable::open(write("p", design.out));
    std::string all;
    for (size_t row = 0; row < table->rowCount(); ++row) {
      all += row ? " " : "";
      for (size_t i = 3; i < 6; ++i) {
        std::string_view cell = table->field(row, i);
        all += cell == "0" || cell == "1" ? cell : "m";
      }
    }
    return all;
  };
  EXPECT_EQ(designs(TAMRT_UNSEEN_EDGE), "001 001 001 010 010 100");
  EXPECT_EQ(designs(TAMRT_UNSEEN_MEAN), "mmm 001 mmm 010 mmm mmm");
  EXPECT_EQ(designs(TAMRT_UNSEEN_ZERO), "000 001 000 010 000 000");
  // Room for three levels, two of them trained: a mean is over the two.
  train = write("t", "g,x,d,y\n1,0,1,1\n1,1,5,2\n");
  EXPECT_EQ(designs(TAMRT_UNSEEN_MEAN), "mm0 010 mm0 mm0 mm0 mm0");
}

TEST_F(FitPredict, KeysAreEchoedAsRead) {
  FakeModel model;
  model.date = "t";
  std::string train =
      write("t", "t,g,x,d,y\n2020-01-02 ,\"a,b\",1,a,1\n2020-01-01,\"a,b\",2,"
                 "b,2\n");
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  Outcome predict = run(model, {"predict", train, "--weights", path("w")});
  ASSERT_EQ(predict.status, 0) << predict.err;
  EXPECT_EQ(predict.out.substr(0, 35),
            "g,t,prediction\n\"a,b\",\"2020-01-02 \",");
}

TEST_F(FitPredict, ColumnsDoNotTakeAKeysName) {
  FakeModel model;
  model.group = "x";
  model.date = "prediction";
  std::string train =
      write("t", "x,prediction,d,y\n1,1,a,1\n1,2,b,2\n2,3,b,2\n");
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  auto head = [&](const char *type) {
    Outcome outcome =
        run(model, {"predict", train, "--weights", path("w"), "--type", type});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out.substr(0, outcome.out.find('\n'));
  };
  EXPECT_EQ(head("response"), "x,prediction,prediction_2");
  EXPECT_EQ(head("terms"), "x,prediction,offset,x_2,d");
}

TEST_F(FitPredict, DropMissing) {
  FakeModel model;
  std::string clean = write("c", "g,x,d,y\n1,0,a,1\n1,2,b,7\n1,5,b,8\n");
  std::string gaps = write("t", "g,x,d,y\n1,0,a,1\n1,,a,2\n1,2,b,7\n1,2,,7\n"
                                ",1,a,1\n1,5,b,8\n1,null,,inf\n");
  ASSERT_EQ(run(model, {"fit", clean, "-o", path("w")}).status, 0);
  for (const char *stream : {"", "--stream"}) {
    std::vector<std::string> more = {"--drop-missing"};
    if (*stream)
      more.push_back(stream);
    auto with = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), more.begin(), more.end());
      return run(model, std::move(arguments));
    };
    Outcome fit = with({"fit", gaps, "-o", path("v")});
    ASSERT_EQ(fit.status, 0) << fit.err;
    EXPECT_EQ(fit.err,
              "fake: note: dropped 4 of 7 rows: missing values in 'g' (1), 'x' "
              "(2), 'd' (2) and 'y' (1)\n");
    EXPECT_EQ(contents(path("w")), contents(path("v")));
    // The target is not read when predicting.
    Outcome predict = with({"predict", gaps, "--weights", path("w")});
    ASSERT_EQ(predict.status, 0) << predict.err;
    EXPECT_EQ(predict.err,
              "fake: note: dropped 4 of 7 rows: missing values in 'g' (1), 'x' "
              "(2) and 'd' (2)\n");
    EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 4);
  }
}

TEST_F(FitPredict, StreamPredictsTheSameBytes) {
  FakeModel model;
  model.date = "t";
  // Some parts of it.
  std::string train = write("train.csv", trainingData(400000, 5));
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  for (const char *type : {"response", "terms", "design"}) {
    std::vector<std::string> arguments = {"predict", train,    "--weights",
                                          path("w"), "--type", type,
                                          "-o",      path("p")};
    ASSERT_EQ(run(model, arguments).status, 0);
    arguments.back() = path("q");
    arguments.insert(arguments.end(), {"--stream", "--threads", "3"});
    ASSERT_EQ(run(model, arguments).status, 0);
    EXPECT_EQ(contents(path("p")), contents(path("q"))) << type;
  }
  // A fault in its last row leaves no table.
  std::ofstream(train, std::ios::app) << "7,1,1,a,1,1\n";
  std::filesystem::remove(path("p"));
  Outcome outcome = run(model, {"predict", train, "--weights", path("w"), "-o",
                                path("p"), "--stream"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("train.csv: line 400002: column 'g': expected a "
                             "group that was trained, '0', '1', '2', '3', '4', "
                             "got '7'"),
            std::string::npos)
      << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(path("p")));
}

TEST_F(FitPredict, MarkersAndSpellingsAreTheSameWithAStream) {
  FakeModel model;
  // Group and levels turn out to be numbers, with the last row.
  std::string train = write("t", "g,x,d,y\n1,0,1,1\n1.0,2,2,7\nNA,5,9,8\n"
                                 "2,1,None,3\n01,3,1.0,2\n2,4,2,5\n");
  Outcome refused = run(model, {"fit", train, "-o", path("w"), "--stream"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("line 4: column 'g': expected a group, got a "
                             "missing value"),
            std::string::npos)
      << refused.err;
  Outcome fit = run(model, {"fit", train, "-o", path("w"), "--drop-missing"});
  ASSERT_EQ(fit.status, 0) << fit.err;
  EXPECT_EQ(fit.err, "fake: note: dropped 2 of 6 rows: missing values in 'g' "
                     "(1) and 'd' (1)\n");
  Outcome streamed =
      run(model, {"fit", train, "-o", path("v"), "--drop-missing", "--stream"});
  ASSERT_EQ(streamed.status, 0) << streamed.err;
  EXPECT_EQ(streamed.err, fit.err);
  EXPECT_EQ(contents(path("v")), contents(path("w")));
  // Keys are echoed as they are.
  Outcome predict = run(model, {"predict", write("n", "g,x,d\n1.00,1,2.0\n"),
                                "--weights", path("w")});
  ASSERT_EQ(predict.status, 0) << predict.err;
  EXPECT_EQ(predict.out.substr(0, 18), "g,prediction\n1.00,");
}

TEST_F(FitPredict, NotesTellOfCodesOfFourierSeries) {
  FakeModel model;
  model.x.rule = TAMRT_RULE_CODES;
  model.x.levels = 3;
  model.x.unseen = TAMRT_UNSEEN_SERIES;
  Outcome fit =
      run(model, {"fit", write("t", "g,x,d,y\n1,0,a,1\n1,1,b,2\n1,3,a,3\n"),
                  "-o", path("w")});
  EXPECT_EQ(fit.status, 0);
  EXPECT_EQ(fit.err, "fake: note: column 'x': 1 of 3 rows have a code beyond "
                     "n_cat=3 where the Fourier series goes on\n");
}

TEST_F(FitPredict, GroupsThatDoublesCannotTellApart) {
  FakeModel model;
  std::string train = "g,x,d,y\n";
  for (int i = 0; i < 40; ++i)
    train += "54144886000000001" + std::to_string(1 + i % 4) + "," +
             std::to_string(i % 7) + ",a," + std::to_string(100 * (i % 4)) +
             "\n";
  train = write("t", train);
  Outcome fit = run(model, {"fit", train, "-o", path("w")});
  ASSERT_EQ(fit.status, 0) << fit.err;
  Outcome streamed = run(model, {"fit", train, "-o", path("v"), "--stream"});
  ASSERT_EQ(streamed.status, 0) << streamed.err;
  EXPECT_EQ(contents(path("v")), contents(path("w")));
  Outcome table = run(model, {"coefficients", "--weights", path("w")});
  for (const char *id : {"541448860000000011,offset", "541448860000000014,off"})
    EXPECT_NE(table.out.find(id), std::string::npos) << table.out;
  auto predicted = [&](const std::string &group) {
    return run(model, {"predict", write("n", "g,x,d\n" + group + ",1,a\n"),
                       "--weights", path("w")});
  };
  for (int i = 0; i < 4; ++i) {
    const std::string group = "54144886000000001" + std::to_string(1 + i);
    Outcome got = predicted(group);
    ASSERT_EQ(got.status, 0) << got.err;
    const size_t value = got.out.find(group + ",") + group.size() + 1;
    EXPECT_NEAR(std::stod(got.out.substr(value)), 100 * i, 1) << got.out;
  }
  Outcome unknown = predicted("541448860000000015");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.err.find("expected a group that was trained"),
            std::string::npos)
      << unknown.err;
}

TEST_F(FitPredict, NotesTellOfRowsOnce) {
  FakeModel model;
  model.date = "t";
  model.x.rule = TAMRT_RULE_CODES;
  model.x.levels = 3;
  std::string train = write("t", "g,t,x,d,y\n1,1,0,a,1\n1,2,1,b,2\n1,2,2,a,3\n"
                                 "2,2,0,a,3\n2,2,9,a,1\n2,2,5,b,1\n");
  const std::string notes =
      "fake: note: column 'x': 2 of 6 rows have a code beyond n_cat=3 and "
      "count as the first or last level\n"
      "fake: note: 3 of 6 rows have the date of a row before them in their "
      "group and follow it as in the file; where local times repeat, at the "
      "end of summer time, an offset such as +01:00 tells them apart\n";
  for (const char *stream : {"--threads=1", "--stream"}) {
    Outcome fit = run(model, {"fit", train, "-o", path("w"), stream});
    EXPECT_EQ(fit.status, 0);
    EXPECT_EQ(fit.err, notes) << stream;
  }
  FakeModel plain;
  ASSERT_EQ(run(plain, {"fit", train, "-o", path("w")}).status, 0);
  std::string fresh = write("n", "g,x,d\n1,-1,a\n1,2,c\n2,5,b\n1,3,d\n");
  expectNotes(plain, fresh,
              "fake: note: column 'x': 2 of 4 rows are beyond the training "
              "range\n"
              "fake: note: column 'd': 2 of 4 rows have a level that training "
              "did not have and count as the nearest level\n");
}

TEST_F(FitPredict, NotesTellOfRowsOfAllParts) {
  FakeModel model;
  ASSERT_EQ(run(model, {"fit", write("t", "g,x,d,y\n1,0,a,1\n1,1,b,2\n"), "-o",
                        path("w")})
                .status,
            0);
  // More than two parts of `predict --stream`.
  constexpr int64_t rows = 1 << 20;
  std::string fresh = "g,x,d\n";
  for (int64_t i = 0; i < rows; ++i)
    fresh += i == 0 || i == rows - 1 ? "1,9,c\n" : "1,0,a\n";
  fresh = write("n", fresh);
  expectNotes(model, fresh,
              "fake: note: column 'x': 2 of 1048576 rows are beyond the "
              "training range\n"
              "fake: note: column 'd': 2 of 1048576 rows have a level that "
              "training did not have and count as the nearest level\n");
}

TEST_F(FitPredict, OtherFormats) {
  FakeModel model;
  std::string comma =
      write("c", "g,x,d,y\n1,0.5,a,1\n1,1.5,b,7\n1,,b,7\n2,5,b,8\n");
  std::string other =
      write("o", "g;x;d;y\n1;0,5;a;1\n1;1,5;b;7\n1;-999;b;7\n2;5;b;8\n");
  ASSERT_EQ(
      run(model, {"fit", comma, "-o", path("w"), "--drop-missing"}).status, 0);
  Outcome fit = run(model, {"fit", other, "-o", path("v"), "--drop-missing",
                            "--sep=;", "--decimal=,", "--missing", "-999"});
  ASSERT_EQ(fit.status, 0) << fit.err;
  EXPECT_EQ(contents(path("v")), contents(path("w")));
  auto predict = [&](const std::string &file, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"predict", file, "--weights", path("w"), "--drop-missing"});
    return run(model, more).out;
  };
  EXPECT_EQ(predict(other, {"--sep", ";", "--decimal", ",", "--missing=-999"}),
            predict(comma, {}));
  Outcome hint = run(model, {"fit", other, "-o", path("v")});
  EXPECT_EQ(hint.status, 1);
  EXPECT_NE(hint.err.find("--sep ';' reads a file with"), std::string::npos)
      << hint.err;
  for (const char *bad : {"--sep=ab", "--sep=x", "--decimal=;"})
    EXPECT_EQ(run(model, {"fit", other, "-o", path("v"), bad}).status, 1);
}

TEST_F(FitPredict, WeightsFromStandardInput) {
  FakeModel model;
  std::string train = write("t", "g,x,d,y\n1,0,a,1\n1,2,b,7\n");
  ASSERT_EQ(run(model, {"fit", train, "-o", path("w")}).status, 0);
  Outcome file = run(model, {"predict", train, "--weights", path("w")});
  const int before = ::dup(STDIN_FILENO);
  const int weights = ::open(path("w").c_str(), O_RDONLY);
  ::dup2(weights, STDIN_FILENO);
  Outcome input = run(model, {"predict", train, "--weights", "-"});
  ::dup2(before, STDIN_FILENO);
  ::close(weights);
  ::close(before);
  EXPECT_EQ(input.status, 0) << input.err;
  EXPECT_EQ(input.out, file.out);
  Outcome both = run(model, {"predict", "-", "--weights", "-"});
  EXPECT_EQ(both.status, 1);
  EXPECT_EQ(both.err,
            "fake: error: expected the data or the weights from standard "
            "input, got both; give one of them as a file\n");
}

TEST_F(FitPredict, DateTiesKeepTheFilesOrder) {
  // Rounding differs with the order of a sum: equal bytes mean equal order.
  FakeModel model;
  model.date = "t";
  std::string tied = write("a", "g,t,x,d,y\n1,2,1,a,0.1\n1,1,2,a,0.2\n"
                                "1,2,3,a,0.3\n1,1,4,b,0.7\n");
  std::string sorted = write("b", "g,t,x,d,y\n1,1,2,a,0.2\n1,1,4,b,0.7\n"
                                  "1,2,1,a,0.1\n1,2,3,a,0.3\n");
  ASSERT_EQ(run(model, {"fit", tied, "-o", path("v")}).status, 0);
  ASSERT_EQ(run(model, {"fit", sorted, "-o", path("w")}).status, 0);
  EXPECT_EQ(contents(path("v")), contents(path("w")));
}

TEST_F(FitPredict, Timings) {
  FakeModel model;
  std::string train = write("t", "g,x,d,y\n1,0,a,1\n1,2,b,7\n");
  Outcome table = run(model, {"fit", train, "-o", path("w"), "--timings"});
  ASSERT_EQ(table.status, 0) << table.err;
  for (const char *phase : {"read ", "fit ", "write ", "total "})
    EXPECT_NE(table.err.find(phase), std::string::npos);
  Outcome line = run(model, {"fit", train, "-o", path("w"), "--timings=json"});
  ASSERT_EQ(line.status, 0) << line.err;
  double read, fit, written, total;
  ASSERT_EQ(
      std::sscanf(line.err.c_str(),
                  "{\"read\":%lf,\"fit\":%lf,\"write\":%lf,\"total\":%lf}",
                  &read, &fit, &written, &total),
      4)
      << line.err;
  EXPECT_NEAR(read + fit + written, total, 1e-5);
  EXPECT_EQ(line.err.back(), '\n');
  EXPECT_EQ(run(model, {"fit", train, "-o", path("w"), "--timings=xml"}).status,
            1);
}

} // namespace
} // namespace tamrt::test
