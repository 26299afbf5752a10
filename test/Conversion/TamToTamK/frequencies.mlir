// Sums of frequencies have their own kernel, and their own form in the normal
// equations: twice as many cosines and sines as the term has, and the number of
// rows.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @fourier(
func.func @fourier(%rows: index {tam.slot = #tam.slot<rows>},
                   %capacity: index {tam.slot = #tam.slot<capacity>},
                   %x: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<6x6xf64, #tam.sums<frequencies>> {tam.slot = #tam.slot<state>}) {
  // CHECK-DAG: %[[C6:.*]] = arith.constant 6 : i64
  // CHECK-DAG: %[[C13:.*]] = arith.constant 13 : i64
  // CHECK: %[[F:.*]] = tamk.launch "fourier"
  %f = tam.fourier %x {order = 3} : tensor<?xf64> -> tensor<?x6xf64, #tam.dense>
  // CHECK: tamk.launch "zero" scalars(%[[C13]] : i64) outs(%{{.*}} : tensor<13xf64>)
  %z = tam.zeros : tensor<6x6xf64, #tam.sums<frequencies>>
  // CHECK: tamk.launch "gram_fourier" ins(%[[F]] : tensor<?x6xf64>) absent [1] scalars(%{{.*}}, %[[C6]] : index, i64) outs(%{{.*}} : tensor<13xf64>) source "tam.gram"
  %g = tam.gram %f, %f into %z : tensor<?x6xf64, #tam.dense>,
      tensor<?x6xf64, #tam.dense> -> tensor<6x6xf64, #tam.sums<frequencies>>
  return %g : tensor<6x6xf64, #tam.sums<frequencies>>
}

// CHECK-LABEL: func.func @normal(
func.func @normal(%rows: index {tam.slot = #tam.slot<rows>},
                  %g: tensor<4x4xf64, #tam.sums<frequencies>>
                      {tam.slot = #tam.slot<state>})
    -> (tensor<4x4xf64> {tam.slot = #tam.slot<output>}) {
  %p = tam.penalty rows [0] columns [0] values [0.5]
      : tensor<4x4xf64, #tam.coordinates<1>>
  // CHECK: arith.constant dense<[7, 0, 4, 4, 0, 0]> : tensor<6xi64>
  %a = tam.normal_matrix %rows
      blocks(%g : tensor<4x4xf64, #tam.sums<frequencies>>)
      penalties(%p : tensor<4x4xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
  return %a : tensor<4x4xf64>
}
