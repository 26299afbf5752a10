// Predict, decompose and design: one launch per effect, behind the launches that
// make its matrix. All write to one column for predict, each to its own column
// for decompose, and each to its own columns for design. The last scalars are
// the width of the destination, the column, and, for predictions, whether to
// add.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @predict(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[CAPACITY:[^:]*]]: index {tam.slot = #tam.slot<capacity>},
// CHECK-SAME: %[[B0:[^:]*]]: memref<1xf64> {tam.slot = #tam.slot<coefficients>},
// CHECK-SAME: %[[B1:[^:]*]]: memref<7xf64> {tam.slot = #tam.slot<coefficients, 8>},
// CHECK-SAME: %[[B2:[^:]*]]: memref<3xf64> {tam.slot = #tam.slot<coefficients, 64>},
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?xf64> {tam.slot = #tam.slot<output>})
// CHECK-DAG: %[[TB0:.*]] = bufferization.to_tensor %[[B0]] restrict :
// CHECK-DAG: %[[TB1:.*]] = bufferization.to_tensor %[[B1]] restrict :
// CHECK-DAG: %[[TB2:.*]] = bufferization.to_tensor %[[B2]] restrict :
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK: %[[O:.*]] = tamk.launch "offset"
// CHECK: %[[Y0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?xf64>
// The first effect writes, the others add.
// CHECK: %[[Y1:.*]] = tamk.launch "predict_dense" ins(%[[O]], %[[TB0]] : tensor<?x1xf64>, tensor<1xf64>) scalars(%[[ROWS]], %[[C1]], %[[C1]], %[[C0]], %[[C0]] : index, i64, i64, i64, i64) outs(%[[Y0]] : tensor<?xf64>) source "tam.predict"
// CHECK: %[[S:.*]]:2 = tamk.launch "bspline"
// CHECK: %[[Y2:.*]] = tamk.launch "predict_banded" ins(%[[S]]#0, %[[S]]#1, %[[TB1]] : {{.*}}) scalars(%[[ROWS]], %[[C4]], %[[C7]], %[[C1]], %[[C0]], %[[C1]] : index, i64, i64, i64, i64, i64) outs(%[[Y1]] : tensor<?xf64>) source "tam.predict"
// CHECK: %[[C:.*]] = tamk.launch "onehot"
// CHECK: %[[Y3:.*]] = tamk.launch "predict_onehot" ins(%[[C]], %[[TB2]] : {{.*}}) scalars(%[[ROWS]], %[[C3]], %[[C1]], %[[C0]], %[[C1]] : index, i64, i64, i64, i64) outs(%[[Y2]] : tensor<?xf64>) source "tam.predict"
// CHECK: bufferization.materialize_in_destination %[[Y3]] in restrict writable %[[OUT]]
func.func @predict(%rows: index {tam.slot = #tam.slot<rows>},
                   %capacity: index {tam.slot = #tam.slot<capacity>},
                   %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                   %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
                   %b0: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
                   %b1: tensor<7xf64> {tam.slot = #tam.slot<coefficients, 8>},
                   %b2: tensor<3xf64> {tam.slot = #tam.slot<coefficients, 64>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %s = tam.bspline %x, %p {intervals = 4, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x7xf64, #tam.banded<4>>
  %c = tam.category %x {levels = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.one_hot>
  %y = tam.predict(%o, %s, %c : tensor<?x1xf64, #tam.dense>,
                   tensor<?x7xf64, #tam.banded<4>>,
                   tensor<?x3xf64, #tam.one_hot>)
      coefficients(%b0, %b1, %b2 : tensor<1xf64>, tensor<7xf64>, tensor<3xf64>)
      : tensor<?xf64>
  return %y : tensor<?xf64>
}

// Effects are added in their order, also if their maps have another one.
// CHECK-LABEL: func.func @order(
// CHECK-SAME: %[[Y:[^:]*]]: memref<?xf64> {tam.slot = #tam.slot<column, 1>},
// CHECK: %[[TY:.*]] = bufferization.to_tensor %[[Y]] restrict :
// CHECK: %[[O:.*]] = tamk.launch "offset"
// CHECK: %[[C:.*]] = tamk.launch "onehot"
// CHECK-NEXT: %[[Y1:.*]] = tamk.launch "predict_onehot" ins(%[[C]], {{.*}} outs(%[[TY]] : tensor<?xf64>)
// CHECK-NEXT: tamk.launch "predict_dense" ins(%[[O]], {{.*}} outs(%[[Y1]] : tensor<?xf64>)
func.func @order(%rows: index {tam.slot = #tam.slot<rows>},
                 %capacity: index {tam.slot = #tam.slot<capacity>},
                 %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                 %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
                 %b0: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
                 %b1: tensor<3xf64> {tam.slot = #tam.slot<coefficients, 8>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %c = tam.category %x {levels = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.one_hot>
  %z = tam.predict(%c, %o : tensor<?x3xf64, #tam.one_hot>,
                   tensor<?x1xf64, #tam.dense>)
      coefficients(%b1, %b0 : tensor<3xf64>, tensor<1xf64>)
      into(%y : tensor<?xf64>) : tensor<?xf64>
  return %z : tensor<?xf64>
}

// CHECK-LABEL: func.func @decompose(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
// CHECK: %[[O:.*]] = tamk.launch "offset"
// CHECK: %[[T0:.*]] = tensor.empty(%{{.*}}) : tensor<?x2xf64>
// CHECK: %[[T1:.*]] = tamk.launch "predict_dense" ins(%[[O]], {{.*}} scalars(%[[ROWS]], %[[C1]], %[[C2]], %[[C0]], %[[C0]] : index, i64, i64, i64, i64) outs(%[[T0]] : tensor<?x2xf64>) source "tam.decompose"
// CHECK: %[[C:.*]] = tamk.launch "onehot"
// CHECK: tamk.launch "predict_onehot" ins(%[[C]], {{.*}} scalars(%[[ROWS]], %[[C3]], %[[C2]], %[[C1]], %[[C0]] : index, i64, i64, i64, i64) outs(%[[T1]] : tensor<?x2xf64>) source "tam.decompose"
func.func @decompose(%rows: index {tam.slot = #tam.slot<rows>},
                     %capacity: index {tam.slot = #tam.slot<capacity>},
                     %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                     %b0: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
                     %b1: tensor<3xf64> {tam.slot = #tam.slot<coefficients, 8>})
    -> (tensor<?x2xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %c = tam.category %x {levels = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.one_hot>
  %t = tam.decompose(%o, %c : tensor<?x1xf64, #tam.dense>,
                     tensor<?x3xf64, #tam.one_hot>)
      coefficients(%b0, %b1 : tensor<1xf64>, tensor<3xf64>) : tensor<?x2xf64>
  return %t : tensor<?x2xf64>
}

// CHECK-LABEL: func.func @design(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C11:.*]] = arith.constant 11 : i64
// CHECK: %[[O:.*]] = tamk.launch "offset"
// CHECK: %[[D0:.*]] = tensor.empty(%{{.*}}) : tensor<?x11xf64>
// CHECK: %[[D1:.*]] = tamk.launch "expand_dense" ins(%[[O]] : {{.*}} scalars(%[[ROWS]], %[[C1]], %[[C11]], %[[C0]] : index, i64, i64, i64) outs(%[[D0]] : tensor<?x11xf64>) source "tam.design"
// CHECK: %[[S:.*]]:2 = tamk.launch "bspline"
// CHECK: %[[D2:.*]] = tamk.launch "expand_banded" ins(%[[S]]#0, %[[S]]#1 : {{.*}} scalars(%[[ROWS]], %[[C4]], %[[C7]], %[[C11]], %[[C1]] : index, i64, i64, i64, i64) outs(%[[D1]] : tensor<?x11xf64>)
// CHECK: %[[C:.*]] = tamk.launch "onehot"
// CHECK: tamk.launch "expand_onehot" ins(%[[C]] : {{.*}} scalars(%[[ROWS]], %[[C3]], %[[C11]], %[[C8]] : index, i64, i64, i64) outs(%[[D2]] : tensor<?x11xf64>)
func.func @design(%rows: index {tam.slot = #tam.slot<rows>},
                  %capacity: index {tam.slot = #tam.slot<capacity>},
                  %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                  %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<?x11xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %s = tam.bspline %x, %p {intervals = 4, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x7xf64, #tam.banded<4>>
  %c = tam.category %x {levels = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.one_hot>
  %d = tam.design(%o, %s, %c : tensor<?x1xf64, #tam.dense>,
                  tensor<?x7xf64, #tam.banded<4>>,
                  tensor<?x3xf64, #tam.one_hot>) : tensor<?x11xf64>
  return %d : tensor<?x11xf64>
}
