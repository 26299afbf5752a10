// Sums over rows of a chunk, and the feature maps that they read, are moved
// into one tam.rows; sums that the row loop does not support stay.
//
// RUN: tam-opt %s --tam-fuse-rows -split-input-file | FileCheck %s
// RUN: tam-opt %s --tam-fuse-rows=most-effects=0 -split-input-file \
// RUN:   | FileCheck %s
// RUN: tam-opt %s --tam-fuse-rows=most-effects=2 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=SEVERAL
// RUN: not tam-opt %s --tam-fuse-rows=most-effects=-2 -split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: expected at least 0 effects in a loop, or -1 for the target's limit, got -2

// Loops of two effects: the second begins with what the first has stored, and
// the effect without a loop is added in the end.
//
// SEVERAL: order = 3
// SEVERAL: %[[FIRST:.*]] = tam.rows(
// SEVERAL: tam.predict(%{{.*}}, %{{.*}} : tensor<?x1xf64, #tam.dense>, tensor<?x5xf64, #tam.banded<4>>) coefficients({{.*}}) : tensor<?xf64>
// SEVERAL: %[[SECOND:.*]] = tam.rows(%{{.*}} : {{.*}}) into(%[[FIRST]] : tensor<?xf64>) {
// SEVERAL: ^bb0({{.*}}, %[[START:[a-z0-9]*]]: tensor<?xf64>):
// SEVERAL: tam.predict(%{{.*}} : {{.*}}) coefficients({{.*}}) into(%[[START]] : tensor<?xf64>) : tensor<?xf64>
// SEVERAL: tam.predict({{.*}}) coefficients({{.*}}) into(%[[SECOND]] : tensor<?xf64>) : tensor<?xf64>

// All sums are fused, and nothing is left outside. The weights are an input as
// are the columns, each once.
//
// CHECK-LABEL: func.func @fit_chunk(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[V:[^:]*]]: tensor<?xf64> {tam.slot = #tam.slot<column>},
// CHECK-SAME: %[[P:[^:]*]]: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
// CHECK-SAME: %[[Y:[^:]*]]: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
// CHECK-SAME: %[[W:[^:]*]]: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
// CHECK-SAME: %[[S0:[^:]*]]: tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
// CHECK-SAME: %[[S1:[^:]*]]: tensor<1x5xf64, #tam.sums<transposed>> {tam.slot = #tam.slot<state, 448>},
// CHECK-SAME: %[[S2:[^:]*]]: tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 576>})
// CHECK-NEXT: %[[R:.*]]:3 = tam.rows(%[[V]], %[[P]], %[[ROWS]], %[[W]], %[[Y]] :
// CHECK-SAME: into(%[[S0]], %[[S1]], %[[S2]] :
// CHECK-NEXT: ^bb0(%[[V0:.*]]: tensor<?xf64>, %[[P0:.*]]: tensor<4xf64>, %[[ROWS0:.*]]: index, %[[W0:.*]]: tensor<?xf64>, %[[Y0:.*]]: tensor<?xf64>, %[[A0:.*]]: tensor<5x5xf64, #tam.sums<upper>>, %[[A1:.*]]: tensor<1x5xf64, #tam.sums<transposed>>, %[[A2:.*]]: tensor<5xf64, #tam.sums<full>>):
// CHECK-NEXT: %[[X:.*]] = tam.normalize %[[V0]], %[[P0]]
// CHECK-NEXT: %[[A:.*]] = tam.bspline %[[X]], %[[P0]]
// CHECK-NEXT: %[[ONE:.*]] = tam.offset %[[ROWS0]]
// CHECK-NEXT: %[[B0:.*]] = tam.gram %[[A]], %[[A]] weights %[[W0]] : tensor<?xf64> into %[[A0]]
// CHECK-NEXT: %[[B1:.*]] = tam.gram %[[ONE]], %[[A]] weights %[[W0]] : tensor<?xf64> into %[[A1]]
// CHECK-NEXT: %[[B2:.*]] = tam.rhs %[[A]], %[[Y0]] weights %[[W0]] : tensor<?xf64> into %[[A2]]
// CHECK-NEXT: tam.yield %[[B0]], %[[B1]], %[[B2]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
    %w: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
    %s0: tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %s1: tensor<1x5xf64, #tam.sums<transposed>>
        {tam.slot = #tam.slot<state, 448>},
    %s2: tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 576>})
    -> (tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
        tensor<1x5xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<state, 448>},
        tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 576>})
    attributes {tam.step = #tam.step<fit_chunk>} {
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
  %a = tam.bspline %x, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %one = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %0 = tam.gram %a, %a weights %w : tensor<?xf64> into %s0
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?x5xf64, #tam.banded<4>>
      -> tensor<5x5xf64, #tam.sums<upper>>
  %1 = tam.gram %one, %a weights %w : tensor<?xf64> into %s1
      : tensor<?x1xf64, #tam.dense>, tensor<?x5xf64, #tam.banded<4>>
      -> tensor<1x5xf64, #tam.sums<transposed>>
  %2 = tam.rhs %a, %y weights %w : tensor<?xf64> into %s2
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?xf64>
      -> tensor<5xf64, #tam.sums<full>>
  return %0, %1, %2 : tensor<5x5xf64, #tam.sums<upper>>,
      tensor<1x5xf64, #tam.sums<transposed>>, tensor<5xf64, #tam.sums<full>>
}

