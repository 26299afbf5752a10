// Systems that conjugate gradients do not support.
//
// RUN: tam-opt %s --tam-choose-solver -split-input-file -verify-diagnostics

// Sums of no pair of effects.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>) -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %m = "tam.normal_matrix"(%rows, %p)
        <{operandSegmentSizes = array<i32: 1, 0, 1>}>
        : (index, tensor<2x2xf64, #tam.coordinates<1>>) -> tensor<2x2xf64>
    %z = tam.zeros : tensor<2xf64>
    %r = tam.rhs %a, %y into %z : tensor<?x2xf64>, tensor<?xf64>
        -> tensor<2xf64>
    %v = tam.normal_vector(%r : tensor<2xf64>) : tensor<2xf64>
    // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}

// -----

// Two systems of one function.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>)
      -> (tensor<2xf64>, tensor<2xf64>) {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %s = tam.zeros : tensor<2x2xf64>
    %g = tam.gram %a, %a into %s : tensor<?x2xf64>, tensor<?x2xf64>
        -> tensor<2x2xf64>
    %m = tam.normal_matrix %rows blocks(%g : tensor<2x2xf64>)
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
    %z = tam.zeros : tensor<2xf64>
    %r = tam.rhs %a, %y into %z : tensor<?x2xf64>, tensor<?xf64>
        -> tensor<2xf64>
    %v = tam.normal_vector(%r : tensor<2xf64>) : tensor<2xf64>
    // expected-error @+1 {{expected one system in a function for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    %t = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x, %t : tensor<2xf64>, tensor<2xf64>
  }
}

// -----

// A block of other designs than those of the right-hand side.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %b: tensor<?x2xf64>, %y: tensor<?xf64>)
      -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %s = tam.zeros : tensor<2x2xf64>
    %g = tam.gram %a, %b into %s : tensor<?x2xf64>, tensor<?x2xf64>
        -> tensor<2x2xf64>
    %m = tam.normal_matrix %rows blocks(%g : tensor<2x2xf64>)
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
    %z = tam.zeros : tensor<2xf64>
    %r = tam.rhs %a, %y into %z : tensor<?x2xf64>, tensor<?xf64>
        -> tensor<2xf64>
    %v = tam.normal_vector(%r : tensor<2xf64>) : tensor<2xf64>
    // expected-error @+1 {{expected a matrix of sums over the designs of the right-hand side for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}

// -----

// Sums with weights, and a right-hand side without.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %w: tensor<?xf64>, %y: tensor<?xf64>)
      -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %s = tam.zeros : tensor<2x2xf64>
    %g = tam.gram %a, %a weights %w : tensor<?xf64> into %s
        : tensor<?x2xf64>, tensor<?x2xf64> -> tensor<2x2xf64>
    %m = tam.normal_matrix %rows blocks(%g : tensor<2x2xf64>)
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
    %z = tam.zeros : tensor<2xf64>
    %r = tam.rhs %a, %y into %z : tensor<?x2xf64>, tensor<?xf64>
        -> tensor<2xf64>
    %v = tam.normal_vector(%r : tensor<2xf64>) : tensor<2xf64>
    // expected-error @+1 {{expected a matrix of sums over the designs of the right-hand side for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}

// -----

// A sum that starts from another one.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>) -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %s = tam.zeros : tensor<2x2xf64>
    %h = tam.gram %a, %a into %s : tensor<?x2xf64>, tensor<?x2xf64>
        -> tensor<2x2xf64>
    %g = tam.gram %a, %a into %h : tensor<?x2xf64>, tensor<?x2xf64>
        -> tensor<2x2xf64>
    %m = tam.normal_matrix %rows blocks(%g : tensor<2x2xf64>)
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
    %z = tam.zeros : tensor<2xf64>
    %r = tam.rhs %a, %y into %z : tensor<?x2xf64>, tensor<?xf64>
        -> tensor<2xf64>
    %v = tam.normal_vector(%r : tensor<2xf64>) : tensor<2xf64>
    // expected-error @+1 {{expected a matrix of sums over the designs of the right-hand side for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}
