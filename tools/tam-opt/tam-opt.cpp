#include "tamc/Dialect/Tam/IR/Tam.h"
#include "tamc/Dialect/TamK/IR/TamK.h"
#include "tamc/Dialect/Tam/Transforms/Passes.h"
#include "tamc/Dialect/TamK/Transforms/Passes.h"
#include "tamc/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tamc::tam::TamDialect, tamc::tamk::TamKDialect, mlir::func::FuncDialect>();
  tamc::tam::registerTamPasses();
  tamc::tamk::registerTamKPasses();
  tamc::registerTamConversionPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tam-opt", registry));
}
