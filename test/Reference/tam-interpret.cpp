//===- tam-interpret.cpp - runs a solver graph by the reference -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Executes the functions of a model in the tam dialect, read from a file, on
/// the numbers of a JSON file (DataFile.h), and prints the result as JSON:
///
///   tam-interpret model.mlir --run=fit --data=data.json [--chunk-rows=N]
///
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "ToolInput.h"

#include "tamc/Dialect/Tam/IR/Tam.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tamc;
using namespace tamc::reference;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of tam-interpret");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<model.mlir>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> dataFile("data", cl::desc("Data, JSON"),
                                     cl::value_desc("file"), cl::Required,
                                     cl::cat(category));
enum class Run { Fit, Infer, Predict, Terms, Design, Variances };
static cl::opt<Run>
    what("run", cl::desc("What to compute"), cl::init(Run::Fit),
         cl::values(clEnumValN(Run::Fit, "fit", "the coefficients"),
                    clEnumValN(Run::Infer, "infer",
                               "the results of a fit for inference"),
                    clEnumValN(Run::Predict, "predict", "the predictions"),
                    clEnumValN(Run::Terms, "terms", "every effect's part"),
                    clEnumValN(Run::Design, "design", "the design matrix"),
                    clEnumValN(Run::Variances, "variances",
                               "the quadratic forms of the rows, with the "
                               "coefficients as the triangle")),
         cl::cat(category));
static cl::opt<int64_t> chunkRows("chunk-rows",
                                  cl::desc("Most rows of a chunk of the fit"),
                                  cl::init(0), cl::cat(category));
static cl::list<int64_t> rowCounts("rows",
                                   cl::desc("Use only the first N rows; a "
                                            "result for each N"),
                                   cl::value_desc("N"), cl::CommaSeparated,
                                   cl::cat(category));

/// The inputs that some function of the module takes as codes.
static llvm::DenseSet<int64_t> codeColumns(ModuleOp module) {
  llvm::DenseSet<int64_t> columns;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      tam::SlotAttr slot =
          tam::getArgumentSlot(function, argument.getArgNumber());
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (slot && slot.getKind() == tam::SlotKind::Column && type &&
          type.getElementType().isInteger(32))
        columns.insert(slot.getOffset());
    }
  return columns;
}

static void print(const Vector &values) {
  llvm::outs() << llvm::json::Value(llvm::json::Array(values)) << "\n";
}

static void print(const Matrix &matrix) {
  for (size_t row = 0; row < matrix.rows; ++row)
    print(Vector(matrix.values.begin() + row * matrix.columns,
                 matrix.values.begin() + (row + 1) * matrix.columns));
}

template <typename T> static LogicalResult print(FailureOr<T> result) {
  if (failed(result))
    return failure();
  print(*result);
  return success();
}

static LogicalResult run(Model model, const Group &group,
                         const Vector &coefficients) {
  switch (what) {
  case Run::Fit:
    return print(model.fit(group, chunkRows));
  case Run::Infer:
    return print(model.infer("fit", group, chunkRows));
  case Run::Predict:
    return print(model.predict(group, coefficients));
  case Run::Terms:
    return print(model.terms(group, coefficients));
  case Run::Design:
    return print(model.design(group));
  case Run::Variances:
    return print(model.variances(group, coefficients));
  }
  llvm_unreachable("all values are listed");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Reference interpreter of the tam dialect\n");

  MLIRContext context;
  context.loadDialect<func::FuncDialect, tam::TamDialect>();
  ToolInput input(context);
  if (failed(input.read(inputFile, dataFile)))
    return 1;
  const DataFile &data = input.getData();

  Group group{.rows = data.rows, .columns = {}, .parameters = data.parameters};
  llvm::DenseSet<int64_t> codes = codeColumns(input.getModule());
  for (auto [index, column] : llvm::enumerate(data.columns)) {
    if (codes.contains(index))
      group.columns.push_back(Codes(column.begin(), column.end()));
    else
      group.columns.push_back(column);
  }
  if (rowCounts.empty())
    rowCounts.push_back(data.rows);
  for (int64_t rows : rowCounts) {
    group.rows = rows;
    if (failed(run(Model(input.getModule()), group, data.coefficients)))
      return 1;
  }
  return 0;
}
