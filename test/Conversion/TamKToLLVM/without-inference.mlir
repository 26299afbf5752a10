// A library has no steps for standard errors, nor the constants that only they
// read.
//
// RUN: tam-opt %s --convert-tamk-to-llvm=library=true \
// RUN:   | FileCheck %s --implicit-check-not=llvm.func
// RUN: tam-opt %s --convert-tamk-to-llvm | FileCheck %s --check-prefix=ALL

// ALL-DAG: llvm.mlir.global internal constant @tam_constants({{.*}} : tensor<96xi8>)
// ALL-DAG: llvm.func internal @fit_infer(
// ALL-DAG: llvm.func internal @variances_8(

// CHECK-DAG: llvm.mlir.global internal constant @tam_constants({{.*}} : tensor<32xi8>)
// CHECK-DAG: llvm.func @tamrt_column_means(
// CHECK-DAG: llvm.func internal @fit_finish(
memref.global "private" constant @theirs : memref<4xf64> = dense<1.0>
memref.global "private" constant @ours : memref<4xf64> = dense<2.0>

func.func @fit_finish(%rows: index {tam.slot = #tam.slot<rows>},
                      %out: memref<2xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<fit_finish>,
                tamk.plan = #tamk.plan<arena_bytes = 0>} {
  %c2 = arith.constant 2 : i64
  %0 = memref.get_global @ours : memref<4xf64>
  tamk.launch "column_means" ins(%0 : memref<4xf64>)
      scalars(%rows, %c2 : index, i64) outs(%out : memref<2xf64>)
  return
}

func.func @fit_infer(%rows: index {tam.slot = #tam.slot<rows>},
                     %out: memref<2xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<fit_infer>,
                tamk.plan = #tamk.plan<arena_bytes = 0>} {
  %c2 = arith.constant 2 : i64
  %0 = memref.get_global @theirs : memref<4xf64>
  tamk.launch "column_means" ins(%0 : memref<4xf64>)
      scalars(%rows, %c2 : index, i64) outs(%out : memref<2xf64>)
  return
}

func.func @variances_8(%rows: index {tam.slot = #tam.slot<rows>},
                       %out: memref<2xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<variances, 8>,
                tamk.plan = #tamk.plan<arena_bytes = 0>} {
  %c2 = arith.constant 2 : i64
  %0 = memref.get_global @theirs : memref<4xf64>
  tamk.launch "column_means" ins(%0 : memref<4xf64>)
      scalars(%rows, %c2 : index, i64) outs(%out : memref<2xf64>)
  return
}
