// tam.rows: one test per constraint; the comment above a test names it.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// rows_c1
func.func @f(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{expected a body from the operands to the results, which are of the accumulators' types, then columns}}
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%s0: tensor<1xf64, #tam.sums<full>>, %x0: tensor<?xf64>):
    tam.yield %s0 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c1: a column before a sum.
func.func @f(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<?xf64> {
  // expected-error @+1 {{expected a body from the operands to the results, which are of the accumulators' types, then columns}}
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%x0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    tam.yield %x0 : tensor<?xf64>
  } : tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// rows_c3
func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{expected result 0 to be what a tam.predict of the body makes}}
  %r = tam.rows(%x : tensor<?xf64>) {
  ^bb0(%x0: tensor<?xf64>):
    tam.yield %x0 : tensor<?xf64>
  } : tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

// rows_c2
func.func @f(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{expected result 0 to be what one op adds to accumulator 0}}
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%x0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    tam.yield %s0 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c2: a sum that is not a result.
func.func @f(%n: index, %y: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>,
             %t: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{expected 1 sums in the body, got 2}}
  %r = tam.rows(%n, %y : index, tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%n0: index, %y0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    %o = tam.offset %n0 : tensor<?x1xf64, #tam.dense>
    %s1 = tam.rhs %o, %y0 into %s0 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
        -> tensor<1xf64, #tam.sums<full>>
    %s2 = tam.rhs %o, %y0 into %s1 : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
        -> tensor<1xf64, #tam.sums<full>>
    tam.yield %s1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c4: neither.
func.func @f(%y: tensor<?xf64>) {
  // expected-error @+1 {{expected sums or one prediction, got 0 sums and 0 predictions}}
  "tam.rows"(%y) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%y0: tensor<?xf64>):
    "tam.yield"() : () -> ()
  }) : (tensor<?xf64>) -> ()
  return
}

// -----

// rows_c5: a map that sums do not support.
func.func @f(%v: tensor<?xf64>, %s: tensor<4xf64, #tam.sums<full>>)
    -> tensor<4xf64, #tam.sums<full>> {
  %r = tam.rows(%v : tensor<?xf64>)
      into(%s : tensor<4xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %a0: tensor<4xf64, #tam.sums<full>>):
    // expected-error @+1 {{'tam.fourier' op expected a map that a loop of sums over rows has code for}}
    %f = tam.fourier %v0 {order = 2} : tensor<?xf64>
        -> tensor<?x4xf64, #tam.dense>
    %a1 = tam.rhs %f, %v0 into %a0 : tensor<?x4xf64, #tam.dense>,
        tensor<?xf64> -> tensor<4xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<4xf64, #tam.sums<full>>
  } : tensor<4xf64, #tam.sums<full>>
  return %r : tensor<4xf64, #tam.sums<full>>
}

// -----

// rows_c5: a band that is stored dense.
func.func @f(%v: tensor<?xf64>, %p: tensor<4xf64>,
             %s: tensor<5xf64, #tam.sums<full>>)
    -> tensor<5xf64, #tam.sums<full>> {
  %r = tam.rows(%v, %p : tensor<?xf64>, tensor<4xf64>)
      into(%s : tensor<5xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %p0: tensor<4xf64>,
       %a0: tensor<5xf64, #tam.sums<full>>):
    // expected-error @+1 {{'tam.bspline' op expected a map that a loop of sums over rows has code for}}
    %f = tam.bspline %v0, %p0 {intervals = 2, degree = 3} : tensor<?xf64>,
        tensor<4xf64> -> tensor<?x5xf64, #tam.dense>
    %a1 = tam.rhs %f, %v0 into %a0 : tensor<?x5xf64, #tam.dense>,
        tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<5xf64, #tam.sums<full>>
  } : tensor<5xf64, #tam.sums<full>>
  return %r : tensor<5xf64, #tam.sums<full>>
}

// -----

