// Maps of several variables, and ops on their matrices: one test per
// constraint; the comment above a test names it.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// stack_c1
func.func @f(%x: tensor<?xf64>, %y: tensor<?xf64>) {
  // expected-error @+1 {{'tam.stack' op expected points of 2 coordinates, got 'tensor<?x3xf64>'}}
  %0 = tam.stack(%x, %y : tensor<?xf64>, tensor<?xf64>) : tensor<?x3xf64>
  return
}

// -----

// stack_c2
func.func @f(%x: tensor<?xf64>, %y: tensor<24xf64>) {
  // expected-error @+1 {{'tam.stack' op expected as many rows as 'tensor<24xf64>' has, got 'tensor<?x2xf64>'}}
  %0 = tam.stack(%x, %y : tensor<?xf64>, tensor<24xf64>) : tensor<?x2xf64>
  return
}

// -----

// slice_c1
func.func @f(%points: tensor<?x2xf64>) {
  // expected-error @+1 {{'tam.slice' op expected coordinates within 'tensor<?x2xf64>', got 1 and 'tensor<?x2xf64>'}}
  %0 = tam.slice %points[1] : tensor<?x2xf64> -> tensor<?x2xf64>
  return
}

// -----

// slice_c2
func.func @f(%points: tensor<?x2xf64>) {
  // expected-error @+1 {{'tam.slice' op expected as many rows as 'tensor<?x2xf64>' has, got 'tensor<24xf64>'}}
  %0 = tam.slice %points[1] : tensor<?x2xf64> -> tensor<24xf64>
  return
}

// -----

