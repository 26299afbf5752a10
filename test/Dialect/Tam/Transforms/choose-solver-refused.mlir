// Systems that conjugate gradients do not support.
//
// RUN: tam-opt %s --tam-choose-solver -split-input-file -verify-diagnostics

// Equations whose sums are written.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>) -> tensor<2xf64> {
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
    %m, %v = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    // expected-error @+1 {{expected one system in a function for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    %t = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x, %t : tensor<2xf64>, tensor<2xf64>
  }
}

// -----

// The matrix of other designs than those of the right-hand side.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %b: tensor<?x2xf64>, %y: tensor<?xf64>)
      -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %m, %u = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    %n, %v = tam.normal_equations %rows designs(%b : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}

// -----

// A matrix with weights, and a right-hand side without.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %w: tensor<?xf64>, %y: tensor<?xf64>)
      -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %m, %u = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        weights %w : tensor<?xf64> penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    %n, %v = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}

// -----

// A matrix that is a result, too: conjugate gradients do not compute it.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>)
      -> (tensor<2xf64>, tensor<2x2xf64>) {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %m, %v = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x, %m : tensor<2xf64>, tensor<2x2xf64>
  }
}

// -----

// A solution from which another value is computed.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>)
      -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    %m, %v = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    %q = tam.normal_product %rows sums(%x : tensor<2xf64>)
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) vector %x
        : tensor<2xf64>
    return %q : tensor<2xf64>
  }
}

// -----

// A function of two blocks.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 2, solver = cg>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %a: tensor<?x2xf64>, %y: tensor<?xf64>)
      -> tensor<2xf64> {
    %p = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<2x2xf64, #tam.coordinates<1>>
    cf.br ^bb1
  ^bb1:
    %m, %v = tam.normal_equations %rows designs(%a : tensor<?x2xf64>) y %y
        penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>)
        : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
    // expected-error @+1 {{expected the normal equations of a fit for solver 'cg'}}
    %x = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
    return %x : tensor<2xf64>
  }
}
