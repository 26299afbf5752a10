// The fit is split at its sums over rows into init, chunk and finish; sums
// become state at offsets that are multiples of 64 bytes; steps that take rows
// get `first` and `capacity`.
//
// RUN: tam-opt %s --tam-tile-rows -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// State: the 5 x 5 upper triangle is 25 doubles, 200 bytes, and takes 256; the
// right-hand side is 5 doubles, 40 bytes, and takes 64.
//
// CHECK: module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 5>,
// CHECK-SAME: tam.plain = #tam.variant<state_bytes = 320, accumulators = [
// CHECK-SAME: <kind = fit_chunk, offset = 0, count = 25>,
// CHECK-SAME: <kind = fit_chunk, offset = 256, count = 5>]>}
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 5>} {

// CHECK-LABEL: func.func @fit_init()
// CHECK-SAME: -> (tensor<40xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
// CHECK-SAME: attributes {tam.step = #tam.step<fit_init>}
// CHECK-NEXT: %[[Z:.*]] = tam.zeros : tensor<40xf64, #tam.sums<full>>
// CHECK-NEXT: return %[[Z]]

// CHECK-LABEL: func.func @fit_chunk(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[V:[^:]*]]: tensor<?xf64> {tam.slot = #tam.slot<column>},
// CHECK-SAME: %[[P:[^:]*]]: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
// CHECK-SAME: %[[Y:[^:]*]]: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
// CHECK-SAME: %{{[^:]*}}: index {tam.slot = #tam.slot<first>},
// CHECK-SAME: %{{[^:]*}}: index {tam.slot = #tam.slot<capacity>},
// CHECK-SAME: %[[S0:[^:]*]]: tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
// CHECK-SAME: %[[S1:[^:]*]]: tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 256>})
// CHECK-SAME: -> (tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
// CHECK-SAME: tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 256>})
// CHECK-SAME: attributes {tam.step = #tam.step<fit_chunk>}
// CHECK-NEXT: %[[X:.*]] = tam.normalize %[[V]], %[[P]]
// CHECK-NEXT: %[[A:.*]] = tam.bspline %[[X]], %[[P]]
// CHECK-NEXT: %[[G:.*]] = tam.gram %[[A]], %[[A]] into %[[S0]]
// CHECK-NEXT: %[[B:.*]] = tam.rhs %[[A]], %[[Y]] into %[[S1]]
// CHECK-NEXT: return %[[G]], %[[B]]

// CHECK-LABEL: func.func @fit_finish(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[S0:[^:]*]]: tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
// CHECK-SAME: %[[S1:[^:]*]]: tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 256>})
// CHECK-SAME: -> (tensor<5xf64> {tam.slot = #tam.slot<output>})
// CHECK-SAME: attributes {tam.step = #tam.step<fit_finish>}
// CHECK-NEXT: %[[Q:.*]] = tam.penalty
// CHECK-NEXT: %[[M:.*]] = tam.normal_matrix %[[ROWS]] blocks(%[[S0]] : {{.*}}) penalties(%[[Q]] :
// CHECK-NEXT: %[[R:.*]] = tam.normal_vector(%[[S1]] :
// CHECK-NEXT: %[[C:.*]] = tam.solve %[[M]], %[[R]]
// CHECK-NEXT: return %[[C]]

// CHECK-NOT: func.func @fit(
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>})
    -> (tensor<5xf64> {tam.slot = #tam.slot<output>}) {
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<4xf64>
  %a = tam.bspline %x, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %z = tam.zeros : tensor<5x5xf64, #tam.sums<upper>>
  %g = tam.gram %a, %a into %z : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<upper>>
  %q = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<5x5xf64, #tam.coordinates<1>>
  %zb = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %b = tam.rhs %a, %y into %zb : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%g : tensor<5x5xf64, #tam.sums<upper>>)
      penalties(%q : tensor<5x5xf64, #tam.coordinates<1>>) : tensor<5x5xf64>
  %r = tam.normal_vector(%b : tensor<5xf64, #tam.sums<full>>) : tensor<5xf64>
  %c = tam.solve %m, %r {solver = #tam.solver<direct>}
      : tensor<5x5xf64>, tensor<5xf64>
  return %c : tensor<5xf64>
}

// A step that sums nothing keeps its body and gets the chunk's arguments.
//
// CHECK-LABEL: func.func @predict(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[B:[^:]*]]: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
// CHECK-SAME: %{{[^:]*}}: index {tam.slot = #tam.slot<first>},
// CHECK-SAME: %{{[^:]*}}: index {tam.slot = #tam.slot<capacity>})
// CHECK-SAME: attributes {tam.step = #tam.step<predict>}
// CHECK-NEXT: tam.offset %[[ROWS]]
// CHECK-NEXT: tam.predict
// CHECK-NEXT: return
func.func @predict(%rows: index {tam.slot = #tam.slot<rows>},
                   %b: tensor<1xf64> {tam.slot = #tam.slot<coefficients>})
    -> (tensor<?xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<predict>} {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %y = tam.predict(%o : tensor<?x1xf64, #tam.dense>)
      coefficients(%b : tensor<1xf64>) : tensor<?xf64>
  return %y : tensor<?xf64>
}

// The pass ignores a function without rows.
//
// CHECK-LABEL: func.func @other(
// CHECK-SAME: tensor<1xf64> {tam.slot = #tam.slot<coefficients>})
// CHECK-NEXT: return
func.func @other(%b: tensor<1xf64> {tam.slot = #tam.slot<coefficients>}) {
  return
}

}

// -----

// Sums that start from one zero, as after CSE, each get bytes of their own.
//
// CHECK-LABEL: func.func @fit_init()
// CHECK-SAME: -> (tensor<16xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
// CHECK-LABEL: func.func @fit_chunk(
// CHECK-SAME: %[[S0:[^:]*]]: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>},
// CHECK-SAME: %[[S1:[^:]*]]: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>})
// CHECK: %[[R0:.*]] = tam.rhs {{.*}} into %[[S0]]
// CHECK: %[[R1:.*]] = tam.rhs {{.*}} into %[[S1]]
// CHECK: return %[[R0]], %[[R1]]
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>},
               %u: tensor<?xf64> {tam.slot = #tam.slot<column, 1>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<output>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %s = tam.rhs %o, %u into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %v = tam.normal_vector(%r, %s : tensor<1xf64, #tam.sums<full>>,
                         tensor<1xf64, #tam.sums<full>>) : tensor<2xf64>
  return %v : tensor<2xf64>
}

// -----

// An accumulator without a layout has no size.
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64>
  // expected-error @+1 {{'tam.rhs' op expected an encoded accumulator that starts from tam.zeros}}
  %r = tam.rhs %o, %y into %z
      : tensor<?x1xf64, #tam.dense>, tensor<?xf64> -> tensor<1xf64>
  return
}

// -----

// A sum that starts from another.
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  // expected-error @+1 {{'tam.rhs' op expected an encoded accumulator that starts from tam.zeros}}
  %s = tam.rhs %o, %y into %r : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return
}

// -----

// A sum over values that depend on another sum would need the rows twice.
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %b = tam.normal_vector(%r : tensor<1xf64, #tam.sums<full>>) : tensor<1xf64>
  %f = tam.predict(%o : tensor<?x1xf64, #tam.dense>)
      coefficients(%b : tensor<1xf64>) : tensor<?xf64>
  %zf = tam.zeros : tensor<1xf64, #tam.sums<full>>
  // expected-error @+1 {{'tam.rhs' op expected a sum over rows of what rows alone determine}}
  %s = tam.rhs %o, %f into %zf : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return
}

// -----

// Without slots the steps would get nothing from the runtime.
// expected-error @+1 {{'func.func' op expected a slot of argument 1}}
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>}, %y: tensor<?xf64>) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return
}

// -----

func.func private @fit_chunk()

// The names of the steps are taken.
// expected-error @+1 {{'func.func' op expected no other symbol 'fit_chunk'}}
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return
}

// -----

// The factors that a product leaves alone have places behind its sums.
// expected-error @+1 {{'func.func' op expected a slot of argument 1}}
func.func @precondition(
    %l: tensor<1x1xf64> {tam.slot = #tam.slot<state>}, %v: tensor<1xf64>)
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<precondition>} {
  %x = tam.factor_solve %l, %v : tensor<1x1xf64>, tensor<1xf64>
  return %x : tensor<1xf64>
}

func.func @apply(%rows: index {tam.slot = #tam.slot<rows>},
                 %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    attributes {tam.step = #tam.step<apply_finish>} {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return
}