// rows_c5: a product of dense matrices.
func.func @f(%v: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  %r = tam.rows(%v : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %a0: tensor<1xf64, #tam.sums<full>>):
    %l = tam.linear %v0 {scale = 1.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    // expected-error @+1 {{'tam.kronecker' op expected a map that a loop of sums over rows has code for}}
    %k = tam.kronecker %l, %l : tensor<?x1xf64, #tam.dense>,
        tensor<?x1xf64, #tam.dense> -> tensor<?x1xf64, #tam.dense>
    %a1 = tam.rhs %k, %v0 into %a0 : tensor<?x1xf64, #tam.dense>,
        tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c5: rows of a grid, not of the chunk.
func.func @f(%v: tensor<?xf64>, %g: tensor<24xf64>, %p: tensor<4xf64>,
             %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  %r = tam.rows(%v, %g, %p : tensor<?xf64>, tensor<24xf64>, tensor<4xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %g0: tensor<24xf64>, %p0: tensor<4xf64>,
       %a0: tensor<1xf64, #tam.sums<full>>):
    // expected-error @+1 {{'tam.normalize' op expected a map that a loop of sums over rows has code for}}
    %x = tam.normalize %g0, %p0 : tensor<24xf64>, tensor<4xf64>
    %l = tam.linear %v0 {scale = 1.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    %a1 = tam.rhs %l, %v0 into %a0 : tensor<?x1xf64, #tam.dense>,
        tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c5: a map that predictions do not support.
func.func @f(%v: tensor<?xf64>, %b: tensor<6xf64>) -> tensor<?xf64> {
  %y = tam.rows(%v, %b : tensor<?xf64>, tensor<6xf64>) {
  ^bb0(%v0: tensor<?xf64>, %b0: tensor<6xf64>):
    // expected-error @+1 {{'tam.fourier' op expected a map that a loop of predictions has code for}}
    %f = tam.fourier %v0 {order = 3} : tensor<?xf64>
        -> tensor<?x6xf64, #tam.dense>
    %y0 = tam.predict(%f : tensor<?x6xf64, #tam.dense>)
        coefficients(%b0 : tensor<6xf64>) : tensor<?xf64>
    tam.yield %y0 : tensor<?xf64>
  } : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// rows_c6: all sums of a one-hot matrix with itself.
func.func @f(%v: tensor<?xf64>, %s: tensor<3x3xf64, #tam.sums<full>>)
    -> tensor<3x3xf64, #tam.sums<full>> {
  %r = tam.rows(%v : tensor<?xf64>)
      into(%s : tensor<3x3xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %a0: tensor<3x3xf64, #tam.sums<full>>):
    %c = tam.category %v0 {levels = 3} : tensor<?xf64>
        -> tensor<?x3xf64, #tam.one_hot>
    // expected-error @+1 {{'tam.gram' op expected a sum that a loop over rows has code for, of maps of the body and its arguments, got 'tensor<3x3xf64, #tam.sums<full>>'}}
    %a1 = tam.gram %c, %c into %a0 : tensor<?x3xf64, #tam.one_hot>,
        tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<3x3xf64, #tam.sums<full>>
  } : tensor<3x3xf64, #tam.sums<full>>
  return %r : tensor<3x3xf64, #tam.sums<full>>
}

// -----

// rows_c6: a column before a one-hot matrix.
func.func @f(%v: tensor<?xf64>, %s: tensor<1x3xf64, #tam.sums<full>>)
    -> tensor<1x3xf64, #tam.sums<full>> {
  %r = tam.rows(%v : tensor<?xf64>)
      into(%s : tensor<1x3xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %a0: tensor<1x3xf64, #tam.sums<full>>):
    %c = tam.category %v0 {levels = 3} : tensor<?xf64>
        -> tensor<?x3xf64, #tam.one_hot>
    %l = tam.linear %v0 {scale = 1.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    // expected-error @+1 {{'tam.gram' op expected a sum that a loop over rows has code for}}
    %a1 = tam.gram %l, %c into %a0 : tensor<?x1xf64, #tam.dense>,
        tensor<?x3xf64, #tam.one_hot> -> tensor<1x3xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<1x3xf64, #tam.sums<full>>
  } : tensor<1x3xf64, #tam.sums<full>>
  return %r : tensor<1x3xf64, #tam.sums<full>>
}

// -----

// rows_c6: sums of a product without panels.
func.func @f(%v: tensor<?xf64>, %s: tensor<6x6xf64, #tam.sums<upper>>)
    -> tensor<6x6xf64, #tam.sums<upper>> {
  %r = tam.rows(%v : tensor<?xf64>)
      into(%s : tensor<6x6xf64, #tam.sums<upper>>) {
  ^bb0(%v0: tensor<?xf64>, %a0: tensor<6x6xf64, #tam.sums<upper>>):
    %a = tam.category %v0 {levels = 3} : tensor<?xf64>
        -> tensor<?x3xf64, #tam.one_hot>
    %b = tam.category %v0 {levels = 2} : tensor<?xf64>
        -> tensor<?x2xf64, #tam.one_hot>
    %k = tam.kronecker %a, %b : tensor<?x3xf64, #tam.one_hot>,
        tensor<?x2xf64, #tam.one_hot> -> tensor<?x6xf64, #tam.sparse<1>>
    // expected-error @+1 {{'tam.gram' op expected a sum that a loop over rows has code for}}
    %a1 = tam.gram %k, %k into %a0 : tensor<?x6xf64, #tam.sparse<1>>,
        tensor<?x6xf64, #tam.sparse<1>> -> tensor<6x6xf64, #tam.sums<upper>>
    tam.yield %a1 : tensor<6x6xf64, #tam.sums<upper>>
  } : tensor<6x6xf64, #tam.sums<upper>>
  return %r : tensor<6x6xf64, #tam.sums<upper>>
}

// -----

// rows_c6: a target that the loop would compute.
func.func @f(%v: tensor<?xf64>, %p: tensor<4xf64>,
             %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  %r = tam.rows(%v, %p : tensor<?xf64>, tensor<4xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %p0: tensor<4xf64>,
       %a0: tensor<1xf64, #tam.sums<full>>):
    %x = tam.normalize %v0, %p0 : tensor<?xf64>, tensor<4xf64>
    %l = tam.linear %v0 {scale = 1.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    // expected-error @+1 {{'tam.rhs' op expected a sum that a loop over rows has code for}}
    %a1 = tam.rhs %l, %x into %a0 : tensor<?x1xf64, #tam.dense>,
        tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c7: a prediction that starts from something.
func.func @f(%v: tensor<?xf64>, %b: tensor<1xf64>) -> tensor<?xf64> {
  %y = tam.rows(%v, %b : tensor<?xf64>, tensor<1xf64>) {
  ^bb0(%v0: tensor<?xf64>, %b0: tensor<1xf64>):
    %l = tam.linear %v0 {scale = 1.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    // expected-error @+1 {{'tam.predict' op expected maps of the body, coefficients that are its arguments, and no start but an accumulator}}
    %y0 = tam.predict(%l : tensor<?x1xf64, #tam.dense>)
        coefficients(%b0 : tensor<1xf64>) into(%v0 : tensor<?xf64>)
        : tensor<?xf64>
    tam.yield %y0 : tensor<?xf64>
  } : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// rows_c8: no function.
func.func @f(%n: index, %v: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{'tam.rows' op expected a function @row_loops::@rows_0}}
  %r = tam.rows @row_loops::@rows_0(%n, %v : index, tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%m: index, %v0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    %o = tam.offset %m : tensor<?x1xf64, #tam.dense>
    %s1 = tam.rhs %o, %v0 into %s0 : tensor<?x1xf64, #tam.dense>,
        tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
    tam.yield %s1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// rows_c8: a function of other arguments.
module @row_loops {
  func.func private @rows_0(memref<?xf64>, memref<1xf64>)
}
func.func @f(%n: index, %v: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{'tam.rows' op expected @row_loops::@rows_0 to take 'memref<?xf64>', 'index', 'memref<1xf64>'}}
  %r = tam.rows @row_loops::@rows_0(%n, %v : index, tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%m: index, %v0: tensor<?xf64>, %s0: tensor<1xf64, #tam.sums<full>>):
    %o = tam.offset %m : tensor<?x1xf64, #tam.dense>
    %s1 = tam.rhs %o, %v0 into %s0 : tensor<?x1xf64, #tam.dense>,
        tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
    tam.yield %s1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}

// -----

// The terminator must be the last op of a body.
func.func @f(%s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  %r = "tam.rows"(%s) <{operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%s0: tensor<1xf64, #tam.sums<full>>):
    // expected-error @+1 {{'tam.yield' op must be the last operation in the parent block}}
    "tam.yield"(%s0) : (tensor<1xf64, #tam.sums<full>>) -> ()
    %z = tam.zeros : tensor<1xf64, #tam.sums<full>>
  }) : (tensor<1xf64, #tam.sums<full>>) -> tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}
