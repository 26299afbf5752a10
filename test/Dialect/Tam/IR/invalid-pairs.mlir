// Sums of pairs and normal matrices: the comment above a test names the
// constraint.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// gram_pairs_c1: no pair.
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.sparse<1>>,
             %s: tensor<8xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected pairs of designs, got 0 and 0 indices}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32>, second = array<i32>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<1>> -> tensor<8xf64, #tam.sums<full>>
  return
}

// -----

// gram_pairs_c1: lists of different sizes.
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.sparse<1>>,
             %s: tensor<8xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected pairs of designs, got 1 and 2 indices}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32: 0>, second = array<i32: 1, 0>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<1>> -> tensor<8xf64, #tam.sums<full>>
  return
}

// -----

// gram_pairs_c1: a design that there is not.
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.sparse<1>>,
             %s: tensor<8xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected pairs of two of 2 designs, got 0 and 2}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32: 0>, second = array<i32: 2>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<1>> -> tensor<8xf64, #tam.sums<full>>
  return
}

// -----

// gram_pairs_c1: one design twice.
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.sparse<1>>,
             %s: tensor<8xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected pairs of two of 2 designs, got 1 and 1}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32: 1>, second = array<i32: 1>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<1>> -> tensor<8xf64, #tam.sums<full>>
  return
}

// -----

// gram_pairs_c2
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.dense>,
             %s: tensor<8xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected sparse matrices, got 'tensor<?x2xf64, #tam.dense>'}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32: 0>, second = array<i32: 1>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.dense> -> tensor<8xf64, #tam.sums<full>>
  return
}

// -----

// gram_pairs_c3
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.sparse<1>>,
             %s: tensor<6xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected an accumulator of 8, got 'tensor<6xf64, #tam.sums<full>>'}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32: 0>, second = array<i32: 1>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<1>> -> tensor<6xf64, #tam.sums<full>>
  return
}

// -----

// gram_pairs_c4
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.sparse<1>>,
             %s: tensor<8xf64, #tam.sums<panels, 2>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected 'full' sums, got 'tensor<8xf64, #tam.sums<panels, 2>>'}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32: 0>, second = array<i32: 1>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<1>> -> tensor<8xf64, #tam.sums<panels, 2>>
  return
}

// -----

// gram_pairs_c5: matrices.
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<24x2xf64, #tam.sparse<1>>,
             %s: tensor<8xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected a dynamic number of rows, got 'tensor<24x2xf64, #tam.sparse<1>>'}}
  %0 = tam.gram_pairs %a, %b into %s
      {first = array<i32: 0>, second = array<i32: 1>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<24x2xf64, #tam.sparse<1>> -> tensor<8xf64, #tam.sums<full>>
  return
}

// -----

// gram_pairs_c5: weights.
func.func @f(%a: tensor<?x3xf64, #tam.sparse<2>>, %b: tensor<?x2xf64, #tam.sparse<1>>, %w: tensor<24xf64>,
             %s: tensor<8xf64, #tam.sums<full>>) {
  // expected-error @+1 {{'tam.gram_pairs' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0 = tam.gram_pairs %a, %b weights %w : tensor<24xf64> into %s
      {first = array<i32: 0>, second = array<i32: 1>}
      : tensor<?x3xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<1>> -> tensor<8xf64, #tam.sums<full>>
  return
}

// -----

// normal_matrix_c1
func.func @f(%rows: index, %g: tensor<1x1xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected 3 blocks for 2 penalties, got 1}}
  %0 = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<0>>,
                tensor<1x1xf64, #tam.coordinates<0>>) : tensor<2x2xf64>
  return
}

// -----

// normal_matrix_c2: a transposed block.
func.func @f(%rows: index, %g00: tensor<1x1xf64>, %g10: tensor<2x1xf64>,
             %g11: tensor<2x2xf64>, %p0: tensor<1x1xf64, #tam.coordinates<0>>,
             %p1: tensor<2x2xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected block (0, 1) of 1 x 2, got 'tensor<2x1xf64>'}}
  %0 = tam.normal_matrix %rows
      blocks(%g00, %g10, %g11 : tensor<1x1xf64>, tensor<2x1xf64>,
             tensor<2x2xf64>)
      penalties(%p0, %p1 : tensor<1x1xf64, #tam.coordinates<0>>,
                tensor<2x2xf64, #tam.coordinates<0>>) : tensor<3x3xf64>
  return
}

// -----

// normal_matrix_c4: no effects.
func.func @f(%rows: index, %g: tensor<1x1xf64>, %s: tensor<8xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected the effects of each pair beside their sums}}
  %0 = tam.normal_matrix %rows blocks(%g, %g : tensor<1x1xf64>, tensor<1x1xf64>)
      pairs(%s : tensor<8xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<0>>,
                tensor<1x1xf64, #tam.coordinates<0>>) : tensor<2x2xf64>
  return
}

// -----

// normal_matrix_c4: lists of different sizes.
func.func @f(%rows: index, %g: tensor<1x1xf64>, %s: tensor<8xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected two effects for each pair, got 1 and 2}}
  %0 = tam.normal_matrix %rows blocks(%g, %g : tensor<1x1xf64>, tensor<1x1xf64>)
      pairs(%s : tensor<8xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<0>>,
                tensor<1x1xf64, #tam.coordinates<0>>)
      {first = array<i32: 0>, second = array<i32: 1, 1>} : tensor<2x2xf64>
  return
}

// -----

// normal_matrix_c4: an effect that there is not.
func.func @f(%rows: index, %g: tensor<1x1xf64>, %s: tensor<8xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected each pair of two of 2 effects once, got 2 and 0}}
  %0 = tam.normal_matrix %rows blocks(%g, %g : tensor<1x1xf64>, tensor<1x1xf64>)
      pairs(%s : tensor<8xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<0>>,
                tensor<1x1xf64, #tam.coordinates<0>>)
      {first = array<i32: 2>, second = array<i32: 0>} : tensor<2x2xf64>
  return
}

// -----

// normal_matrix_c4: a pair twice.
func.func @f(%rows: index, %g: tensor<1x1xf64>, %s: tensor<16xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected each pair of two of 2 effects once, got 1 and 0}}
  %0 = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      pairs(%s : tensor<16xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<0>>,
                tensor<1x1xf64, #tam.coordinates<0>>)
      {first = array<i32: 0, 1>, second = array<i32: 1, 0>} : tensor<2x2xf64>
  return
}

// -----

// normal_matrix_c5: elements.
func.func @f(%rows: index, %g: tensor<1x1xf64>, %s: tensor<1xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected sums of pairs of 8, got 'tensor<1xf64>'}}
  %0 = tam.normal_matrix %rows blocks(%g, %g : tensor<1x1xf64>, tensor<1x1xf64>)
      pairs(%s : tensor<1xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<0>>,
                tensor<1x1xf64, #tam.coordinates<0>>)
      {first = array<i32: 0>, second = array<i32: 1>} : tensor<2x2xf64>
  return
}

// -----

// normal_matrix_c3
func.func @f(%rows: index, %g: tensor<1x1xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected a result of 1 x 1, got 'tensor<2x2xf64>'}}
  %0 = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>) : tensor<2x2xf64>
  return
}
