// Results with slots `inference`, and those with slots `system`, are those of a
// step of their own, which has the sums as the last step has them.
//
// RUN: tam-opt %s --tam-tile-rows -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// The accumulators are the model's once.
//
// CHECK: module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 1>,
// CHECK-SAME: tam.plain = #tam.variant<state_bytes = 128, accumulators = [
// CHECK-SAME: <kind = fit_chunk, offset = 0, count = 1>,
// CHECK-SAME: <kind = fit_chunk, offset = 64, count = 1>]>}
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 1>} {

// CHECK-LABEL: func.func @fit_chunk(
// CHECK-NOT: tam.inverse
// CHECK-LABEL: func.func @fit_finish(
// CHECK-SAME: -> (tensor<1xf64> {tam.slot = #tam.slot<output>})
// CHECK-SAME: attributes {tam.step = #tam.step<fit_finish>}
// CHECK: tam.solve
// CHECK-NOT: tam.inverse
// CHECK: return

// The offsets stay, and become those of the step's output. The right-hand side,
// which it does not need, is an argument as of every step after the chunks.
//
// CHECK-LABEL: func.func @fit_infer(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[W:[^:]*]]: tensor<1xf64> {tam.slot = #tam.slot<table>},
// CHECK-SAME: %[[G:[^:]*]]: tensor<1x1xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
// CHECK-SAME: %{{[^:]*}}: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>})
// CHECK-SAME: -> (tensor<1xf64> {tam.slot = #tam.slot<output>},
// CHECK-SAME: tensor<2xf64> {tam.slot = #tam.slot<output, 192>})
// CHECK-SAME: attributes {tam.step = #tam.step<fit_infer>}
// CHECK-NEXT: %[[P:.*]] = tam.penalty {{.*}} weights(%[[W]]
// CHECK-NEXT: %[[A:.*]] = tam.normal_matrix %[[ROWS]] blocks(%[[G]] : {{.*}}) penalties(%[[P]] :
// CHECK-NEXT: %[[V:.*]], %[[N:.*]] = tam.inverse %[[A]]
// CHECK-NEXT: return %[[V]], %[[N]]
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %w: tensor<1xf64> {tam.slot = #tam.slot<table>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>},
        tensor<1xf64> {tam.slot = #tam.slot<inference>},
        tensor<2xf64> {tam.slot = #tam.slot<inference, 192>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %zg = tam.zeros : tensor<1x1xf64, #tam.sums<upper>>
  %g = tam.gram %o, %o into %zg : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense> -> tensor<1x1xf64, #tam.sums<upper>>
  %zr = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %zr : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      weights(%w : tensor<1xf64>) table [0] element [0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64, #tam.sums<upper>>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %b = tam.normal_vector(%r : tensor<1xf64, #tam.sums<full>>) : tensor<1xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<1x1xf64>, tensor<1xf64>
  %v, %n = tam.inverse %a : tensor<1x1xf64> -> tensor<1xf64>, tensor<2xf64>
  return %x, %v, %n : tensor<1xf64>, tensor<1xf64>, tensor<2xf64>
}

}

// -----

// The system needs no factorisation.
//
// CHECK-LABEL: func.func @fit_system(
// CHECK-SAME: -> (tensor<1x1xf64> {tam.slot = #tam.slot<output>},
// CHECK-SAME: tensor<1xf64> {tam.slot = #tam.slot<output, 64>})
// CHECK-SAME: attributes {tam.step = #tam.step<fit_system>}
// CHECK: %[[A:.*]] = tam.normal_matrix
// CHECK: %[[B:.*]] = tam.normal_vector
// CHECK-NOT: tam.solve
// CHECK: return %[[A]], %[[B]]
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>},
        tensor<1x1xf64> {tam.slot = #tam.slot<system>},
        tensor<1xf64> {tam.slot = #tam.slot<system, 64>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %zg = tam.zeros : tensor<1x1xf64, #tam.sums<upper>>
  %g = tam.gram %o, %o into %zg : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense> -> tensor<1x1xf64, #tam.sums<upper>>
  %zr = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %zr : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64, #tam.sums<upper>>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %b = tam.normal_vector(%r : tensor<1xf64, #tam.sums<full>>) : tensor<1xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<1x1xf64>, tensor<1xf64>
  return %x, %a, %b : tensor<1xf64>, tensor<1x1xf64>, tensor<1xf64>
}

// -----

// A step that runs once gets no rungs.
//
// CHECK-LABEL: func.func @penalty(
// CHECK-SAME: %{{[^:]*}}: index {tam.slot = #tam.slot<rows>}) ->
func.func @penalty(%rows: index {tam.slot = #tam.slot<rows>})
    -> (tensor<1x1xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<penalty>} {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks()
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  return %a : tensor<1x1xf64>
}

// -----

// The step of a variant is marked as the others are.
//
// CHECK-LABEL: func.func @fit_by_levels_infer(
// CHECK-SAME: attributes {tam.by_levels, tam.step = #tam.step<fit_infer>}
// CHECK: tam.column_means
func.func @fit_by_levels(%rows: index {tam.slot = #tam.slot<rows>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<inference>})
    attributes {tam.by_levels} {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1x1xf64, #tam.sums<upper>>
  %g = tam.gram %o, %o into %z : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense> -> tensor<1x1xf64, #tam.sums<upper>>
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64, #tam.sums<upper>>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %m = tam.column_means %rows matrix %a : tensor<1x1xf64> -> tensor<1xf64>
  return %m : tensor<1xf64>
}

// -----

// The step has the sums, the number of rows and the values of the group alone.
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %s: tensor<1xf64> {tam.slot = #tam.slot<state, 64>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<output>},
        tensor<1xf64> {tam.slot = #tam.slot<inference>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  // expected-error @+1 {{'func.return' op expected what sums and the number of rows determine, got operand 1}}
  return %r, %s : tensor<1xf64, #tam.sums<full>>, tensor<1xf64>
}

// -----

func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %s: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<inference>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  // expected-error @+1 {{'tam.normal_vector' op expected what sums and the number of rows determine, got operand 1}}
  %v = tam.normal_vector(%r, %s : tensor<1xf64, #tam.sums<full>>,
                         tensor<1xf64, #tam.sums<full>>) : tensor<2xf64>
  return %v : tensor<2xf64>
}

// -----

func.func private @fit_infer()

// The step's name is taken.
// expected-error @+1 {{'func.func' op expected no other symbol 'fit_infer'}}
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
               %y: tensor<?xf64> {tam.slot = #tam.slot<column>}) {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  return
}

// -----

// Conjugate gradients have no step for inference.
// expected-error @+1 {{'func.func' op expected no slot 'inference' in step 'cg_finish'}}
func.func @cg(%rows: index {tam.slot = #tam.slot<rows>},
              %y: tensor<?xf64> {tam.slot = #tam.slot<column>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<inference>})
    attributes {tam.step = #tam.step<cg_finish>} {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %r = tam.rhs %o, %y into %z : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %v = tam.normal_vector(%r : tensor<1xf64, #tam.sums<full>>) : tensor<1xf64>
  return %v : tensor<1xf64>
}
