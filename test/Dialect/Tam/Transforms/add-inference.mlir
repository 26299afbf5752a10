// A fit that is solved directly returns the inverse of its matrix, effective
// degrees of freedom, means of columns and two numbers, too, each with a slot
// `inference` at its place in the output of fit_infer; and its equations, with
// slots `system` at their places in the output of fit_system. The penalties
// alone are a function of their own.
//
// RUN: tam-opt %s --tam-add-inference -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// Two penalties for three effects: the last two share one. D = 3, so the
// triangle has 6 numbers and takes 64 bytes; the 3 numbers of effects and the 3
// means take 64 each.
//
// CHECK-LABEL: func.func @fit(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>}
// CHECK-SAME: -> (tensor<3xf64> {tam.slot = #tam.slot<output>},
// CHECK-SAME: tensor<6xf64> {tam.slot = #tam.slot<inference>},
// CHECK-SAME: tensor<3xf64> {tam.slot = #tam.slot<inference, 64>},
// CHECK-SAME: tensor<3xf64> {tam.slot = #tam.slot<inference, 128>},
// CHECK-SAME: tensor<2xf64> {tam.slot = #tam.slot<inference, 192>},
// CHECK-SAME: tensor<3x3xf64> {tam.slot = #tam.slot<system>},
// CHECK-SAME: tensor<3xf64> {tam.slot = #tam.slot<system, 128>})
// CHECK: %[[P:.*]] = tam.penalty {{.*}} tensor<1x1xf64
// CHECK: %[[Q:.*]] = tam.penalty {{.*}} tensor<2x2xf64
// CHECK: %[[A:.*]] = tam.normal_matrix
// CHECK: %[[B:.*]] = tam.solve %[[A]],
// The means first: the inverse takes the place of the matrix.
// CHECK-NEXT: %[[M:.*]] = tam.column_means %[[ROWS]] matrix %[[A]] : tensor<3x3xf64> -> tensor<3xf64>
// CHECK-NEXT: %[[V:.*]], %[[N:.*]] = tam.inverse %[[A]] : tensor<3x3xf64> -> tensor<6xf64>, tensor<2xf64>
// CHECK-NEXT: %[[E:.*]] = tam.effective_df %[[ROWS]] inverse %[[V]] : tensor<6xf64> penalties(%[[P]], %[[Q]] : {{.*}}) columns [1, 1, 1] -> tensor<3xf64>
// CHECK-NEXT: return %[[B]], %[[V]], %[[E]], %[[M]], %[[N]], %[[A]], %{{.*}} :
//
// CHECK-LABEL: func.func @penalty(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>}
// CHECK-SAME: -> (tensor<3x3xf64> {tam.slot = #tam.slot<output>})
// CHECK-SAME: tam.step = #tam.step<penalty>
// CHECK-NEXT: %[[P:.*]] = tam.penalty {{.*}} tensor<1x1xf64
// CHECK-NEXT: %[[Q:.*]] = tam.penalty {{.*}} tensor<2x2xf64
// CHECK-NEXT: %[[A:.*]] = tam.normal_matrix %[[ROWS]] blocks() penalties(%[[P]], %[[Q]] :
// CHECK-NEXT: return %[[A]]
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 3, effects = [
    <name = "offset", term = "offset", first = 0, columns = 1>,
    <name = "a", term = "l(a)", first = 1, columns = 1>,
    <name = "b", term = "l(b)", first = 2, columns = 1>]>} {
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
    %g00: tensor<1x1xf64> {tam.slot = #tam.slot<state>},
    %g01: tensor<1x2xf64> {tam.slot = #tam.slot<state, 64>},
    %g11: tensor<2x2xf64> {tam.slot = #tam.slot<state, 128>},
    %b: tensor<3xf64> {tam.slot = #tam.slot<state, 192>})
    -> (tensor<3xf64> {tam.slot = #tam.slot<output>}) {
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [0, 1] columns [0, 1] values [1.0, 2.0]
      : tensor<2x2xf64, #tam.coordinates<2>>
  %a = tam.normal_matrix %rows
      blocks(%g00, %g01, %g11 : tensor<1x1xf64>, tensor<1x2xf64>,
             tensor<2x2xf64>)
      penalties(%p, %q : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<2>>) : tensor<3x3xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<3x3xf64>, tensor<3xf64>
  return %x : tensor<3xf64>
}

// A variant that sums by levels has results of its own, and the same penalties.
//
// CHECK-LABEL: func.func @fit_by_levels(
// CHECK-SAME: tensor<1xf64> {tam.slot = #tam.slot<carry>},
// CHECK-SAME: tensor<6xf64> {tam.slot = #tam.slot<inference>},
// CHECK: %[[M:.*]] = tam.column_means
// CHECK: %[[V:.*]], %[[N:.*]] = tam.inverse
// CHECK: %[[E:.*]] = tam.effective_df
// CHECK: return %{{.*}}, %{{.*}}, %[[V]], %[[E]], %[[M]], %[[N]], %{{.*}}, %{{.*}} :
// CHECK-NOT: func.func @penalty
func.func @fit_by_levels(%rows: index {tam.slot = #tam.slot<rows>},
    %g: tensor<3x3xf64> {tam.slot = #tam.slot<state>},
    %b: tensor<3xf64> {tam.slot = #tam.slot<state, 128>},
    %c: tensor<1xf64> {tam.slot = #tam.slot<carry>})
    -> (tensor<3xf64> {tam.slot = #tam.slot<output>},
        tensor<1xf64> {tam.slot = #tam.slot<carry>})
    attributes {tam.by_levels} {
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<3x3xf64>)
      penalties(%p : tensor<3x3xf64, #tam.coordinates<1>>) : tensor<3x3xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<3x3xf64>, tensor<3xf64>
  return %x, %c : tensor<3xf64>, tensor<1xf64>
}
}

// -----

// Without tam.model there are no effects.
//
// CHECK-LABEL: func.func @without_model(
// CHECK-NOT: tam.inverse
// CHECK: return
func.func @without_model(%rows: index {tam.slot = #tam.slot<rows>},
    %g: tensor<1x1xf64> {tam.slot = #tam.slot<state>},
    %b: tensor<1xf64> {tam.slot = #tam.slot<state, 64>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>}) {
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<1x1xf64>, tensor<1xf64>
  return %x : tensor<1xf64>
}

// -----

// Another solver; a solution that is not the first result; a system of other
// unknowns than the effects' columns, and one whose matrix was not assembled.
//
// CHECK-NOT: tam.inverse
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 1, effects = [
    <name = "offset", term = "offset", first = 0, columns = 1>]>} {
func.func @cg(%rows: index {tam.slot = #tam.slot<rows>},
    %g: tensor<1x1xf64> {tam.slot = #tam.slot<state>},
    %b: tensor<1xf64> {tam.slot = #tam.slot<state, 64>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>}) {
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<cg>}
      : tensor<1x1xf64>, tensor<1xf64>
  return %x : tensor<1xf64>
}

func.func @second(%rows: index {tam.slot = #tam.slot<rows>},
    %g: tensor<1x1xf64> {tam.slot = #tam.slot<state>},
    %b: tensor<1xf64> {tam.slot = #tam.slot<state, 64>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>},
        tensor<1xf64> {tam.slot = #tam.slot<output, 64>}) {
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<1x1xf64>, tensor<1xf64>
  return %b, %x : tensor<1xf64>, tensor<1xf64>
}

func.func @other_size(%rows: index {tam.slot = #tam.slot<rows>},
    %g: tensor<2x2xf64> {tam.slot = #tam.slot<state>},
    %b: tensor<2xf64> {tam.slot = #tam.slot<state, 64>})
    -> (tensor<2xf64> {tam.slot = #tam.slot<output>}) {
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<2x2xf64>)
      penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<2x2xf64>, tensor<2xf64>
  return %x : tensor<2xf64>
}

func.func @given_matrix(%a: tensor<1x1xf64> {tam.slot = #tam.slot<state>},
    %b: tensor<1xf64> {tam.slot = #tam.slot<state, 64>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>}) {
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<1x1xf64>, tensor<1xf64>
  return %x : tensor<1xf64>
}

func.func private @declared()
}

// -----

// The slots of other results stay as they are.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 1, effects = [
    <name = "offset", term = "offset", first = 0, columns = 1>]>} {
// expected-error @+1 {{'func.func' op expected a slot of result 0}}
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
    %g: tensor<1x1xf64> {tam.slot = #tam.slot<state>},
    %b: tensor<1xf64> {tam.slot = #tam.slot<state, 64>}) -> tensor<1xf64> {
  %p = tam.penalty rows [0] columns [0] values [0.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %a = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  %x = tam.solve %a, %b {solver = #tam.solver<direct>}
      : tensor<1x1xf64>, tensor<1xf64>
  return %x : tensor<1xf64>
}
}