// boundary_c1
func.func @f(%points: tensor<?x2xf64>) {
  // expected-error @+1 {{'tam.boundary' op expected as many rows as 'tensor<?x2xf64>' has, got 'tensor<24xf64>'}}
  %b, %i, %a = tam.boundary %points {extrapolate = #tam.extrapolate<linear>}
      : tensor<?x2xf64> -> tensor<24xf64>
  return
}

// -----

// blend_c1
func.func @f(%b: tensor<?x8xf64, #tam.dense>, %i: tensor<?x8xf64>,
             %a: tensor<?xf64>) {
  // expected-error @+1 {{'tam.blend' op expected two matrices of one type, got 'tensor<?x8xf64, #tam.dense>' and 'tensor<?x8xf64>'}}
  %0 = tam.blend %b, %i, %a : tensor<?x8xf64, #tam.dense>, tensor<?x8xf64>,
      tensor<?xf64> -> tensor<?x8xf64, #tam.dense>
  return
}

// -----

// feature_map_c3: the amounts.
func.func @f(%b: tensor<?x8xf64>, %i: tensor<?x8xf64>, %a: tensor<24xf64>) {
  // expected-error @+1 {{'tam.blend' op expected as many rows as 'tensor<24xf64>' has, got 'tensor<?x8xf64>'}}
  %0 = tam.blend %b, %i, %a : tensor<?x8xf64>, tensor<?x8xf64>, tensor<24xf64>
      -> tensor<?x8xf64>
  return
}

// -----

// neural_c1
func.func @f(%points: tensor<?x2xf64>, %w: tensor<2x3xf64>,
             %b: tensor<3xf64>) {
  // expected-error @+1 {{'tam.neural' op expected weights and a bias for each layer, got 1 and 2}}
  %0 = tam.neural %points weights(%w : tensor<2x3xf64>)
      bias(%b, %b : tensor<3xf64>, tensor<3xf64>)
      {activation = #tam.activation<relu>} : tensor<?x2xf64> -> tensor<?x3xf64>
  return
}

// -----

// neural_c2
func.func @f(%points: tensor<?x4xf64>, %w: tensor<2x3xf64>,
             %b: tensor<3xf64>) {
  // expected-error @+1 {{'tam.neural' op expected weights of 4 x 3, got 'tensor<2x3xf64>'}}
  %0 = tam.neural %points weights(%w : tensor<2x3xf64>)
      bias(%b : tensor<3xf64>)
      {activation = #tam.activation<relu>} : tensor<?x4xf64> -> tensor<?x3xf64>
  return
}

// -----

// radial_c1
func.func @f(%points: tensor<?x2xf64>, %c: tensor<9x3xf64>,
             %g: tensor<1xf64>) {
  // expected-error @+1 {{'tam.radial' op expected centres of 2 coordinates, got 'tensor<9x3xf64>'}}
  %0 = tam.radial %points, %c, %g {nu = 1.5 : f64} : tensor<?x2xf64>,
      tensor<9x3xf64>, tensor<1xf64> -> tensor<?x9xf64>
  return
}

// -----

// radial_c2
func.func @f(%points: tensor<?x2xf64>, %c: tensor<9x2xf64>,
             %g: tensor<2xf64>) {
  // expected-error @+1 {{'tam.radial' op expected one gamma, got 'tensor<2xf64>'}}
  %0 = tam.radial %points, %c, %g {nu = 1.5 : f64} : tensor<?x2xf64>,
      tensor<9x2xf64>, tensor<2xf64> -> tensor<?x9xf64>
  return
}

// -----

func.func @f(%points: tensor<?x2xf64>, %c: tensor<9x2xf64>,
             %g: tensor<1xf64>) {
  // expected-error @+1 {{'tam.radial' op attribute 'nu' failed to satisfy constraint: 64-bit float attribute whose value is finite and not negative}}
  %0 = tam.radial %points, %c, %g {nu = -1.5 : f64} : tensor<?x2xf64>,
      tensor<9x2xf64>, tensor<1xf64> -> tensor<?x9xf64>
  return
}

// -----

// feature_map_c3: rows that are not needed.
func.func @f(%points: tensor<?x2xf64>, %c: tensor<9x2xf64>, %g: tensor<1xf64>,
             %only: tensor<24xf64>) {
  // expected-error @+1 {{'tam.radial' op expected as many rows as 'tensor<24xf64>' has, got 'tensor<?x9xf64>'}}
  %0 = tam.radial %points, %c, %g only %only : tensor<24xf64> {nu = 1.5 : f64}
      : tensor<?x2xf64>, tensor<9x2xf64>, tensor<1xf64> -> tensor<?x9xf64>
  return
}

// -----

// tree_c1: an oblivious tree of depth three.
func.func @f(%points: tensor<?x2xf64>, %i: tensor<4x3xi32>,
             %t: tensor<4x3xf64>) {
  // expected-error @+1 {{'tam.tree' op expected features and thresholds of 4 leaves per tree, got 'tensor<4x3xi32>' and 'tensor<4x3xf64>'}}
  %0 = tam.tree %points, %i, %t {oblivious, leaves = 4} : tensor<?x2xf64>,
      tensor<4x3xi32>, tensor<4x3xf64> -> tensor<?x16xf64>
  return
}

// -----

// tree_c1: a flat tree.
func.func @f(%points: tensor<?x2xf64>, %i: tensor<4x1xi32>,
             %t: tensor<4x4xf64>) {
  // expected-error @+1 {{'tam.tree' op expected features and thresholds of 4 leaves per tree, got 'tensor<4x1xi32>' and 'tensor<4x4xf64>'}}
  %0 = tam.tree %points, %i, %t {leaves = 4} : tensor<?x2xf64>,
      tensor<4x1xi32>, tensor<4x4xf64> -> tensor<?x16xf64>
  return
}

// -----

// feature_map_c3: both factors.
func.func @f(%a: tensor<?x2xf64>, %b: tensor<24x3xf64>) {
  // expected-error @+1 {{'tam.kronecker' op expected as many rows as 'tensor<24x3xf64>' has, got 'tensor<?x6xf64, #tam.dense>'}}
  %0 = tam.kronecker %a, %b : tensor<?x2xf64>, tensor<24x3xf64>
      -> tensor<?x6xf64, #tam.dense>
  return
}

// -----

// convert_c1: numbers per row.
func.func @f(%a: tensor<?x7xf64, #tam.banded<4>>) {
  // expected-error @+1 {{'tam.convert' op expected 7 columns, dense or sparse with 4 numbers per row, got 'tensor<?x7xf64, #tam.sparse<3>>'}}
  %0 = tam.convert %a : tensor<?x7xf64, #tam.banded<4>>
      -> tensor<?x7xf64, #tam.sparse<3>>
  return
}

// -----

// convert_c1: what has no encoding yet.
func.func @f(%a: tensor<?x7xf64>) {
  // expected-error @+1 {{'tam.convert' op expected a matrix that has an encoding, got 'tensor<?x7xf64>'}}
  %0 = tam.convert %a : tensor<?x7xf64> -> tensor<?x7xf64, #tam.sparse<7>>
  return
}

// -----

// convert_c1: columns.
func.func @f(%a: tensor<?x7xf64, #tam.banded<4>>) {
  // expected-error @+1 {{'tam.convert' op expected 7 columns, dense or sparse with 4 numbers per row, got 'tensor<?x8xf64, #tam.dense>'}}
  %0 = tam.convert %a : tensor<?x7xf64, #tam.banded<4>>
      -> tensor<?x8xf64, #tam.dense>
  return
}

// -----

// feature_map_c2: a row of a matrix without an encoding holds all its columns.
func.func @f(%a: tensor<?x7xf64>, %b: tensor<?x3xf64>) {
  // expected-error @+1 {{'tam.kronecker' op expected no encoding, #tam.dense or #tam.sparse<21>, got #tam.sparse<4>}}
  %0 = tam.kronecker %a, %b : tensor<?x7xf64>, tensor<?x3xf64>
      -> tensor<?x21xf64, #tam.sparse<4>>
  return
}
