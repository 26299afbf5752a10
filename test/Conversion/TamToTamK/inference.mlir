// The inverse of a fit's matrix, effective degrees of freedom, means, and
// quadratic forms.
//
// RUN: tam-opt %s --convert-tam-to-tamk --canonicalize -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s

// Three effects: an offset, and two columns that were merged and have one
// penalty. The penalties are one matrix for all effects.
//
// CHECK-LABEL: func.func @fit_infer(
// CHECK-SAME: %[[T:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-DAG: %[[ENDS:.*]] = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
// CHECK-DAG: %[[PR:.*]] = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
// CHECK-DAG: %[[PV:.*]] = arith.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00]> : tensor<3xf64>
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
// CHECK: %[[A:.*]] = tamk.launch "assemble_matrix" {{.*}} outs(%{{.*}} : tensor<3x3xf64>)
// CHECK: %[[M:.*]] = tamk.launch "column_means" ins(%[[A]] : tensor<3x3xf64>) scalars(%[[T]], %[[C3]] : index, i64) outs(%{{.*}} : tensor<3xf64>) source "tam.column_means"
// The inverse takes the place of A; the workspace is that of a factorisation,
// and two numbers per column.
// CHECK: %[[V:.*]]:4 = tamk.launch "cholesky_inverse" scalars(%[[C3]] : i64) outs(%[[A]], %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x3xf64>, tensor<6xf64>, tensor<2xf64>, tensor<6xf64>) source "tam.inverse"
// CHECK: %[[E0:.*]] = tamk.launch "effective_df" ins(%[[ENDS]], %[[V]]#1 : {{.*}}) scalars(%[[T]], %[[C3]] : index, i64) outs(%{{.*}} : tensor<3xf64>) source "tam.effective_df"
// CHECK: %[[E:.*]] = tamk.launch "penalty_trace" ins(%[[ENDS]], %[[PR]], %[[PR]], %[[PV]], %[[V]]#1 : {{.*}}) absent [4, 5] scalars(%[[T]], %[[C3]], %[[C3]] : index, i64, i64) outs(%[[E0]] : tensor<3xf64>) source "tam.effective_df"
// CHECK-NOT: tamk.launch
// CHECK-DAG: materialize_in_destination %[[V]]#1 in
// CHECK-DAG: materialize_in_destination %[[V]]#2 in
// CHECK-DAG: materialize_in_destination %[[E]] in
// CHECK-DAG: materialize_in_destination %[[M]] in
func.func @fit_infer(%rows: index {tam.slot = #tam.slot<rows>},
    %g00: tensor<1x1xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %g01: tensor<1x2xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>},
    %g11: tensor<2x2xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state, 128>})
    -> (tensor<6xf64> {tam.slot = #tam.slot<output>},
        tensor<3xf64> {tam.slot = #tam.slot<output, 64>},
        tensor<3xf64> {tam.slot = #tam.slot<output, 128>},
        tensor<2xf64> {tam.slot = #tam.slot<output, 192>}) {
  %p0 = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [0, 1] columns [0, 1] values [1.0, 2.0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  %a = tam.normal_matrix %rows
      blocks(%g00, %g01, %g11 : tensor<1x1xf64, #tam.sums<upper>>,
             tensor<1x2xf64, #tam.sums<full>>,
             tensor<2x2xf64, #tam.sums<upper>>)
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<2>>) : tensor<3x3xf64>
  %m = tam.column_means %rows matrix %a : tensor<3x3xf64> -> tensor<3xf64>
  %v, %n = tam.inverse %a : tensor<3x3xf64> -> tensor<6xf64>, tensor<2xf64>
  %e = tam.effective_df %rows inverse %v : tensor<6xf64>
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<2>>)
      columns [1, 1, 1] -> tensor<3xf64>
  return %v, %e, %m, %n : tensor<6xf64>, tensor<3xf64>, tensor<3xf64>,
      tensor<2xf64>
}

// -----

// Penalties whose strengths are chosen by the fit are computed first; learnt
// ones, of trees, have a launch for each table.
//
// CHECK-LABEL: func.func @learnt(
// CHECK-SAME: %[[T:[a-z0-9]*]]: index
// CHECK-SAME: %[[S:[a-z0-9]*]]: memref<1xf64>
// CHECK-SAME: %[[W:[a-z0-9]*]]: memref<4xf64>
// CHECK-DAG: %[[TS:.*]] = bufferization.to_tensor %[[S]]
// CHECK-DAG: %[[TW:.*]] = bufferization.to_tensor %[[W]]
// CHECK-DAG: %[[ENDS:.*]] = arith.constant dense<[1, 3]> : tensor<2xi64>
// CHECK-DAG: %[[ROW:.*]] = arith.constant dense<2> : tensor<1xi32>
// CHECK-DAG: %[[COLUMN:.*]] = arith.constant dense<1> : tensor<1xi32>
// CHECK-DAG: %[[WHICH:.*]] = arith.constant dense<3> : tensor<1xi32>
// CHECK: %[[E0:.*]] = tamk.launch "effective_df"
// CHECK: %[[V0:.*]] = tamk.launch "penalty_values" ins(%{{.*}}, %{{.*}}, %[[TS]] : {{.*}} outs(%{{.*}} : tensor<2xf64>) source "tam.effective_df"
// CHECK: %[[E1:.*]] = tamk.launch "penalty_trace" ins(%[[ENDS]], %{{.*}}, %{{.*}}, %[[V0]], %{{.*}} : {{.*}}) absent [4, 5] {{.*}} outs(%[[E0]] :
// CHECK: %[[V1:.*]] = tamk.launch "penalty_values" {{.*}} outs(%{{.*}} : tensor<1xf64>) source "tam.effective_df"
// CHECK: %[[E2:.*]] = tamk.launch "penalty_trace" ins(%[[ENDS]], %[[ROW]], %[[COLUMN]], %[[V1]], %[[WHICH]], %[[TW]], %{{.*}} : {{.*}}) scalars({{.*}} outs(%[[E1]] :
// CHECK-NOT: tamk.launch
// CHECK: materialize_in_destination %[[E2]] in
func.func @learnt(%rows: index {tam.slot = #tam.slot<rows>},
    %s: tensor<1xf64> {tam.slot = #tam.slot<parameters, 32>},
    %w: tensor<4xf64> {tam.slot = #tam.slot<table>},
    %v: tensor<6xf64> {tam.slot = #tam.slot<state>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<output>}) {
  %p0 = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<1xf64>) parts [0, 1, 0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [1, 1] columns [0, 1] values [8.0, 2.0]
      weights(%w : tensor<4xf64>) table [0, -1] element [3, 0]
      strengths(%s : tensor<1xf64>) parts [0, 1, 0, 1, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  %e = tam.effective_df %rows inverse %v : tensor<6xf64>
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<2>>)
      columns [1, 2] -> tensor<2xf64>
  return %e : tensor<2xf64>
}

// -----

// All designs become one sparse matrix. A one-hot row has one number, or one
// per trained level if unseen levels are their mean; leaves of trees and a band
// as many as they have; a sparse matrix is copied. Each is written behind the
// launches that make it.
//
// CHECK-LABEL: func.func @variances(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[CAPACITY:[^:]*]]: index {tam.slot = #tam.slot<capacity>},
// CHECK-SAME: %[[V:[^:]*]]: memref<435xf64> {tam.slot = #tam.slot<coefficients>}
// CHECK-DAG: %[[TV:.*]] = bufferization.to_tensor %[[V]]
// CHECK-DAG: %[[ENDS:.*]] = arith.constant dense<[1, 3, 4, 9, 12, 17]> : tensor<6xi64>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[C9:.*]] = arith.constant 9 : i64
// CHECK-DAG: %[[C12:.*]] = arith.constant 12 : i64
// CHECK-DAG: %[[C17:.*]] = arith.constant 17 : i64
// CHECK-DAG: %[[C24:.*]] = arith.constant 24 : i64
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 0.57735026918962584 : f64
// Columns first, first + 1, ..; 17 numbers a row; at its numbers at, at + 1, ..
// CHECK: %[[O:.*]] = tamk.launch "offset"
// CHECK-DAG: %[[X0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?x17xf64>
// CHECK-DAG: %[[I0:.*]] = tensor.empty(%[[CAPACITY]]) : tensor<?x17xi32>
// CHECK: %[[S1:.*]]:2 = tamk.launch "sparsify_dense" ins(%[[O]] : tensor<?x1xf64>) scalars(%[[ROWS]], %[[C1]], %[[C0]], %[[C17]], %[[C0]] : index, i64, i64, i64, i64) outs(%[[X0]], %[[I0]] : tensor<?x17xf64>, tensor<?x17xi32>) source "tam.quadratic_forms"
// CHECK: %[[B:.*]]:2 = tamk.launch "bspline"
// CHECK: %[[S2:.*]]:2 = tamk.launch "sparsify_banded" ins(%[[B]]#0, %[[B]]#1 : {{.*}}) scalars(%[[ROWS]], %[[C2]], %[[C3]], %[[C1]], %[[C17]], %[[C1]] : {{.*}}) outs(%[[S1]]#0, %[[S1]]#1 :
// CHECK: %[[K:.*]] = tamk.launch "onehot"
// CHECK: %[[S3:.*]]:2 = tamk.launch "sparsify_onehot" ins(%[[K]] : tensor<?xi32>) scalars(%[[ROWS]], %[[C3]], %[[C1]], %[[C4]], %[[C17]], %[[C3]] : {{.*}}) outs(%[[S2]]#0, %[[S2]]#1 :
// CHECK: %[[S4:.*]]:2 = tamk.launch "sparsify_onehot" ins(%{{.*}} : tensor<?xi32>) scalars(%[[ROWS]], %[[C5]], %[[C5]], %[[C7]], %[[C17]], %[[C4]] : {{.*}}) outs(%[[S3]]#0, %[[S3]]#1 :
// CHECK: %[[T:.*]] = tamk.launch "tree_oblivious"
// CHECK: %[[S5:.*]]:2 = tamk.launch "sparsify_multihot" ins(%[[T]] : tensor<?x3xi32>) scalars(%[[ROWS]], %[[C3]], %[[C12]], %[[SCALE]], %[[C12]], %[[C17]], %[[C9]] : {{.*}}) outs(%[[S4]]#0, %[[S4]]#1 :
// CHECK: %[[S6:.*]]:2 = tamk.launch "sparsify_sparse" ins(%{{.*}}, %{{.*}} : {{.*}}) scalars(%[[ROWS]], %[[C5]], %[[C5]], %[[C24]], %[[C17]], %[[C12]] : {{.*}}) outs(%[[S5]]#0, %[[S5]]#1 :
// CHECK: %[[Q:.*]] = tamk.launch "quadratic_forms" ins(%[[S6]]#0, %[[S6]]#1, %[[ENDS]], %[[TV]] : {{.*}}) scalars(%[[ROWS]], %[[C17]], %[[C6]] : index, i64, i64) outs(%{{.*}} : tensor<?x7xf64>) source "tam.quadratic_forms"
// CHECK: materialize_in_destination %[[Q]] in
func.func @variances(%rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %v: tensor<435xf64> {tam.slot = #tam.slot<coefficients>},
    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %c: tensor<?xi32> {tam.slot = #tam.slot<column, 1>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %f: tensor<3x2xi32> {tam.slot = #tam.slot<table>},
    %h: tensor<3x2xf64> {tam.slot = #tam.slot<table, 1>})
    -> (tensor<?x7xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %s = tam.bspline %x, %p {intervals = 2, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x3xf64, #tam.banded<2>>
  %k = tam.category %x {levels = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.one_hot>
  %l = tam.levels %c {levels = 5, mean}
      : tensor<?xi32> -> tensor<?x5xf64, #tam.one_hot>
  %points = tam.stack(%x : tensor<?xf64>) : tensor<?x1xf64>
  %t = tam.tree %points, %f, %h {leaves = 4, oblivious}
      : tensor<?x1xf64>, tensor<3x2xi32>, tensor<3x2xf64>
      -> tensor<?x12xf64, #tam.multi_hot<3, 0.57735026918962584 : f64>>
  %d = tam.chebyshev %x {degree = 5}
      : tensor<?xf64> -> tensor<?x5xf64, #tam.dense>
  %sparse = tam.convert %d : tensor<?x5xf64, #tam.dense>
      -> tensor<?x5xf64, #tam.sparse<5>>
  %q = tam.quadratic_forms(%o, %s, %k, %l, %t, %sparse
      : tensor<?x1xf64, #tam.dense>, tensor<?x3xf64, #tam.banded<2>>,
        tensor<?x3xf64, #tam.one_hot>, tensor<?x5xf64, #tam.one_hot>,
        tensor<?x12xf64, #tam.multi_hot<3, 0.57735026918962584 : f64>>,
        tensor<?x5xf64, #tam.sparse<5>>)
      triangle %v : tensor<435xf64> -> tensor<?x7xf64>
  return %q : tensor<?x7xf64>
}

// -----

func.func @no_capacity(%rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<3xf64> {tam.slot = #tam.slot<coefficients>},
    %a: tensor<?x2xf64, #tam.dense> {tam.slot = #tam.slot<arena>}) {
  // expected-error @+2 {{'tam.quadratic_forms' op expected an argument with slot 'capacity' in the function}}
  // expected-error @+1 {{failed to legalize operation 'tam.quadratic_forms'}}
  %q = tam.quadratic_forms(%a : tensor<?x2xf64, #tam.dense>)
      triangle %v : tensor<3xf64> -> tensor<?x2xf64>
  return
}

// -----

func.func @no_rows(%n: index {tam.slot = #tam.slot<group_rows>},
    %a: tensor<1x1xf64> {tam.slot = #tam.slot<state>}) {
  // expected-error @+2 {{'tam.column_means' op expected an argument with slot 'rows' in the function}}
  // expected-error @+1 {{failed to legalize operation 'tam.column_means'}}
  %m = tam.column_means %n matrix %a : tensor<1x1xf64> -> tensor<1xf64>
  return
}

// -----

func.func @penalties(%rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<1xf64> {tam.slot = #tam.slot<state>},
    %a: tensor<1x1xf64> {tam.slot = #tam.slot<state, 64>}) {
  %p = builtin.unrealized_conversion_cast %a
      : tensor<1x1xf64> to tensor<1x1xf64, #tam.coordinates<1>>
  // expected-error @+2 {{'tam.effective_df' op expected penalties of tam.penalty}}
  // expected-error @+1 {{failed to legalize operation 'tam.effective_df'}}
  %e = tam.effective_df %rows inverse %v : tensor<1xf64>
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>)
      columns [1] -> tensor<1xf64>
  return
}
