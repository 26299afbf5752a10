//===- LearnedTest.cpp - models with tables and a carry -------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LearnedModel.h"
#include "ModelRun.h"
#include "support/WholeTable.h"

#include "core/learn/Learn.h"
#include "core/model/Weights.h"
#include "io/Safetensors.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <random>

namespace tamrt::test {
namespace {

class Learned : public RunTest {
protected:
  void SetUp() override {
    RunTest::SetUp();
    model.date = "t";
    std::string text = "g,t,x,d,y\n";
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
      char line[96];
      std::snprintf(line, sizeof(line), "%d,%d,%.17g,%c,%.17g\n",
                    int(random() % 3), int(random() % 90),
                    double(random() % 1000) / 7 + i * 1e-4,
                    char('a' + random() % 3), double(random() % 1000) / 9);
      text += line;
    }
    train = write("train.csv", text);
  }

  Outcome fit(const std::string &name, std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"fit", train, "-o", path(name)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(model, arguments);
  }

  /// The doubles of a tensor of the weights.
  std::vector<double> tensor(const std::string &name,
                             std::vector<int64_t> shape) {
    auto file = SafetensorsFile::open(path("w"));
    EXPECT_TRUE(file.ok());
    auto values = file->values<double>(name, shape);
    EXPECT_TRUE(values.ok()) << values.error().message;
    return *values;
  }

