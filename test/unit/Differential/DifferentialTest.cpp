//===- DifferentialTest.cpp - compiled models against the interpreter -----===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random models on random data, three ways: the imported solver graph in the
/// reference interpreter, the same after the passes on the graph, and the
/// executable that tamc makes from the spec. TAMC_DIFFERENTIAL_CASES in the
/// environment is the number of cases, if more are wanted.
///
//===----------------------------------------------------------------------===//

#include "ImportText.h"
#include "Oracle.h"
#include "Program.h"

#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;

static uint32_t caseCount() {
  const char *text = std::getenv("TAMC_DIFFERENTIAL_CASES");
  auto count = parseNumber(text ? text : "");
  return count ? static_cast<uint32_t>(*count) : 24;
}

static double largest(const Vector &values) {
  double most = 0;
  for (double value : values)
    most = std::max(most, std::abs(value));
  return most;
}

/// Every number within `tolerance` times the largest of the expected ones.
static void expectClose(const Vector &expected, const Vector &actual,
                        double tolerance, const char *what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  double bound = tolerance * std::max(largest(expected), 1e-300);
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::abs(expected[i] - actual[i]), bound)
        << what << " " << i << ": expected " << toText(expected[i]) << ", got "
        << toText(actual[i]);
}

static Vector columnOf(const Matrix &matrix, size_t column) {
  Vector values;
  for (size_t row = 0; row < matrix.rows; ++row)
    values.push_back(matrix.at(row, column));
  return values;
}

static void expectClose(const Answer &expected, const Answer &actual) {
  ASSERT_EQ(expected.coefficients.size(), actual.coefficients.size());
  for (const auto &[group, beta] : expected.coefficients) {
    ASSERT_TRUE(actual.coefficients.count(group)) << "group " << group;
    // Columns are nearly collinear, so that coefficients agree less closely
    // than predictions.
    expectClose(beta, actual.coefficients.at(group), 1e-6, "coefficient");
  }
  expectClose(expected.predictions, actual.predictions, 1e-8, "prediction");
  ASSERT_EQ(expected.design.columns, actual.design.columns);
  for (size_t i = 0; i < expected.design.columns; ++i)
    expectClose(columnOf(expected.design, i), columnOf(actual.design, i), 1e-9,
                "design");
  expectClose(expected.terms.values, actual.terms.values, 1e-6, "term");
}

namespace {

class Differential : public testing::TestWithParam<uint32_t> {
protected:
  Differential() : model(GetParam()) {
    context.loadDialect<func::FuncDialect, tam::TamDialect>();
    context.getDiagEngine().registerHandler(
        [](Diagnostic &diagnostic) { ADD_FAILURE() << diagnostic.str(); });
    module = importText(context, model.yaml(), model.train, errors);
  }

  /// Runs passes on the module.
  template <typename... Passes> bool run(Passes... passes) {
    PassManager manager(&context);
    (manager.addPass(std::move(passes)), ...);
    return succeeded(manager.run(*module));
  }

  MLIRContext context;
  RandomModel model;
  std::string errors;
  OwningOpRef<ModuleOp> module;
};

/// Programs are compiled and run: seconds per case.
class DifferentialExecutable : public Differential {};

} // namespace

// The penalties of the imported graph are those of the formulas, and the passes
// on the graph do not change what it means.
TEST_P(Differential, PassesKeepTheMeaning) {
  SCOPED_TRACE(model.yaml());
  ASSERT_TRUE(module) << errors;
  const Vector strengths = columnsOf(*module).strengths;
  SmallVector<tam::PenaltyOp> penalties;
  module->walk([&](tam::PenaltyOp op) { penalties.push_back(op); });
  ASSERT_EQ(model.terms.size() + 1, penalties.size());
  for (auto [term, op] : llvm::zip(model.terms, llvm::drop_begin(penalties))) {
    size_t columns = op.getType().getDimSize(0);
    Matrix actual(columns, columns), expected = term.penalty(columns);
    for (auto [row, column, value] :
         llvm::zip(op.getRows(), op.getColumns(), entriesOf(op, strengths)))
      actual.at(row, column) = actual.at(column, row) = value;
    expectClose(expected.values, actual.values, 1e-14, term.text.c_str());
  }

  auto imported = answer(*module, model);
  ASSERT_TRUE(succeeded(imported));
  ASSERT_TRUE(run(tam::createTamChooseSolver(), tam::createTamWriteSums(),
                  tam::createTamChooseEncodings(),
                  tam::createTamVerifyChoices()));
  auto encoded = answer(*module, model);
  ASSERT_TRUE(succeeded(encoded));
  expectClose(*imported, *encoded);
  EXPECT_EQ(imported->design, encoded->design);

  ASSERT_TRUE(run(tam::createTamTileRows(), tam::createTamVerifyTiled()));
  auto whole = answer(*module, model);
  ASSERT_TRUE(succeeded(whole));
  EXPECT_EQ(encoded->coefficients, whole->coefficients);
  auto chunked = answer(*module, model, model.chunkRows);
  ASSERT_TRUE(succeeded(chunked));
  expectClose(*imported, *chunked);
}

