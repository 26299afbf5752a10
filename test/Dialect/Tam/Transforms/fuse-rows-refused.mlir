// A sum that another op of its step reads cannot move to the end of the step.
//
// RUN: tam-opt %s --tam-fuse-rows -verify-diagnostics

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
  // expected-error @+1 {{'tam.rhs' op expected a sum that the step only returns}}
  %2 = tam.rhs %a, %y weights %w : tensor<?xf64> into %s2
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?xf64>
      -> tensor<5xf64, #tam.sums<full>>
  %3 = tam.rhs %a, %y weights %w : tensor<?xf64> into %2
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?xf64>
      -> tensor<5xf64, #tam.sums<full>>
  return %0, %1, %3 : tensor<5x5xf64, #tam.sums<upper>>,
      tensor<1x5xf64, #tam.sums<transposed>>, tensor<5xf64, #tam.sums<full>>
}
