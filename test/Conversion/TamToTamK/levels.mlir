// Level compression. A map is evaluated at its points at the end of the group:
// it has one row per level, independent of the group's rows. Kernels treat sums
// as [outer][levels][inner] in every layout.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @chunk(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>}
// CHECK-DAG: %[[LEVELS:.*]] = arith.constant 24 : i64
// CHECK-DAG: %[[STEP:.*]] = arith.constant 5.000000e-01 : f64
// CHECK: tamk.launch "regrid" ins({{.*}}) scalars(%[[ROWS]], %[[LEVELS]], %[[STEP]] : index, i64, f64)
func.func @chunk(%rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>}) {
  %y = tam.regrid %x, %p {levels = 24, step = 0.5} : tensor<?xf64>,
      tensor<4xf64>
  return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @finish(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>}
// CHECK-DAG: %[[LEVELS:.*]] = arith.constant 24 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[C20:.*]] = arith.constant 20 : i64
// CHECK: tamk.launch "grid_points" {{.*}} scalars(%[[LEVELS]], %{{.*}} : i64, f64)
// CHECK: tamk.launch "bspline" {{.*}} scalars(%[[LEVELS]], {{.*}} : i64, {{.*}}) outs({{.*}} : tensor<24x4xf64>, tensor<24xi32>)
// CHECK: tamk.launch "expand_banded" {{.*}} scalars(%[[LEVELS]], {{.*}} outs({{.*}} : tensor<24x5xf64>)
// CHECK: tamk.launch "expand_levels" {{.*}} scalars(%[[C1]], %[[LEVELS]], %[[C7]], %[[C5]] :
// CHECK: tamk.launch "expand_levels" {{.*}} scalars(%[[C7]], %[[LEVELS]], %[[C1]], %[[C5]] :
// CHECK: tamk.launch "expand_levels" {{.*}} scalars(%[[C7]], %[[LEVELS]], %[[C1]], %[[C5]] :
// CHECK: tamk.launch "expand_levels" {{.*}} scalars(%[[C1]], %[[LEVELS]], %[[C7]], %[[C5]] :
// CHECK: tamk.launch "expand_levels" {{.*}} scalars(%[[C20]], %[[LEVELS]], %[[C4]], %[[C5]] :
// CHECK: tamk.launch "expand_levels" {{.*}} scalars(%[[C1]], %[[LEVELS]], %[[C1]], %[[C5]] :
// CHECK: tamk.launch "expand_counts" {{.*}} scalars(%[[LEVELS]], %[[C5]], %[[C5]] :
func.func @finish(%rows: index {tam.slot = #tam.slot<rows>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %full: tensor<24x7xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>},
    %transposed: tensor<24x7xf64, #tam.sums<transposed>>
        {tam.slot = #tam.slot<state, 4096>},
    %right: tensor<7x24xf64, #tam.sums<full>>
        {tam.slot = #tam.slot<state, 8192>},
    %left: tensor<7x24xf64, #tam.sums<transposed>>
        {tam.slot = #tam.slot<state, 12288>},
    %panels: tensor<23x24xf64, #tam.sums<panels, 4>>
        {tam.slot = #tam.slot<state, 16384>},
    %vector: tensor<24xf64, #tam.sums<full>>
        {tam.slot = #tam.slot<state, 65536>},
    %counts: tensor<24x24xf64, #tam.sums<diagonal>>
        {tam.slot = #tam.slot<state, 69632>})
    -> (tensor<5x7xf64, #tam.sums<full>> {tam.slot = #tam.slot<output>},
        tensor<5x7xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<output, 4096>},
        tensor<7x5xf64, #tam.sums<full>> {tam.slot = #tam.slot<output, 8192>},
        tensor<7x5xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<output, 12288>},
        tensor<23x5xf64, #tam.sums<panels, 4>>
            {tam.slot = #tam.slot<output, 16384>},
        tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<output, 65536>},
        tensor<5x5xf64, #tam.sums<upper>>
            {tam.slot = #tam.slot<output, 69632>}) {
  %x = tam.grid_points %p {step = 0.5} : tensor<4xf64> -> tensor<24xf64>
  %b = tam.bspline %x, %p {intervals = 2, degree = 3} : tensor<24xf64>,
      tensor<4xf64> -> tensor<24x5xf64, #tam.dense>
  %0 = tam.expand_levels %full rows %b : tensor<24x7xf64, #tam.sums<full>>
      rows tensor<24x5xf64, #tam.dense> -> tensor<5x7xf64, #tam.sums<full>>
  %1 = tam.expand_levels %transposed rows %b
      : tensor<24x7xf64, #tam.sums<transposed>>
      rows tensor<24x5xf64, #tam.dense>
      -> tensor<5x7xf64, #tam.sums<transposed>>
  %2 = tam.expand_levels %right columns %b : tensor<7x24xf64, #tam.sums<full>>
      columns tensor<24x5xf64, #tam.dense> -> tensor<7x5xf64, #tam.sums<full>>
  %3 = tam.expand_levels %left columns %b
      : tensor<7x24xf64, #tam.sums<transposed>>
      columns tensor<24x5xf64, #tam.dense>
      -> tensor<7x5xf64, #tam.sums<transposed>>
  %4 = tam.expand_levels %panels columns %b
      : tensor<23x24xf64, #tam.sums<panels, 4>>
      columns tensor<24x5xf64, #tam.dense>
      -> tensor<23x5xf64, #tam.sums<panels, 4>>
  %5 = tam.expand_levels %vector rows %b : tensor<24xf64, #tam.sums<full>>
      rows tensor<24x5xf64, #tam.dense> -> tensor<5xf64, #tam.sums<full>>
  %6 = tam.expand_levels %counts rows %b columns %b
      : tensor<24x24xf64, #tam.sums<diagonal>>
      rows tensor<24x5xf64, #tam.dense> columns tensor<24x5xf64, #tam.dense>
      -> tensor<5x5xf64, #tam.sums<upper>>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<5x7xf64, #tam.sums<full>>,
      tensor<5x7xf64, #tam.sums<transposed>>, tensor<7x5xf64, #tam.sums<full>>,
      tensor<7x5xf64, #tam.sums<transposed>>,
      tensor<23x5xf64, #tam.sums<panels, 4>>, tensor<5xf64, #tam.sums<full>>,
      tensor<5x5xf64, #tam.sums<upper>>
}