// -----

// The row loop does not support a Fourier map: its sums stay. The column that
// both kinds of sums read is computed for each.
//
// CHECK-LABEL: func.func @fit_chunk(
// CHECK: %[[X:.*]] = tam.normalize %[[V:.*]], %[[P:.*]] :
// CHECK: %[[L:.*]] = tam.linear %[[X]]
// CHECK: %[[F:.*]] = tam.fourier %[[X]]
// CHECK: %[[MIXED:.*]] = tam.gram %[[L]], %[[F]] into
// CHECK: %[[R:.*]]:2 = tam.rows(
// CHECK: tam.normalize
// CHECK-NEXT: %[[L0:.*]] = tam.linear
// CHECK-NEXT: tam.gram %[[L0]], %[[L0]] into
// CHECK-NEXT: tam.rhs %[[L0]],
// CHECK: return %[[R]]#0, %[[MIXED]], %[[R]]#1
func.func @fit_chunk(
    %v: tensor<?xf64>, %p: tensor<4xf64>, %y: tensor<?xf64>,
    %s0: tensor<1x1xf64, #tam.sums<upper>>,
    %s1: tensor<1x4xf64, #tam.sums<full>>, %s2: tensor<1xf64, #tam.sums<full>>)
    -> (tensor<1x1xf64, #tam.sums<upper>>, tensor<1x4xf64, #tam.sums<full>>,
        tensor<1xf64, #tam.sums<full>>)
    attributes {tam.step = #tam.step<fit_chunk>} {
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
  %l = tam.linear %x {scale = 2.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %f = tam.fourier %x {order = 2} : tensor<?xf64>
      -> tensor<?x4xf64, #tam.dense>
  %0 = tam.gram %l, %l into %s0 : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense> -> tensor<1x1xf64, #tam.sums<upper>>
  %1 = tam.gram %l, %f into %s1 : tensor<?x1xf64, #tam.dense>,
      tensor<?x4xf64, #tam.dense> -> tensor<1x4xf64, #tam.sums<full>>
  %2 = tam.rhs %l, %y into %s2 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return %0, %1, %2 : tensor<1x1xf64, #tam.sums<upper>>,
      tensor<1x4xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>
}

// -----

// Not fused: a spline that is stored dense, one of a high degree, levels that
// the runtime looks up; a single sum; a step that is not one of a fit.
//
// CHECK-LABEL: func.func @fit_chunk(
// CHECK-NOT: tam.rows
func.func @fit_chunk(
    %v: tensor<?xf64>, %p: tensor<4xf64>, %k: tensor<?xi32>, %y: tensor<?xf64>,
    %s0: tensor<5xf64, #tam.sums<full>>, %s1: tensor<10xf64, #tam.sums<full>>,
    %s2: tensor<3xf64, #tam.sums<full>>, %s3: tensor<1xf64, #tam.sums<full>>)
    -> (tensor<5xf64, #tam.sums<full>>, tensor<10xf64, #tam.sums<full>>,
        tensor<3xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>)
    attributes {tam.step = #tam.step<fit_chunk>} {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.dense>
  %b = tam.bspline %v, %p {intervals = 2, degree = 8}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x10xf64, #tam.banded<9>>
  %c = tam.levels %k {levels = 3} : tensor<?xi32>
      -> tensor<?x3xf64, #tam.one_hot>
  %l = tam.linear %v {scale = 2.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %0 = tam.rhs %a, %y into %s0 : tensor<?x5xf64, #tam.dense>, tensor<?xf64>
      -> tensor<5xf64, #tam.sums<full>>
  %1 = tam.rhs %b, %y into %s1 : tensor<?x10xf64, #tam.banded<9>>,
      tensor<?xf64> -> tensor<10xf64, #tam.sums<full>>
  %2 = tam.rhs %c, %y into %s2 : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  %3 = tam.rhs %l, %y into %s3 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return %0, %1, %2, %3 : tensor<5xf64, #tam.sums<full>>,
      tensor<10xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>,
      tensor<1xf64, #tam.sums<full>>
}

// CHECK-LABEL: func.func @predict(
// CHECK-NOT: tam.rows
func.func @predict(
    %v: tensor<?xf64>, %y: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>,
    %s1: tensor<1xf64, #tam.sums<full>>)
    -> (tensor<1xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>)
    attributes {tam.step = #tam.step<predict>} {
  %l = tam.linear %v {scale = 2.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %0 = tam.rhs %l, %y into %s0 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %1 = tam.rhs %l, %y into %s1 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return %0, %1 : tensor<1xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>
}

// -----

// Predictions: the effects that the kernel supports become a tam.rows, in their
// order, and the others are added to its result. A column that both read is
// computed for each.
//
// CHECK-LABEL: func.func @predict(
// CHECK-SAME: %[[ROWS:[^:]*]]: index, %[[V:[^:]*]]: tensor<?xf64>, %[[P:[^:]*]]: tensor<4xf64>, %[[K:[^:]*]]: tensor<?xi32>,
// CHECK-SAME: %[[B0:[^:]*]]: tensor<1xf64>, %[[B1:[^:]*]]: tensor<6xf64>, %[[B2:[^:]*]]: tensor<5xf64>, %[[B3:[^:]*]]: tensor<7xf64>)
// CHECK-NEXT: %[[X:.*]] = tam.normalize %[[V]], %[[P]]
// CHECK-NEXT: %[[F:.*]] = tam.fourier %[[X]]
// CHECK-NEXT: %[[R:.*]] = tam.rows(
// CHECK-NOT: into
// CHECK: ^bb0(
// CHECK-NEXT: %[[X0:.*]] = tam.normalize
// CHECK-NEXT: %[[O:.*]] = tam.offset
// CHECK-NEXT: %[[S:.*]] = tam.bspline %[[X0]],
// CHECK-NEXT: %[[L:.*]] = tam.levels
// CHECK-NEXT: %[[Y0:.*]] = tam.predict(%[[O]], %[[S]], %[[L]] :
// CHECK-NEXT: tam.yield %[[Y0]] : tensor<?xf64>
// CHECK-NEXT: } : tensor<?xf64>
// CHECK-NEXT: %[[Y:.*]] = tam.predict(%[[F]] : {{.*}}) coefficients(%[[B1]] : tensor<6xf64>) into(%[[R]] : tensor<?xf64>) : tensor<?xf64>
// CHECK-NEXT: return %[[Y]]
func.func @predict(%rows: index, %v: tensor<?xf64>, %p: tensor<4xf64>,
    %k: tensor<?xi32>, %b0: tensor<1xf64>, %b1: tensor<6xf64>,
    %b2: tensor<5xf64>, %b3: tensor<7xf64>) -> tensor<?xf64>
    attributes {tam.step = #tam.step<predict>} {
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %f = tam.fourier %x {order = 3} : tensor<?xf64>
      -> tensor<?x6xf64, #tam.dense>
  %s = tam.bspline %x, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %l = tam.levels %k {levels = 7} : tensor<?xi32>
      -> tensor<?x7xf64, #tam.one_hot>
  %y = tam.predict(%o, %f, %s, %l : tensor<?x1xf64, #tam.dense>,
          tensor<?x6xf64, #tam.dense>, tensor<?x5xf64, #tam.banded<4>>,
          tensor<?x7xf64, #tam.one_hot>)
      coefficients(%b0, %b1, %b2, %b3 : tensor<1xf64>, tensor<6xf64>,
          tensor<5xf64>, tensor<7xf64>) : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// A single effect has a kernel already; the kernel of predictions does not
// support a spline of degree 0 or one that is stored dense.
//
// CHECK-LABEL: func.func @predict(
// CHECK-NOT: tam.rows
// CHECK: tam.predict(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) coefficients(
// CHECK-NOT: tam.rows
// CHECK: return
func.func @predict(%rows: index, %v: tensor<?xf64>, %p: tensor<4xf64>,
    %b0: tensor<1xf64>, %b1: tensor<2xf64>, %b2: tensor<5xf64>) -> tensor<?xf64>
    attributes {tam.step = #tam.step<predict>} {
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %s = tam.bspline %x, %p {intervals = 2, degree = 0}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x2xf64, #tam.banded<1>>
  %t = tam.bspline %x, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.dense>
  %y = tam.predict(%o, %s, %t : tensor<?x1xf64, #tam.dense>,
          tensor<?x2xf64, #tam.banded<1>>, tensor<?x5xf64, #tam.dense>)
      coefficients(%b0, %b1, %b2 : tensor<1xf64>, tensor<2xf64>, tensor<5xf64>)
      : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// Not fused: two sums into what was given, of which neither has bytes of its
// own.
//
// CHECK-LABEL: func.func @fit_chunk(
// CHECK-NOT: tam.rows
func.func @fit_chunk(
    %v: tensor<?xf64>, %y: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> (tensor<1xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>)
    attributes {tam.step = #tam.step<fit_chunk>} {
  %l = tam.linear %v {scale = 2.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %0 = tam.rhs %l, %y into %s : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %1 = tam.rhs %l, %v into %s : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return %0, %1 : tensor<1xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>
}

// -----

// Nor sums that start from a sum, and sums of a column that is computed.
//
// CHECK-LABEL: func.func @fit_chunk(
// CHECK-NOT: tam.rows
func.func @fit_chunk(
    %v: tensor<?xf64>, %p: tensor<4xf64>, %y: tensor<?xf64>,
    %s0: tensor<1xf64, #tam.sums<full>>, %s1: tensor<1xf64, #tam.sums<full>>)
    -> (tensor<1xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>)
    attributes {tam.step = #tam.step<fit_chunk>} {
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
  %l = tam.linear %v {scale = 2.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %0 = tam.rhs %l, %y into %s0 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %1 = tam.rhs %l, %v into %0 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %2 = tam.rhs %l, %x into %s1 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return %1, %2 : tensor<1xf64, #tam.sums<full>>, tensor<1xf64, #tam.sums<full>>
}