  LearnedModel model;
  std::string train;
};

TEST_F(Learned, NothingDependsOnThreadsOrChunks) {
  ASSERT_EQ(fit("w").status, 0);
  const std::string weights = contents(path("w"));
  auto predictions = [&](std::vector<std::string> options) {
    std::string all;
    for (const char *type : {"response", "terms", "design"}) {
      std::vector<std::string> arguments = {"predict", train,    "--weights",
                                            path("w"), "--type", type};
      arguments.insert(arguments.end(), options.begin(), options.end());
      Outcome outcome = run(model, arguments);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      all += outcome.out;
    }
    return all;
  };
  const std::string predicted = predictions({});
  for (const char *threads : {"1", "2"})
    for (const char *rows : {"1", "7", "100000"}) {
      const std::vector<std::string> options = {"--threads", threads,
                                                "--chunk-rows", rows};
      Outcome outcome = fit("v", options);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(contents(path("v")), weights) << threads << " " << rows;
      EXPECT_EQ(predictions(options), predicted) << threads << " " << rows;
    }
}

TEST_F(Learned, TablesAreInTheWeightsAndInTheDesign) {
  ASSERT_EQ(fit("w").status, 0);
  EXPECT_EQ(tensor("tables.x.range", {2}), (std::vector<double>{-1, 1}));
  EXPECT_EQ(tensor("tables.x.W1", {1, 2}).size(), 2u);
  EXPECT_GT(tensor("tables.x.gamma", {1})[0], 0);
  auto weights = tensor("tables.x.1.leaf_weights", {2, 2});
  for (double weight : weights)
    EXPECT_GT(weight, 0);
  // The first row in time of a group has nothing before it.
  Outcome design =
      run(model, {"predict", train, "--weights", path("w"), "--type=design"});
  ASSERT_EQ(design.status, 0);
  auto table = WholeTable::open(write("p", design.out));
  auto v = table->numbers(*table->find("x[0]"));
  auto difference = table->numbers(*table->find("x[4]"));
  size_t same = 0;
  for (size_t row = 0; row < table->rowCount(); ++row)
    same += (*v)[row] == (*difference)[row];
  EXPECT_EQ(same, 3u);
}

TEST_F(Learned, StepsGetAlignedMemory) {
  model.group = nullptr;
  calls.clear();
  recording = true;
  EXPECT_EQ(fit("w", {"--threads", "1", "--chunk-rows", "7"}).status, 0);
  EXPECT_EQ(run(model, {"predict", train, "--weights", path("w"), "-o",
                        path("p"), "--threads", "1"})
                .status,
            0);
  recording = false;
  EXPECT_GT(calls.size(), 200 / 7u);
  for (const Call &call : calls) {
    EXPECT_TRUE(call.aligned);
    EXPECT_EQ(call.groupRows, 200);
  }
}

TEST_F(Learned, GivenTablesAreCopied) {
  ASSERT_EQ(fit("w").status, 0);
  auto bias = tensor("tables.x.b1", {2});
  const double state[] = {0.25, -3};
  model.tables[1].given = state;
  ASSERT_EQ(fit("w").status, 0);
  EXPECT_EQ(tensor("tables.x.W1", {1, 2}), (std::vector<double>{0.25, -3}));
  // Tables drawn after given ones are the same as if those had been drawn.
  EXPECT_EQ(tensor("tables.x.b1", {2}), bias);
  // Other weights than the spec's are not of this model.
  const double other[] = {0.25, -4};
  model.tables[1].given = other;
  Outcome outcome = run(model, {"predict", train, "--weights", path("w")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "fake: error: " + path("w") +
                             ": tensor 'tables.x.W1': expected the numbers "
                             "that the spec gives as state, got others\n");
}

TEST_F(Learned, AColumnIsKeptForQuantilesAlone) {
  constexpr size_t kMany = 1'000'000;
  EXPECT_GT(learningBytes(model.get(), kMany), kMany * sizeof(double));
  // Features are still to be drawn.
  const double thresholds[] = {-0.5, 0.5, -0.25, 0.25};
  model.tables[9].given = thresholds;
  EXPECT_EQ(learningBytes(model.get(), kMany),
            learningBytes(model.get(), kMaxRowsKept));
  ASSERT_EQ(fit("w").status, 0);
  EXPECT_EQ(tensor("tables.x.2.thresholds", {2, 2}),
            std::vector<double>(thresholds, thresholds + 4));
}

TEST_F(Learned, GivenTablesAreChecked) {
  const int32_t features[] = {0, 1};
  model.tables[8].given = features;
  Outcome outcome = fit("w");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "fake: error: " + train +
                ": effect 'x': table 'x.2.features': expected features from 0 "
                "to 0, got 1 at index 1\n");
  EXPECT_EQ(files(), "train.csv");
}

// The row is decomposed with the rows before it, on which it depends: its own
// x is finite.
TEST_F(Learned, PredictionThatIsNotFinite) {
  model.group = nullptr;
  train = write("train.csv", "t,x,d,y\n1,0,a,1\n2,1,b,2\n3,0.5,c,4\n");
  ASSERT_EQ(fit("w").status, 0);
  std::string fresh = write("n.csv", "t,x,d\n9,0,a\n8,1.7e308,a\n7,0,a\n");
  Outcome outcome = run(model, {"predict", fresh, "--weights", path("w")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err.rfind(
                "fake: error: " + fresh +
                    ": line 2: term many(x): expected a finite number, got ",
                0),
            0u)
      << outcome.err;
}

/// Weights with one tensor changed.
class CorruptTables : public Learned {
protected:
  void SetUp() override {
    Learned::SetUp();
    ASSERT_EQ(fit("w").status, 0);
  }

  /// The error of weights whose tensor `name` has `values` of `shape`, or is
  /// not there when there are none.
  template <class T>
  std::string error(const std::string &name, std::vector<int64_t> shape,
                    std::vector<T> values) {
    auto file = SafetensorsFile::open(path("w"));
    SafetensorsWriter writer;
    for (const auto &[key, value] : file->metadata())
      writer.metadata(key, value);
    for (const auto &[key, tensor] : file->tensors()) {
      if (key == name)
        continue;
      if (tensor.type == TensorType::I32)
        writer.add<int32_t>(key, tensor.shape,
                            *file->values<int32_t>(key, tensor.shape));
      else
        writer.add<double>(key, tensor.shape,
                           *file->values<double>(key, tensor.shape));
    }
    if (!values.empty())
      writer.add<T>(name, shape, values);
    EXPECT_TRUE(writer.write(path("bad")).ok());
    Result<Weights> weights = loadWeights(model.get(), path("bad"));
    const std::string start = path("bad") + ": ";
    if (weights.ok())
      return "";
    EXPECT_EQ(weights.error().message.rfind(start, 0), 0u);
    return weights.error().message.substr(start.size());
  }
};

TEST_F(CorruptTables, AreErrorsByName) {
  using D = std::vector<double>;
  using I = std::vector<int32_t>;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_NE(error("tables.x.range", {2}, D{}).find("'tables.x.range'"),
            std::string::npos);
  EXPECT_NE(error("tables.x.range", {1, 2}, D{0, 1}).find("'tables.x.range'"),
            std::string::npos);
  EXPECT_NE(error("tables.x.range", {2}, I{0, 1}).find("F64"),
            std::string::npos);
  EXPECT_EQ(error("tables.x.range", {2}, D{0.5, 0.25}),
            "tensor 'tables.x.range': expected a range lo to hi, got 0.5 to "
            "0.25");
  EXPECT_EQ(error("tables.x.range", {2}, D{0.5, 0.5}), "");
  EXPECT_EQ(error("tables.x.b1", {2}, D{0, inf}),
            "tensor 'tables.x.b1': expected finite numbers, got inf at index "
            "1");
  EXPECT_EQ(error("tables.x.gamma", {1}, D{0}),
            "tensor 'tables.x.gamma': expected a number above 0, got 0 at "
            "index 0");
  EXPECT_EQ(error("tables.x.1.features", {2, 1}, I{0, -1}),
            "tensor 'tables.x.1.features': expected features from 0 to 0, got "
            "-1 at index 1");
  EXPECT_EQ(error("tables.x.1.leaf_weights", {2, 2}, D{1, 1, -1, 1}),
            "tensor 'tables.x.1.leaf_weights': expected weights that are not "
            "negative, got -1 at index 2");
  EXPECT_EQ(error("tables.x.2.thresholds", {2, 2}, D{0, 0, 1, 0.5}),
            "tensor 'tables.x.2.thresholds': expected thresholds of a tree "
            "that ascend, got 0.5 after 1 at index 3");
  // One tree need not begin where another ends.
  EXPECT_EQ(error("tables.x.2.thresholds", {2, 2}, D{0, 1, 0, 0.5}), "");
  EXPECT_EQ(error("tables.x.1.thresholds", {2, 1}, D{1, 0}), "");
}

TEST_F(CorruptTables, NeverCrash) {
  const std::string whole = contents(path("w"));
  std::minstd_rand random(2);
  size_t loaded = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string bad = whole;
    for (size_t flips = 1 + random() % 3; flips > 0; --flips)
      bad[bad.size() - 1 - random() % 400] ^= char(1 + random() % 255);
    write("bad", sealed(std::move(bad)));
    Result<Weights> weights = loadWeights(model.get(), path("bad"));
    if (!weights) {
      EXPECT_NE(weights.error().message.find("tensor '"), std::string::npos)
          << weights.error().message;
      continue;
    }
    ++loaded;
    for (size_t table : {5, 8})
      for (int32_t feature : weights->tables.integers(table))
        EXPECT_EQ(feature, 0);
    EXPECT_GT(weights->tables.numbers(4)[0], 0);
    if (i % 20)
      continue;
    Outcome outcome =
        run(model, {"predict", train, "--weights", path("bad"), "-o", "-"});
    EXPECT_EQ(outcome.status != 0,
              outcome.err.find(": error: ") != std::string::npos)
        << outcome.err;
  }
  EXPECT_GT(loaded, 100u);
  EXPECT_LT(loaded, 3900u);
}

TEST_F(Learned, InfoTellsTablesAndCarry) {
  Outcome text = run(model, {"info"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("  x.1.features       I32  [2,1]   fit      8\n"),
            std::string::npos)
      << text.out;
  const double state[] = {0.25, -3};
  model.tables[1].given = state;
  auto info = nlohmann::json::parse(run(model, {"info", "--format=json"}).out);
  ASSERT_EQ(info["tables"].size(), 10u);
  EXPECT_EQ(info["tables"][1], nlohmann::json::parse(R"({"table": "x.W1",
    "type": "F64", "shape": [1, 2], "from": "spec", "bytes": 16})"));
  EXPECT_EQ(info["tables"][2]["from"], "fit");
  auto &rung = info["rungs"][0];
  EXPECT_EQ(rung["carry"], 64);
  EXPECT_EQ(rung["total"], rung["arena"].get<int>() + rung["state"].get<int>() +
                               64 + rung["output"].get<int>() +
                               rung["parameters"].get<int>());
  // Ten tables of one unit of alignment each, three times; distances, their
  // rows' points and which rows, in units, at any address.
  FakeModel plain;
  auto without =
      nlohmann::json::parse(run(plain, {"info", "--format=json"}).out);
  EXPECT_EQ(info["fit"]["constant"].get<int64_t>() -
                without["fit"]["constant"].get<int64_t>(),
            3 * 10 * 64 + (8 * (1000 * 999 / 2) + 32) + 2 * 8 * 1000 + 63);
  EXPECT_TRUE(without["tables"].empty());
}

TEST_F(Learned, LearnersThatDoNotFitAreRefused) {
  auto error = [](auto change) {
    LearnedModel wrong;
    change(wrong);
    Outcome outcome = run(wrong, {"info"});
    EXPECT_EQ(outcome.status, 1);
    return outcome.err;
  };
  EXPECT_EQ(error([](LearnedModel &m) { m.tables[1].shape[1] = 3; }),
            "fake: error: internal error: learner 1: expected table 'W1' F64 "
            "[1, 2], got 'x.W1' F64 [1, 3]\n");
  EXPECT_EQ(error([](LearnedModel &m) { m.tables[5].is_integer = 0; }),
            "fake: error: internal error: learner 3: expected table "
            "'features' I32 [2, 1], got 'x.1.features' F64 [2, 1]\n");
  EXPECT_EQ(error([](LearnedModel &m) { m.learners[4].table_count = 3; }),
            "fake: error: internal error: learner 4: expected tables 8 to 9, "
            "got 8 to 10\n");
  EXPECT_EQ(error([](LearnedModel &m) { m.learners.pop_back(); }),
            "fake: error: internal error: expected 8 tables, got 10\n");
  for (auto change : {+[](tamrt_learner &l) { l.kind = 5; },
                      +[](tamrt_learner &l) { l.choice = 2; },
                      +[](tamrt_learner &l) { l.sizes[0] = 0; },
                      +[](tamrt_learner &l) { l.effect = 2; },
                      +[](tamrt_learner &l) { l.input_count = 0; },
                      +[](tamrt_learner &l) {
                        static const int32_t levels = 1;
                        l.inputs = &levels;
                      }})
    EXPECT_EQ(error([&](LearnedModel &m) { change(m.learners[3]); }),
              "fake: error: internal error: learner 3: expected sizes and "
              "inputs of its kind, got others\n");
}

} // namespace
} // namespace tamrt::test
