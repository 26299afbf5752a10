// Every op and attribute of the dialect, printed and parsed again, in the
// custom form and in the generic one.
//
// RUN: tam-opt %s | tam-opt | FileCheck %s
// RUN: tam-opt %s --mlir-print-op-generic | tam-opt | FileCheck %s
// RUN: tam-opt %s --emit-bytecode | tam-opt | FileCheck %s

// CHECK: module attributes {tam.model = #tam.model<name = "load", target = "y", columns = 5>}
module attributes {tam.model = #tam.model<name = "load", target = "y",
    columns = 5>} {

// CHECK-LABEL: func.func @slots(
// CHECK-SAME: index {tam.slot = #tam.slot<rows>}
// CHECK-SAME: index {tam.slot = #tam.slot<first>}
// CHECK-SAME: index {tam.slot = #tam.slot<capacity>}
// CHECK-SAME: tensor<?xf64> {tam.slot = #tam.slot<column>}
// CHECK-SAME: tensor<?xi32> {tam.slot = #tam.slot<column, 1>}
// CHECK-SAME: tensor<4xf64> {tam.slot = #tam.slot<parameters>}
// CHECK-SAME: tensor<4xf64> {tam.slot = #tam.slot<parameters, 32>}
// CHECK-SAME: tensor<8xf64> {tam.slot = #tam.slot<coefficients, 64>}
// CHECK-SAME: tensor<8xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 128>}
// CHECK-SAME: tensor<?xi8> {tam.slot = #tam.slot<arena>}
// CHECK-SAME: -> (tensor<8xf64> {tam.slot = #tam.slot<output>})
func.func @slots(%rows: index {tam.slot = #tam.slot<rows>},
                 %first: index {tam.slot = #tam.slot<first>},
                 %capacity: index {tam.slot = #tam.slot<capacity>},
                 %v0: tensor<?xf64> {tam.slot = #tam.slot<column, 0>},
                 %v1: tensor<?xi32> {tam.slot = #tam.slot<column, 1>},
                 %p0: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
                 %p1: tensor<4xf64> {tam.slot = #tam.slot<parameters, 32>},
                 %b: tensor<8xf64> {tam.slot = #tam.slot<coefficients, 64>},
                 %s: tensor<8xf64, #tam.sums<full>>
                     {tam.slot = #tam.slot<state, 128>},
                 %arena: tensor<?xi8> {tam.slot = #tam.slot<arena>})
    -> (tensor<8xf64> {tam.slot = #tam.slot<output>}) {
  return %b : tensor<8xf64>
}

// CHECK-LABEL: func.func private @fit_init() attributes {tam.step = #tam.step<fit_init>}
func.func private @fit_init() attributes {tam.step = #tam.step<fit_init, 0>}
// CHECK-LABEL: func.func private @fit_chunk() attributes {tam.step = #tam.step<fit_chunk, 256>}
func.func private @fit_chunk() attributes {tam.step = #tam.step<fit_chunk, 256>}
// CHECK-LABEL: func.func private @fit_finish() attributes {tam.step = #tam.step<fit_finish>}
func.func private @fit_finish() attributes {tam.step = #tam.step<fit_finish>}
// CHECK-LABEL: func.func private @predict() attributes {tam.step = #tam.step<predict, 1>}
func.func private @predict() attributes {tam.step = #tam.step<predict, 1>}
// CHECK-LABEL: func.func private @terms() attributes {tam.step = #tam.step<terms>}
func.func private @terms() attributes {tam.step = #tam.step<terms>}
// CHECK-LABEL: func.func private @design() attributes {tam.step = #tam.step<design>}
func.func private @design() attributes {tam.step = #tam.step<design>}

// CHECK-LABEL: func.func private @encodings(
// CHECK-SAME: tensor<?x3xf64, #tam.dense>
// CHECK-SAME: tensor<?x7xf64, #tam.banded<4>>
// CHECK-SAME: tensor<?x5xf64, #tam.one_hot>
// CHECK-SAME: tensor<3x5xf64, #tam.sums<full>>
// CHECK-SAME: tensor<3xf64, #tam.sums<full>>
// CHECK-SAME: tensor<3x3xf64, #tam.sums<upper>>
// CHECK-SAME: tensor<5x5xf64, #tam.sums<diagonal>>
// CHECK-SAME: tensor<7x5xf64, #tam.sums<transposed>>
// CHECK-SAME: tensor<3x3xf64, #tam.coordinates<6>>
func.func private @encodings(tensor<?x3xf64, #tam.dense>,
                             tensor<?x7xf64, #tam.banded<4>>,
                             tensor<?x5xf64, #tam.one_hot>,
                             tensor<3x5xf64, #tam.sums<full>>,
                             tensor<3xf64, #tam.sums<full>>,
                             tensor<3x3xf64, #tam.sums<upper>>,
                             tensor<5x5xf64, #tam.sums<diagonal>>,
                             tensor<7x5xf64, #tam.sums<transposed>>,
                             tensor<3x3xf64, #tam.coordinates<6>>)

// CHECK-LABEL: func.func @feature_maps(
// CHECK-SAME: %[[ROWS:.*]]: index, %[[V:.*]]: tensor<?xf64>, %[[P:.*]]: tensor<4xf64>, %[[CODES:.*]]: tensor<?xi32>
func.func @feature_maps(%rows: index, %v: tensor<?xf64>, %p: tensor<4xf64>,
                        %codes: tensor<?xi32>) {
  // CHECK: %[[X:.*]] = tam.normalize %[[V]], %[[P]] : tensor<?xf64>, tensor<4xf64>
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
  // CHECK: tam.offset %[[ROWS]] : tensor<?x1xf64, #tam.dense>
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  // No encoding has been chosen yet.
  // CHECK: tam.offset %[[ROWS]] : tensor<?x1xf64>
  %o1 = tam.offset %rows : tensor<?x1xf64>
  // The default of an attribute is left out.
  // CHECK: tam.linear %[[X]] {scale = 3.140000e+00 : f64} : tensor<?xf64> -> tensor<?x1xf64, #tam.dense>
  %l0 = tam.linear %x {scale = 3.14 : f64, extrapolate = #tam.extrapolate<continue>}
      : tensor<?xf64> -> tensor<?x1xf64, #tam.dense>
  // CHECK: tam.linear %[[X]] {extrapolate = #tam.extrapolate<constant>, scale = 1.000000e+00 : f64}
  %l1 = tam.linear %x {scale = 1.0 : f64, extrapolate = #tam.extrapolate<constant>}
      : tensor<?xf64> -> tensor<?x1xf64, #tam.dense>
  // CHECK: tam.fourier %[[X]] {order = 5 : i64} : tensor<?xf64> -> tensor<?x10xf64, #tam.dense>
  %f0 = tam.fourier %x {order = 5} : tensor<?xf64>
      -> tensor<?x10xf64, #tam.dense>
  // CHECK: tam.fourier %[[X]] {cyclic, extrapolate = #tam.extrapolate<linear>, order = 1 : i64}
  %f1 = tam.fourier %x {order = 1, cyclic, extrapolate = #tam.extrapolate<linear>}
      : tensor<?xf64> -> tensor<?x2xf64>
  // CHECK: tam.bspline %[[X]], %[[P]] {degree = 3 : i64, intervals = 20 : i64} : tensor<?xf64>, tensor<4xf64> -> tensor<?x23xf64, #tam.banded<4>>
  %s0 = tam.bspline %x, %p {intervals = 20, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x23xf64, #tam.banded<4>>
  // CHECK: tam.bspline %[[X]], %[[P]] {degree = 0 : i64, extrapolate = #tam.extrapolate<saturation>, intervals = 1 : i64} : tensor<?xf64>, tensor<4xf64> -> tensor<?x1xf64, #tam.dense>
  %s1 = tam.bspline %x, %p {intervals = 1, degree = 0, extrapolate = #tam.extrapolate<saturation>}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x1xf64, #tam.dense>
  // CHECK: tam.chebyshev %[[X]] {degree = 5 : i64} : tensor<?xf64> -> tensor<?x5xf64, #tam.dense>
  %t = tam.chebyshev %x {degree = 5} : tensor<?xf64>
      -> tensor<?x5xf64, #tam.dense>
  // CHECK: tam.columns(%{{.*}}, %{{.*}} : tensor<?x1xf64, #tam.dense>, tensor<?x1xf64, #tam.dense>) -> tensor<?x2xf64, #tam.dense>
  %beside = tam.columns(%l0, %l0 : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense>) -> tensor<?x2xf64, #tam.dense>
  // CHECK: tam.linear_columns(%[[X]], %[[X]] : tensor<?xf64>, tensor<?xf64>) parameters(%[[P]], %[[P]] : tensor<4xf64>, tensor<4xf64>) scales [3.14159265358979{{[0-9]*}}, 1.000000e+00] -> tensor<?x2xf64, #tam.dense>
  %lines = tam.linear_columns(%x, %x : tensor<?xf64>, tensor<?xf64>)
      parameters(%p, %p : tensor<4xf64>, tensor<4xf64>)
      scales [3.141592653589793, 1.0] -> tensor<?x2xf64, #tam.dense>
  // CHECK: tam.linear_columns({{.*}} scales [1.000000e+00] {extrapolate = [#tam.extrapolate<linear>]} -> tensor<?x1xf64>
  %line = tam.linear_columns(%x : tensor<?xf64>) parameters(%p : tensor<4xf64>)
      scales [1.0] {extrapolate = [#tam.extrapolate<linear>]}
      -> tensor<?x1xf64>
  // CHECK: tam.category %[[X]] {levels = 7 : i64} : tensor<?xf64> -> tensor<?x7xf64, #tam.one_hot>
  %c = tam.category %x {levels = 7} : tensor<?xf64>
      -> tensor<?x7xf64, #tam.one_hot>
  // CHECK: tam.columns(%{{.*}}, %{{.*}} : tensor<?x7xf64, #tam.one_hot>, tensor<?x1xf64, #tam.dense>) -> tensor<?x8xf64, #tam.sparse<2>>
  %sparse = tam.columns(%c, %l0 : tensor<?x7xf64, #tam.one_hot>,
      tensor<?x1xf64, #tam.dense>) -> tensor<?x8xf64, #tam.sparse<2>>
  // CHECK: tam.columns(%{{.*}}, %{{.*}} : tensor<?x23xf64, #tam.banded<4>>, tensor<?x23xf64, #tam.banded<4>>) -> tensor<?x46xf64, #tam.bands<4, 2>>
  %bands = tam.columns(%s0, %s0 : tensor<?x23xf64, #tam.banded<4>>,
      tensor<?x23xf64, #tam.banded<4>>) -> tensor<?x46xf64, #tam.bands<4, 2>>
  // CHECK: tam.levels %[[CODES]] {levels = 3 : i64} : tensor<?xi32> -> tensor<?x3xf64, #tam.one_hot>
  %n = tam.levels %codes {levels = 3} : tensor<?xi32>
      -> tensor<?x3xf64, #tam.one_hot>
  // CHECK: tam.levels %[[CODES]] {levels = 3 : i64} : tensor<?xi32> -> tensor<?x3xf64, #tam.dense>
  %n1 = tam.levels %codes {levels = 3} : tensor<?xi32>
      -> tensor<?x3xf64, #tam.dense>
  return
}

// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[A:.*]]: tensor<?x7xf64, #tam.banded<4>>, %[[B:.*]]: tensor<?x5xf64, #tam.one_hot>, %[[Y:.*]]: tensor<?xf64>, %[[W:.*]]: tensor<?xf64>
func.func @sums(%a: tensor<?x7xf64, #tam.banded<4>>,
                %b: tensor<?x5xf64, #tam.one_hot>,
                %y: tensor<?xf64>, %w: tensor<?xf64>) {
  // CHECK: %[[AA:.*]] = tam.zeros : tensor<7x7xf64, #tam.sums<upper>>
  %aa = tam.zeros : tensor<7x7xf64, #tam.sums<upper>>
  %ab = tam.zeros : tensor<7x5xf64, #tam.sums<transposed>>
  %bb = tam.zeros : tensor<5x5xf64, #tam.sums<diagonal>>
  %full = tam.zeros : tensor<5x5xf64, #tam.sums<full>>
  // CHECK: %[[AB0:.*]] = tam.zeros : tensor<7x5xf64>
  %ab0 = tam.zeros : tensor<7x5xf64>
  %ya = tam.zeros : tensor<7xf64, #tam.sums<full>>
  // CHECK: tam.gram %[[A]], %[[A]] into %[[AA]] : tensor<?x7xf64, #tam.banded<4>>, tensor<?x7xf64, #tam.banded<4>> -> tensor<7x7xf64, #tam.sums<upper>>
  %0 = tam.gram %a, %a into %aa : tensor<?x7xf64, #tam.banded<4>>,
      tensor<?x7xf64, #tam.banded<4>> -> tensor<7x7xf64, #tam.sums<upper>>
  // CHECK: tam.gram %[[A]], %[[B]] weights %[[W]] : tensor<?xf64> into %{{.*}} : tensor<?x7xf64, #tam.banded<4>>, tensor<?x5xf64, #tam.one_hot> -> tensor<7x5xf64, #tam.sums<transposed>>
  %1 = tam.gram %a, %b weights %w : tensor<?xf64> into %ab
      : tensor<?x7xf64, #tam.banded<4>>, tensor<?x5xf64, #tam.one_hot>
      -> tensor<7x5xf64, #tam.sums<transposed>>
  // CHECK: tam.gram %[[B]], %[[B]] into %{{.*}} -> tensor<5x5xf64, #tam.sums<diagonal>>
  %2 = tam.gram %b, %b into %bb : tensor<?x5xf64, #tam.one_hot>,
      tensor<?x5xf64, #tam.one_hot> -> tensor<5x5xf64, #tam.sums<diagonal>>
  // CHECK: tam.gram %[[B]], %[[B]] into %{{.*}} -> tensor<5x5xf64, #tam.sums<full>>
  %3 = tam.gram %b, %b into %full : tensor<?x5xf64, #tam.one_hot>,
      tensor<?x5xf64, #tam.one_hot> -> tensor<5x5xf64, #tam.sums<full>>
  // CHECK: tam.gram %[[A]], %[[B]] into %[[AB0]] : {{.*}} -> tensor<7x5xf64>
  %4 = tam.gram %a, %b into %ab0 : tensor<?x7xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.one_hot> -> tensor<7x5xf64>
  // CHECK: tam.rhs %[[A]], %[[Y]] into %{{.*}} : tensor<?x7xf64, #tam.banded<4>>, tensor<?xf64> -> tensor<7xf64, #tam.sums<full>>
  %5 = tam.rhs %a, %y into %ya : tensor<?x7xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<7xf64, #tam.sums<full>>
  // CHECK: tam.rhs %[[A]], %[[Y]] weights %[[W]] : tensor<?xf64> into %{{.*}} :
  %6 = tam.rhs %a, %y weights %w : tensor<?xf64> into %5
      : tensor<?x7xf64, #tam.banded<4>>, tensor<?xf64>
      -> tensor<7xf64, #tam.sums<full>>
  // CHECK: %[[DENSE:.*]] = tam.chebyshev
  %dense = tam.chebyshev %y {degree = 7}
      : tensor<?xf64> -> tensor<?x7xf64, #tam.dense>
  // CHECK: tam.squares %[[DENSE]] into %{{.*}} : tensor<?x7xf64, #tam.dense> -> tensor<7xf64, #tam.sums<full>>
  %7 = tam.squares %dense into %ya : tensor<?x7xf64, #tam.dense>
      -> tensor<7xf64, #tam.sums<full>>
  // CHECK: tam.squares %[[DENSE]] weights %[[W]] : tensor<?xf64> into %{{.*}} :
  %8 = tam.squares %dense weights %w : tensor<?xf64> into %7
      : tensor<?x7xf64, #tam.dense> -> tensor<7xf64, #tam.sums<full>>
  return
}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<?xf64>, %[[S:.*]]: tensor<1xf64, #tam.sums<full>>)
func.func @rows(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // CHECK: %[[R:.*]] = tam.rows(%[[X]] : tensor<?xf64>) into(%[[S]] : tensor<1xf64, #tam.sums<full>>) {
  // CHECK-NEXT: ^bb0(%[[X0:.*]]: tensor<?xf64>, %[[S0:.*]]: tensor<1xf64, #tam.sums<full>>):
  // CHECK-NEXT: %[[L:.*]] = tam.linear %[[X0]]
  // CHECK-NEXT: %[[B:.*]] = tam.rhs %[[L]], %[[X0]] into %[[S0]]
  // CHECK-NEXT: tam.yield %[[B]] : tensor<1xf64, #tam.sums<full>>
  // CHECK-NEXT: } : tensor<1xf64, #tam.sums<full>>
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%x0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    %l = tam.linear %x0 {scale = 2.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    %b = tam.rhs %l, %x0 into %s0 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
        -> tensor<1xf64, #tam.sums<full>>
    tam.yield %b : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// CHECK-LABEL: func.func @rows_of_predictions(
// CHECK-SAME: %[[X:.*]]: tensor<?xf64>, %[[K:.*]]: tensor<?xi32>, %[[C:.*]]: tensor<1xf64>)
func.func @rows_of_predictions(%x: tensor<?xf64>, %k: tensor<?xi32>,
                               %c: tensor<1xf64>) -> tensor<?xf64> {
  // CHECK: %[[R:.*]] = tam.rows(%[[X]], %[[K]], %[[C]] : tensor<?xf64>, tensor<?xi32>, tensor<1xf64>) {
  // CHECK-NEXT: ^bb0(%[[X0:.*]]: tensor<?xf64>, %[[K0:.*]]: tensor<?xi32>, %[[C0:.*]]: tensor<1xf64>):
  // CHECK-NEXT: %[[L:.*]] = tam.linear %[[X0]]
  // CHECK-NEXT: %[[P:.*]] = tam.predict(%[[L]] : tensor<?x1xf64, #tam.dense>) coefficients(%[[C0]] : tensor<1xf64>) : tensor<?xf64>
  // CHECK-NEXT: tam.yield %[[P]] : tensor<?xf64>
  // CHECK-NEXT: } : tensor<?xf64>
  %r = tam.rows(%x, %k, %c : tensor<?xf64>, tensor<?xi32>, tensor<1xf64>) {
  ^bb0(%x0: tensor<?xf64>, %k0: tensor<?xi32>, %c0: tensor<1xf64>):
    %l = tam.linear %x0 {scale = 2.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    %p = tam.predict(%l : tensor<?x1xf64, #tam.dense>)
        coefficients(%c0 : tensor<1xf64>) : tensor<?xf64>
    tam.yield %p : tensor<?xf64>
  } : tensor<?xf64>
  // CHECK: tam.predict(%{{.*}} : tensor<?x1xf64, #tam.dense>) coefficients(%[[C]] : tensor<1xf64>) into(%[[R]] : tensor<?xf64>) : tensor<?xf64>
  %l = tam.linear %x {scale = 2.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %s = tam.predict(%l : tensor<?x1xf64, #tam.dense>)
      coefficients(%c : tensor<1xf64>) into(%r : tensor<?xf64>)
      : tensor<?xf64>
  return %s : tensor<?xf64>
}

// CHECK-LABEL: func.func @estimate(
// CHECK-SAME: %[[ROWS:.*]]: index, %[[G00:.*]]: tensor<1x1xf64, #tam.sums<upper>>, %[[G01:.*]]: tensor<1x2xf64, #tam.sums<full>>, %[[G11:.*]]: tensor<2x2xf64, #tam.sums<diagonal>>, %[[B0:.*]]: tensor<1xf64, #tam.sums<full>>, %[[B1:.*]]: tensor<2xf64, #tam.sums<full>>
func.func @estimate(%rows: index, %g00: tensor<1x1xf64, #tam.sums<upper>>,
                    %g01: tensor<1x2xf64, #tam.sums<full>>,
                    %g11: tensor<2x2xf64, #tam.sums<diagonal>>,
                    %b0: tensor<1xf64, #tam.sums<full>>,
                    %b1: tensor<2xf64, #tam.sums<full>>,
                    %strengths: tensor<2xf64>) -> tensor<3xf64> {
  // CHECK: %[[P0:.*]] = tam.penalty rows [0] columns [0] values [1.000000e-09] : tensor<1x1xf64, #tam.coordinates<1>>
  %p0 = tam.penalty rows [0] columns [0] values [1.0e-9]
      : tensor<1x1xf64, #tam.coordinates<1>>
  // CHECK: %[[P1:.*]] = tam.penalty rows [0, 1, 1] columns [0, 0, 1] values [1.000000e+00, -1.000000e+00, 1.000000e+00] : tensor<2x2xf64, #tam.coordinates<3>>
  %p1 = tam.penalty rows [0, 1, 1] columns [0, 0, 1] values [1.0, -1.0, 1.0]
      : tensor<2x2xf64, #tam.coordinates<3>>
  // No digit is lost.
  // CHECK: values [6.0000000000000008E-9] :
  %exact = tam.penalty rows [0] columns [0] values [6.0000000000000008E-9]
      : tensor<1x1xf64, #tam.coordinates<1>>
  // Sums of parts, some times strengths.
  // CHECK: tam.penalty rows [0, 1] columns [0, 1] values [1.000000e+00, 2.000000e+00, 3.000000e+00] strengths(%{{.*}} : tensor<2xf64>) parts [0, 1, 0, 1, 0, 1, 2, 0, 1] : tensor<2x2xf64, #tam.coordinates<2>>
  %parts = tam.penalty rows [0, 1] columns [0, 1] values [1.0, 2.0, 3.0]
      strengths(%strengths : tensor<2xf64>)
      parts [0, 1, 0, 1, 0, 1, 2, 0, 1]
      : tensor<2x2xf64, #tam.coordinates<2>>
  // A sum of parts, times a strength.
  // CHECK: tam.penalty rows [0] columns [0] values [1.000000e+00, 2.000000e+00] strengths(%{{.*}} : tensor<2xf64>) parts [1, 1, 0, 1, 0, 0, -2, 1, 1] : tensor<1x1xf64, #tam.coordinates<1>>
  %sum = tam.penalty rows [0] columns [0] values [1.0, 2.0]
      strengths(%strengths : tensor<2xf64>)
      parts [1, 1, 0, 1, 0, 0, -2, 1, 1]
      : tensor<1x1xf64, #tam.coordinates<1>>
  // No entry: a penalty of zero.
  // CHECK: tam.penalty rows [] columns [] values [] : tensor<4x4xf64, #tam.coordinates<0>>
  %none = tam.penalty rows [] columns [] values []
      : tensor<4x4xf64, #tam.coordinates<0>>
  // CHECK: %[[M:.*]] = tam.normal_matrix %[[ROWS]] blocks(%[[G00]], %[[G01]], %[[G11]] : tensor<1x1xf64, #tam.sums<upper>>, tensor<1x2xf64, #tam.sums<full>>, tensor<2x2xf64, #tam.sums<diagonal>>) penalties(%[[P0]], %[[P1]] : tensor<1x1xf64, #tam.coordinates<1>>, tensor<2x2xf64, #tam.coordinates<3>>) : tensor<3x3xf64>
  %m = tam.normal_matrix %rows
      blocks(%g00, %g01, %g11 : tensor<1x1xf64, #tam.sums<upper>>,
             tensor<1x2xf64, #tam.sums<full>>,
             tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<3>>) : tensor<3x3xf64>
  // CHECK: tam.normal_matrix %[[ROWS]] blocks() penalties(%[[P0]] : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %alone = tam.normal_matrix %rows blocks()
      penalties(%p0 : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  // CHECK: %[[B:.*]] = tam.normal_vector(%[[B0]], %[[B1]] : tensor<1xf64, #tam.sums<full>>, tensor<2xf64, #tam.sums<full>>) : tensor<3xf64>
  %b = tam.normal_vector(%b0, %b1 : tensor<1xf64, #tam.sums<full>>,
                         tensor<2xf64, #tam.sums<full>>) : tensor<3xf64>
  // CHECK: tam.solve %[[M]], %[[B]] : tensor<3x3xf64>, tensor<3xf64>
  %x0 = tam.solve %m, %b {solver = #tam.solver<auto>}
      : tensor<3x3xf64>, tensor<3xf64>
  // CHECK: tam.solve %[[M]], %[[B]] {solver = #tam.solver<cg>} : tensor<3x3xf64>, tensor<3xf64>
  %x1 = tam.solve %m, %b {solver = #tam.solver<cg>}
      : tensor<3x3xf64>, tensor<3xf64>
  // CHECK: tam.solve %[[M]], %[[B]] {solver = #tam.solver<direct>} : tensor<3x3xf64>, tensor<3xf64>
  %x = tam.solve %m, %b {solver = #tam.solver<direct>}
      : tensor<3x3xf64>, tensor<3xf64>
  return %x : tensor<3xf64>
}

// CHECK-LABEL: func.func @pairs(
// CHECK-SAME: %[[N:.*]]: index, %[[A:.*]]: tensor<?x2xf64, #tam.sparse<1>>, %[[B:.*]]: tensor<?x3xf64, #tam.sparse<2>>, %[[W:.*]]: tensor<?xf64>, %[[G:.*]]: tensor<2x2xf64, #tam.sums<upper>>, %[[H:.*]]: tensor<3x3xf64, #tam.sums<upper>>, %[[S:.*]]: tensor<8xf64, #tam.sums<full>>)
func.func @pairs(%n: index, %a: tensor<?x2xf64, #tam.sparse<1>>,
    %b: tensor<?x3xf64, #tam.sparse<2>>, %w: tensor<?xf64>,
    %g: tensor<2x2xf64, #tam.sums<upper>>,
    %h: tensor<3x3xf64, #tam.sums<upper>>,
    %s: tensor<8xf64, #tam.sums<full>>) -> tensor<5x5xf64> {
  %p = tam.penalty rows [] columns [] values []
      : tensor<2x2xf64, #tam.coordinates<0>>
  %q = tam.penalty rows [] columns [] values []
      : tensor<3x3xf64, #tam.coordinates<0>>
  // CHECK: %[[S0:.*]] = tam.gram_pairs %[[A]], %[[B]] into %[[S]] {first = array<i32: 1>, second = array<i32: 0>} : tensor<?x2xf64, #tam.sparse<1>>, tensor<?x3xf64, #tam.sparse<2>> -> tensor<8xf64, #tam.sums<full>>
  %s0 = tam.gram_pairs %a, %b into %s {first = array<i32: 1>,
      second = array<i32: 0>} : tensor<?x2xf64, #tam.sparse<1>>,
      tensor<?x3xf64, #tam.sparse<2>> -> tensor<8xf64, #tam.sums<full>>
  // CHECK: %[[S1:.*]] = tam.gram_pairs %[[A]], %[[B]] weights %[[W]] : tensor<?xf64> into %[[S0]]
  %s1 = tam.gram_pairs %a, %b weights %w : tensor<?xf64> into %s0
      {first = array<i32: 1>, second = array<i32: 0>}
      : tensor<?x2xf64, #tam.sparse<1>>, tensor<?x3xf64, #tam.sparse<2>>
      -> tensor<8xf64, #tam.sums<full>>
  // CHECK: tam.normal_matrix %[[N]] blocks(%[[G]], %[[H]] : {{.*}}) pairs(%[[S1]] : tensor<8xf64, #tam.sums<full>>) penalties({{.*}}) {first = array<i32: 1>, second = array<i32: 0>} : tensor<5x5xf64>
  %m = tam.normal_matrix %n
      blocks(%g, %h : tensor<2x2xf64, #tam.sums<upper>>,
             tensor<3x3xf64, #tam.sums<upper>>)
      pairs(%s1 : tensor<8xf64, #tam.sums<full>>)
      penalties(%p, %q : tensor<2x2xf64, #tam.coordinates<0>>,
                tensor<3x3xf64, #tam.coordinates<0>>)
      {first = array<i32: 1>, second = array<i32: 0>} : tensor<5x5xf64>
  return %m : tensor<5x5xf64>
}

// CHECK-LABEL: func.func @equations(
// CHECK-SAME: %[[N:.*]]: index, %[[A:.*]]: tensor<?x1xf64>, %[[B:.*]]: tensor<?x2xf64, #tam.one_hot>, %[[Y:.*]]: tensor<?xf64>, %[[W:.*]]: tensor<?xf64>)
func.func @equations(%n: index, %a: tensor<?x1xf64>,
                     %b: tensor<?x2xf64, #tam.one_hot>, %y: tensor<?xf64>,
                     %w: tensor<?xf64>) {
  // CHECK: %[[P:.*]] = tam.penalty
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  // CHECK: %[[Q:.*]] = tam.penalty
  %q = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  // CHECK: tam.normal_equations %[[N]] designs(%[[A]], %[[B]] : tensor<?x1xf64>, tensor<?x2xf64, #tam.one_hot>) y %[[Y]] penalties(%[[P]], %[[Q]] : tensor<1x1xf64, #tam.coordinates<1>>, tensor<2x2xf64, #tam.coordinates<1>>) : tensor<?xf64> -> tensor<3x3xf64>, tensor<3xf64>
  %m0, %v0 = tam.normal_equations %n
      designs(%a, %b : tensor<?x1xf64>, tensor<?x2xf64, #tam.one_hot>) y %y
      penalties(%p, %q : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<3x3xf64>, tensor<3xf64>
  // CHECK: tam.normal_equations %[[N]] designs(%[[A]] : tensor<?x1xf64>) y %[[Y]] weights %[[W]] : tensor<?xf64> penalties(%[[P]] : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<?xf64> -> tensor<1x1xf64>, tensor<1xf64>
  %m1, %v1 = tam.normal_equations %n designs(%a : tensor<?x1xf64>) y %y
      weights %w : tensor<?xf64>
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<1x1xf64>, tensor<1xf64>
  return
}

// CHECK-LABEL: func.func @products(
// CHECK-SAME: tensor<6xf64, #tam.sums<panels, 2 of 3, 1 of 2>>
func.func @products(%s: tensor<6xf64, #tam.sums<panels, 2 of 3, 1 of 2>>,
    %g: tensor<6x3xf64, #tam.sums<transposed_panels, 2>>)
    -> (tensor<2xf64, #tam.sums<full>>,
        tensor<3x2xf64, #tam.sums<panels, 2>>) {
  // CHECK: tam.marginal %{{.*}} rows [3, 2] keep [1] columns [] keep [] : tensor<6xf64, #tam.sums<panels, 2 of 3, 1 of 2>> -> tensor<2xf64, #tam.sums<full>>
  %0 = tam.marginal %s rows [3, 2] keep [1] columns [] keep []
      : tensor<6xf64, #tam.sums<panels, 2 of 3, 1 of 2>>
      -> tensor<2xf64, #tam.sums<full>>
  // CHECK: tam.marginal %{{.*}} transposed rows [3, 2] keep [1] columns [3] keep [0] : tensor<6x3xf64, #tam.sums<transposed_panels, 2>> -> tensor<3x2xf64, #tam.sums<panels, 2>>
  %1 = tam.marginal %g transposed rows [3, 2] keep [1] columns [3] keep [0]
      : tensor<6x3xf64, #tam.sums<transposed_panels, 2>>
      -> tensor<3x2xf64, #tam.sums<panels, 2>>
  return %0, %1 : tensor<2xf64, #tam.sums<full>>,
      tensor<3x2xf64, #tam.sums<panels, 2>>
}

// CHECK-LABEL: func.func @levels
func.func @levels(%x: tensor<?xf64>, %p: tensor<4xf64>,
    %n: tensor<24x24xf64, #tam.sums<diagonal>>,
    %g: tensor<7x24xf64, #tam.sums<panels, 4>>,
    %r: tensor<24xf64, #tam.sums<full>>) {
  // CHECK: tam.regrid %{{.*}}, %{{.*}} {levels = 24 : i64, step = 1.000000e+00 : f64} : tensor<?xf64>, tensor<4xf64>
  %0 = tam.regrid %x, %p {levels = 24, step = 1.0} : tensor<?xf64>,
      tensor<4xf64>
  // CHECK: tam.grid_points %{{.*}} {step = 1.000000e+00 : f64} : tensor<4xf64> -> tensor<24xf64>
  %1 = tam.grid_points %p {step = 1.0} : tensor<4xf64> -> tensor<24xf64>
  %b = tam.fourier %1 {order = 2} : tensor<24xf64>
      -> tensor<24x4xf64, #tam.dense>
  // CHECK: tam.expand_levels %{{.*}} columns %{{.*}} : tensor<7x24xf64, #tam.sums<panels, 4>> columns tensor<24x4xf64, #tam.dense> -> tensor<7x4xf64, #tam.sums<panels, 4>>
  %2 = tam.expand_levels %g columns %b : tensor<7x24xf64, #tam.sums<panels, 4>>
      columns tensor<24x4xf64, #tam.dense> -> tensor<7x4xf64, #tam.sums<panels, 4>>
  // CHECK: tam.expand_levels %{{.*}} rows %{{.*}} columns %{{.*}} : tensor<24x24xf64, #tam.sums<diagonal>> rows tensor<24x4xf64, #tam.dense> columns tensor<24x4xf64, #tam.dense> -> tensor<4x4xf64, #tam.sums<upper>>
  %3 = tam.expand_levels %n rows %b columns %b
      : tensor<24x24xf64, #tam.sums<diagonal>>
      rows tensor<24x4xf64, #tam.dense> columns tensor<24x4xf64, #tam.dense>
      -> tensor<4x4xf64, #tam.sums<upper>>
  // CHECK: tam.expand_levels %{{.*}} rows %{{.*}} : tensor<24xf64, #tam.sums<full>> rows tensor<24x4xf64, #tam.dense> -> tensor<4xf64, #tam.sums<full>>
  %4 = tam.expand_levels %r rows %b : tensor<24xf64, #tam.sums<full>>
      rows tensor<24x4xf64, #tam.dense> -> tensor<4xf64, #tam.sums<full>>
  return
}

// CHECK-LABEL: func.func @apply(
// CHECK-SAME: %[[O:.*]]: tensor<?x1xf64, #tam.dense>, %[[C:.*]]: tensor<?x5xf64, #tam.one_hot>, %[[BO:.*]]: tensor<1xf64>, %[[BC:.*]]: tensor<5xf64>
func.func @apply(%o: tensor<?x1xf64, #tam.dense>,
                 %c: tensor<?x5xf64, #tam.one_hot>, %bo: tensor<1xf64>,
                 %bc: tensor<5xf64>)
    -> (tensor<?xf64>, tensor<?x2xf64>, tensor<?x6xf64>) {
  // CHECK: tam.predict(%[[O]], %[[C]] : tensor<?x1xf64, #tam.dense>, tensor<?x5xf64, #tam.one_hot>) coefficients(%[[BO]], %[[BC]] : tensor<1xf64>, tensor<5xf64>) : tensor<?xf64>
  %y = tam.predict(%o, %c : tensor<?x1xf64, #tam.dense>,
                   tensor<?x5xf64, #tam.one_hot>)
      coefficients(%bo, %bc : tensor<1xf64>, tensor<5xf64>) : tensor<?xf64>
  // CHECK: tam.decompose(%[[O]], %[[C]] : tensor<?x1xf64, #tam.dense>, tensor<?x5xf64, #tam.one_hot>) coefficients(%[[BO]], %[[BC]] : tensor<1xf64>, tensor<5xf64>) : tensor<?x2xf64>
  %t = tam.decompose(%o, %c : tensor<?x1xf64, #tam.dense>,
                     tensor<?x5xf64, #tam.one_hot>)
      coefficients(%bo, %bc : tensor<1xf64>, tensor<5xf64>) : tensor<?x2xf64>
  // CHECK: tam.design(%[[O]], %[[C]] : tensor<?x1xf64, #tam.dense>, tensor<?x5xf64, #tam.one_hot>) : tensor<?x6xf64>
  %d = tam.design(%o, %c : tensor<?x1xf64, #tam.dense>,
                  tensor<?x5xf64, #tam.one_hot>) : tensor<?x6xf64>
  return %y, %t, %d : tensor<?xf64>, tensor<?x2xf64>, tensor<?x6xf64>
}

// CHECK-LABEL: func.func @cg(
func.func @cg(%n: index, %a: tensor<2x2xf64>, %b: tensor<2xf64>)
    -> (tensor<2xf64>, tensor<2xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  // CHECK: tam.factor %{{.*}} {column = 3 : i64} : tensor<2x2xf64>
  %l = tam.factor %a {column = 3} : tensor<2x2xf64>
  // CHECK: tam.factor_solve %{{.*}}, %{{.*}} : tensor<2x2xf64>, tensor<2xf64>
  %z = tam.factor_solve %l, %b : tensor<2x2xf64>, tensor<2xf64>
  // CHECK: %[[D:.*]] = tam.diagonal_factor %{{.*}} sums(%{{.*}} : tensor<2xf64>) penalty %{{.*}} {column = 3 : i64} : tensor<2x2xf64, #tam.coordinates<1>> -> tensor<2xf64>
  %d = tam.diagonal_factor %n sums(%b : tensor<2xf64>) penalty %p {column = 3}
      : tensor<2x2xf64, #tam.coordinates<1>> -> tensor<2xf64>
  // CHECK: tam.diagonal_factor %{{.*}} penalty %{{.*}} : tensor<2x2xf64, #tam.coordinates<1>> -> tensor<2xf64>
  %d0 = tam.diagonal_factor %n penalty %p
      : tensor<2x2xf64, #tam.coordinates<1>> -> tensor<2xf64>
  // CHECK: tam.diagonal_solve %[[D]], %{{.*}} : tensor<2xf64>
  %dz = tam.diagonal_solve %d, %b : tensor<2xf64>
  // CHECK: tam.normal_product %{{.*}} sums(%{{.*}} : tensor<2xf64>) penalties(%{{.*}} : tensor<2x2xf64, #tam.coordinates<1>>) vector %{{.*}} : tensor<2xf64>
  %q = tam.normal_product %n sums(%b : tensor<2xf64>)
      penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) vector %b
      : tensor<2xf64>
  return %z, %q : tensor<2xf64>, tensor<2xf64>
}

// CHECK-LABEL: func.func @inference(
// CHECK-SAME: %[[T:.*]]: index, %[[A:.*]]: tensor<3x3xf64>, %[[O:.*]]: tensor<?x1xf64, #tam.dense>, %[[C:.*]]: tensor<?x2xf64, #tam.one_hot>)
func.func @inference(%rows: index, %a: tensor<3x3xf64>,
                     %o: tensor<?x1xf64, #tam.dense>,
                     %c: tensor<?x2xf64, #tam.one_hot>)
    -> (tensor<6xf64> {tam.slot = #tam.slot<inference>},
        tensor<2xf64> {tam.slot = #tam.slot<inference, 64>},
        tensor<?x3xf64> {tam.slot = #tam.slot<output>}) {
  %p0 = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  // CHECK: tam.column_means %[[T]] matrix %[[A]] : tensor<3x3xf64> -> tensor<3xf64>
  %m = tam.column_means %rows matrix %a : tensor<3x3xf64> -> tensor<3xf64>
  // CHECK: %[[V:.*]], %{{.*}} = tam.inverse %[[A]] : tensor<3x3xf64> -> tensor<6xf64>, tensor<2xf64>
  %v, %n = tam.inverse %a : tensor<3x3xf64> -> tensor<6xf64>, tensor<2xf64>
  // CHECK: tam.effective_df %[[T]] inverse %[[V]] : tensor<6xf64> penalties(%{{.*}}, %{{.*}} : tensor<1x1xf64, #tam.coordinates<1>>, tensor<2x2xf64, #tam.coordinates<1>>) columns [1, 2] -> tensor<2xf64>
  %e = tam.effective_df %rows inverse %v : tensor<6xf64>
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<1>>)
      columns [1, 2] -> tensor<2xf64>
  // CHECK: tam.quadratic_forms(%[[O]], %[[C]] : tensor<?x1xf64, #tam.dense>, tensor<?x2xf64, #tam.one_hot>) triangle %[[V]] : tensor<6xf64> -> tensor<?x3xf64>
  %q = tam.quadratic_forms(%o, %c : tensor<?x1xf64, #tam.dense>,
                           tensor<?x2xf64, #tam.one_hot>)
      triangle %v : tensor<6xf64> -> tensor<?x3xf64>
  return %v, %e, %q : tensor<6xf64>, tensor<2xf64>, tensor<?x3xf64>
}

}