// Conjugate gradients predict what the direct solver does, before and after
// rows are tiled.
TEST_P(Differential, ConjugateGradientsKeepTheMeaning) {
  SCOPED_TRACE(model.yaml());
  ASSERT_TRUE(module) << errors;
  auto direct = answer(*module, model);
  ASSERT_TRUE(succeeded(direct));
  tam::TamChooseSolverOptions options;
  options.maxDirect = 0;
  ASSERT_TRUE(run(tam::createTamChooseSolver(options),
                  tam::createTamChooseEncodings(),
                  tam::createTamVerifyChoices()));
  auto whole = answer(*module, model);
  ASSERT_TRUE(succeeded(whole));
  expectClose(direct->predictions, whole->predictions, 1e-6, "prediction");
  ASSERT_TRUE(run(tam::createTamTileRows(), tam::createTamVerifyTiled()));
  auto chunked = answer(*module, model, model.chunkRows);
  ASSERT_TRUE(succeeded(chunked));
  expectClose(direct->predictions, chunked->predictions, 1e-6, "prediction");
}

// The executable gives the interpreter's results, with bytes that depend
// neither on threads nor on chunks.
TEST_P(DifferentialExecutable, Agrees) {
  SCOPED_TRACE(model.yaml());
  ASSERT_TRUE(module) << errors;
  auto expected = answer(*module, model);
  ASSERT_TRUE(succeeded(expected));

  Folder folder;
  folder.write("random.yaml", model.yaml());
  folder.write("train.csv", model.train.toCsv());
  folder.write("fresh.csv", model.fresh.toCsv());
  ASSERT_EQ("", folder.run(
                    TAMC_BINARY_DIR "/bin/tamc",
                    {"random.yaml", "--profile", "train.csv", "-o", "random"}));
  std::string program = folder.path("random");
  std::string chunk = std::to_string(model.chunkRows);
  ASSERT_EQ("", folder.run(program, {"fit", "train.csv", "-o", "w"}));
  ASSERT_EQ("", folder.run(program, {"fit", "train.csv", "-o", "w.chunks",
                                     "--threads", "1", "--chunk-rows", chunk}));
  EXPECT_TRUE(folder.read("w") == folder.read("w.chunks"))
      << "weights differ with chunks of " << chunk << " rows";

  // By conjugate gradients, too.
  ASSERT_EQ("", folder.run(TAMC_BINARY_DIR "/bin/tamc",
                           {"random.yaml", "--profile", "train.csv", "--solver",
                            "cg", "-o", "cg"}));
  ASSERT_EQ("",
            folder.run(folder.path("cg"), {"fit", "train.csv", "-o", "w2"}));
  ASSERT_EQ("", folder.run(folder.path("cg"),
                           {"fit", "train.csv", "-o", "w2.chunks", "--threads",
                            "1", "--chunk-rows", chunk}));
  EXPECT_TRUE(folder.read("w2") == folder.read("w2.chunks"))
      << "weights of cg differ with chunks of " << chunk << " rows";
  ASSERT_EQ(
      "", folder.run(folder.path("cg"),
                     {"predict", "fresh.csv", "--weights", "w2", "-o", "out"}));
  Vector byCg;
  for (const auto &row : parseCsv(folder.read("out")).rows)
    byCg.push_back(parseNumber(row.back()).value());
  expectClose(expected->predictions, byCg, 1e-6, "prediction of cg");

  Answer actual;
  ASSERT_EQ("",
            folder.run(program, {"coefficients", "--weights", "w"}, "beta"));
  Table beta = parseCsv(folder.read("beta"));
  for (const auto &row : beta.rows) {
    std::string group = model.group.empty() ? "" : row[beta.column("group")];
    actual.coefficients[group].push_back(
        parseNumber(row[beta.column("value")]).value());
  }
  auto predict = [&](const char *type) {
    EXPECT_EQ("", folder.run(program, {"predict", "fresh.csv", "--weights", "w",
                                       "--type", type, "-o", "out"}));
    EXPECT_EQ("", folder.run(program, {"predict", "fresh.csv", "--weights", "w",
                                       "--type", type, "-o", "out.chunks",
                                       "--threads", "1", "--chunk-rows", "7"}));
    EXPECT_TRUE(folder.read("out") == folder.read("out.chunks"))
        << type << " differs with chunks of 7 rows";
    Table table = parseCsv(folder.read("out"));
    size_t keys = !model.group.empty() + !model.date.empty();
    Matrix numbers(table.rows.size(), table.names.size() - keys);
    for (size_t row = 0; row < numbers.rows; ++row)
      for (size_t i = 0; i < numbers.columns; ++i)
        numbers.at(row, i) = parseNumber(table.rows[row].at(keys + i)).value();
    return numbers;
  };
  actual.predictions = predict("response").values;
  actual.terms = predict("terms");
  actual.design = predict("design");
  expectClose(*expected, actual);
}

INSTANTIATE_TEST_SUITE_P(Random, Differential, testing::Range(0u, caseCount()));
INSTANTIATE_TEST_SUITE_P(Random, DifferentialExecutable,
                         testing::Range(0u, (caseCount() + 1) / 2));
