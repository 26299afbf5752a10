// One test per constraint; the comment above a test names the constraint.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Attributes of modules, functions, arguments and results
//===----------------------------------------------------------------------===//

// model_c1
// expected-error @+1 {{expected a '#tam.model' as 'tam.model'}}
module attributes {tam.model = {name = "load", columns = 5 : i64}} {}

// -----

// model_c1
// expected-error @+1 {{'tam.model' belongs on a module}}
func.func private @f() attributes {tam.model = #tam.model<name = "m",
    target = "y", columns = 1>}

// -----

// target_c1
// expected-error @+1 {{'tam.target' must be a #tam.target}}
module attributes {tam.target = "cpu"} {}

// -----

// target_c1
// expected-error @+1 {{'tam.target' belongs on a module}}
func.func private @f() attributes {tam.target = #tam.target<"cpu">}

// -----

// step_c1
// expected-error @+1 {{'tam.step' must be a #tam.step}}
func.func private @f() attributes {tam.step = "predict"}

// -----

// step_c1
// expected-error @+1 {{'tam.step' belongs on a function}}
module attributes {tam.step = #tam.step<predict>} {}

// -----

// step_c1
// expected-error @+1 {{'tam.small_blocks' must be a unit}}
func.func private @f() attributes {tam.small_blocks = 1}

// -----

// step_c1
func.func @f() {
  // expected-error @+1 {{'tam.small_blocks' belongs on a function}}
  return {tam.small_blocks}
}

// -----

// expected-error @+2 {{expected ::tamc::tam::StepKind to be one of: fit_init, fit_chunk, fit_finish, predict, terms, design}}
// expected-error @+1 {{failed to parse Tam_StepAttr parameter 'kind'}}
func.func private @f() attributes {tam.step = #tam.step<fit>}

// -----

// expected-error @+1 {{unknown attribute 'tam.modle' of the tam dialect}}
module attributes {tam.modle = {}} {}

// -----

// expected-error @+1 {{unknown argument attribute 'tam.slto' of the tam dialect}}
func.func private @f(index {tam.slto = #tam.slot<rows>})

// -----

// slot_c1
// expected-error @+1 {{expected an offset of at least 0 and less than 281474976710656, got -8}}
func.func private @f(tensor<8xf64> {tam.slot = #tam.slot<state, -8>})

// -----

// slot_c1: an offset that is too large.
// expected-error @+1 {{expected an offset of at least 0 and less than 281474976710656, got 281474976710656}}
func.func private @f(tensor<8xf64> {tam.slot = #tam.slot<state, 281474976710656>})

// -----

// expected-error @+1 {{'tam.slot' must be a #tam.slot}}
func.func private @f(index {tam.slot = "rows"})

// -----

// expected-error @+1 {{'tam.slot' must be a #tam.slot}}
func.func private @f() -> (tensor<8xf64> {tam.slot = 8})

// -----

// slot_c2
// expected-error @+1 {{slot 'rows' cannot hold 'i64'}}
func.func private @f(i64 {tam.slot = #tam.slot<rows>})

// -----

// expected-error @+1 {{slot 'first' cannot hold 'tensor<?xf64>'}}
func.func private @f(tensor<?xf64> {tam.slot = #tam.slot<first>})

// -----

// expected-error @+1 {{slot 'capacity' cannot hold 'f64'}}
func.func private @f(f64 {tam.slot = #tam.slot<capacity>})

// -----

// expected-error @+1 {{slot 'column' cannot hold 'index'}}
func.func private @f(index {tam.slot = #tam.slot<column, 1>})

// -----

// expected-error @+1 {{slot 'output' cannot hold 'index'}}
func.func private @f() -> (index {tam.slot = #tam.slot<output>})

// -----

// expected-error @+2 {{expected ::tamc::tam::SlotKind to be one of: rows, first, capacity, column, parameters, coefficients, state, output, arena}}
// expected-error @+1 {{failed to parse Tam_SlotAttr parameter 'kind'}}
func.func private @f(index {tam.slot = #tam.slot<row>})

//===----------------------------------------------------------------------===//
// Encodings
//===----------------------------------------------------------------------===//

// -----

// dense_c1: rank.
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<?xf64, #tam.dense>)

// -----

// dense_c1: element type.
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<?x3xf32, #tam.dense>)

// -----

// dense_c1: columns.
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<4x?xf64, #tam.dense>)

// -----

// banded_c1
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<?x7x1xf64, #tam.banded<4>>)

// -----

// banded_c2: too wide.
// expected-error @+1 {{expected a band of 1 to 3 columns, got 4}}
func.func private @f(tensor<?x3xf64, #tam.banded<4>>)

// -----

// banded_c2: empty.
// expected-error @+1 {{expected a band of 1 to 3 columns, got 0}}
func.func private @f(tensor<?x3xf64, #tam.banded<0>>)

// -----

// one_hot_c1
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<?x7xi32, #tam.one_hot>)

// -----

// coordinates_c1: square.
// expected-error @+1 {{expected a square tensor of f64 of static shape}}
func.func private @f(tensor<2x3xf64, #tam.coordinates<1>>)

// -----

// coordinates_c1: static shape.
// expected-error @+1 {{expected a square tensor of f64 of static shape}}
func.func private @f(tensor<?x?xf64, #tam.coordinates<1>>)

// -----

// coordinates_c1: element type.
// expected-error @+1 {{expected a square tensor of f64 of static shape}}
func.func private @f(tensor<2x2xf32, #tam.coordinates<1>>)

//===----------------------------------------------------------------------===//
// Feature maps
//===----------------------------------------------------------------------===//

// -----

func.func @f(%v: tensor<?xf64>, %p: tensor<3xf64>) {
  // expected-error @+1 {{operand #1 must be tensor of the four parameters of an input, but got 'tensor<3xf64>'}}
  %x = tam.normalize %v, %p : tensor<?xf64>, tensor<3xf64>
  return
}

// -----

// feature_map_c1: offset.
func.func @f(%rows: index) {
  // expected-error @+1 {{'tam.offset' op expected 1 columns, got 'tensor<?x2xf64>'}}
  %0 = tam.offset %rows : tensor<?x2xf64>
  return
}

// -----

// feature_map_c1: linear.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.linear' op expected 1 columns, got 'tensor<?x2xf64>'}}
  %0 = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x2xf64>
  return
}

// -----

// feature_map_c1: fourier.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.fourier' op expected 10 columns, got 'tensor<?x5xf64>'}}
  %0 = tam.fourier %x {order = 5} : tensor<?xf64> -> tensor<?x5xf64>
  return
}

// -----

// feature_map_c1: bspline.
func.func @f(%x: tensor<?xf64>, %p: tensor<4xf64>) {
  // expected-error @+1 {{'tam.bspline' op expected 23 columns, got 'tensor<?x20xf64>'}}
  %0 = tam.bspline %x, %p {intervals = 20, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x20xf64>
  return
}

// -----

// feature_map_c1: chebyshev.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.chebyshev' op expected 5 columns, got 'tensor<?x6xf64>'}}
  %0 = tam.chebyshev %x {degree = 5} : tensor<?xf64> -> tensor<?x6xf64>
  return
}

// -----

// feature_map_c1: category.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.category' op expected 7 columns, got 'tensor<?x8xf64, #tam.one_hot>'}}
  %0 = tam.category %x {levels = 7} : tensor<?xf64>
      -> tensor<?x8xf64, #tam.one_hot>
  return
}

// -----

// feature_map_c1: levels.
func.func @f(%codes: tensor<?xi32>) {
  // expected-error @+1 {{'tam.levels' op expected 7 columns, got 'tensor<?x6xf64>'}}
  %0 = tam.levels %codes {levels = 7} : tensor<?xi32> -> tensor<?x6xf64>
  return
}

// -----

// feature_map_c1: chebyshev.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.chebyshev' op expected 5 columns, got 'tensor<?x4xf64>'}}
  %0 = tam.chebyshev %x {degree = 5} : tensor<?xf64> -> tensor<?x4xf64>
  return
}

// -----

// feature_map_c2: offset.
func.func @f(%rows: index) {
  // expected-error @+1 {{'tam.offset' op expected no encoding, #tam.dense or #tam.dense, got #tam.one_hot}}
  %0 = tam.offset %rows : tensor<?x1xf64, #tam.one_hot>
  return
}

// -----

// feature_map_c2: linear.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.linear' op expected no encoding, #tam.dense or #tam.dense, got #tam.banded<1>}}
  %0 = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.banded<1>>
  return
}

// -----

// feature_map_c2: fourier.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.fourier' op expected no encoding, #tam.dense or #tam.dense, got #tam.one_hot}}
  %0 = tam.fourier %x {order = 1} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  return
}

// -----

// feature_map_c2: bspline, the band's width.
func.func @f(%x: tensor<?xf64>, %p: tensor<4xf64>) {
  // expected-error @+1 {{'tam.bspline' op expected no encoding, #tam.dense or #tam.banded<4>, got #tam.banded<5>}}
  %0 = tam.bspline %x, %p {intervals = 20, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x23xf64, #tam.banded<5>>
  return
}

// -----

// feature_map_c2: chebyshev.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.chebyshev' op expected no encoding, #tam.dense or #tam.dense, got #tam.banded<2>}}
  %0 = tam.chebyshev %x {degree = 5} : tensor<?xf64>
      -> tensor<?x5xf64, #tam.banded<2>>
  return
}

// -----

// feature_map_c2: category.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.category' op expected no encoding, #tam.dense or #tam.one_hot, got #tam.banded<1>}}
  %0 = tam.category %x {levels = 7} : tensor<?xf64>
      -> tensor<?x7xf64, #tam.banded<1>>
  return
}

// -----

// feature_map_c2: levels.
func.func @f(%codes: tensor<?xi32>) {
  // expected-error @+1 {{'tam.levels' op expected no encoding, #tam.dense or #tam.one_hot, got #tam.banded<7>}}
  %0 = tam.levels %codes {levels = 7} : tensor<?xi32>
      -> tensor<?x7xf64, #tam.banded<7>>
  return
}

// -----

func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{attribute 'order' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = tam.fourier %x {order = 0} : tensor<?xf64> -> tensor<?x0xf64>
  return
}

// -----

func.func @f(%x: tensor<?xf64>) {
  // expected-error @+2 {{expected ::tamc::tam::Extrapolate to be one of: continue, constant, linear, saturation}}
  // expected-error @+1 {{failed to parse Tam_ExtrapolateAttr parameter 'value'}}
  %0 = tam.chebyshev %x {degree = 1, extrapolate = #tam.extrapolate<none>}
      : tensor<?xf64> -> tensor<?x1xf64>
  return
}

//===----------------------------------------------------------------------===//
// Sums over rows
//===----------------------------------------------------------------------===//

// -----

// A scale that is not finite.
func.func @f(%x: tensor<?xf64>) {
  // expected-error @+1 {{'tam.linear' op attribute 'scale' failed to satisfy constraint: 64-bit float attribute whose value is finite}}
  %0 = tam.linear %x {scale = 0x7FF8000000000000 : f64} : tensor<?xf64>
      -> tensor<?x1xf64>
  return
}

// -----

// normal_vector_c1
func.func @f(%a: tensor<1xf64>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'tam.normal_vector' op expected a result of 3, got 'tensor<4xf64>'}}
  %0 = tam.normal_vector(%a, %b : tensor<1xf64>, tensor<2xf64>)
      : tensor<4xf64>
  return
}

// -----

// solve_c1: sizes.
func.func @f(%a: tensor<3x3xf64>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'tam.solve' op expected a square matrix of 2 rows, got 'tensor<3x3xf64>'}}
  %0 = tam.solve %a, %b : tensor<3x3xf64>, tensor<2xf64>
  return
}

// -----

// solve_c1: a square.
func.func @f(%a: tensor<2x3xf64>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'tam.solve' op expected a square matrix of 2 rows, got 'tensor<2x3xf64>'}}
  %0 = tam.solve %a, %b : tensor<2x3xf64>, tensor<2xf64>
  return
}

// -----

// normal_product_c1: as many sums as penalties.
func.func @f(%n: index, %s: tensor<2xf64>, %v: tensor<2xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  // expected-error @+1 {{'tam.normal_product' op expected as many sums as penalties, got 2 and 1}}
  %0 = "tam.normal_product"(%n, %s, %s, %p, %v)
      <{operandSegmentSizes = array<i32: 1, 2, 1, 1>}>
      : (index, tensor<2xf64>, tensor<2xf64>,
         tensor<2x2xf64, #tam.coordinates<1>>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

// normal_product_c1: of the penalties' sizes.
func.func @f(%n: index, %s: tensor<3xf64>, %v: tensor<2xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  // expected-error @+1 {{'tam.normal_product' op expected sums of 2, got 'tensor<3xf64>'}}
  %0 = tam.normal_product %n sums(%s : tensor<3xf64>)
      penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) vector %v
      : tensor<2xf64>
  return
}

// -----

// normal_product_c2: the vector's size.
func.func @f(%n: index, %s: tensor<2xf64>, %v: tensor<3xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  // expected-error @+1 {{'tam.normal_product' op expected a vector of 2, got 'tensor<3xf64>'}}
  %0 = tam.normal_product %n sums(%s : tensor<2xf64>)
      penalties(%p : tensor<2x2xf64, #tam.coordinates<1>>) vector %v
      : tensor<3xf64>
  return
}

// -----

// factor_c1: a square.
func.func @f(%a: tensor<2x3xf64>) {
  // expected-error @+1 {{'tam.factor' op expected a square matrix, got 'tensor<2x3xf64>'}}
  %0 = tam.factor %a : tensor<2x3xf64>
  return
}

// -----

// factor_solve_c1: sizes.
func.func @f(%l: tensor<3x3xf64>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'tam.factor_solve' op expected a square factor of 2 rows, got 'tensor<3x3xf64>'}}
  %0 = tam.factor_solve %l, %b : tensor<3x3xf64>, tensor<2xf64>
  return
}

// -----

// diagonal_factor_c1: sizes of the sums and of the result.
func.func @f(%rows: index, %d: tensor<3xf64>) {
  %p = tam.penalty rows [] columns [] values []
      : tensor<2x2xf64, #tam.coordinates<0>>
  // expected-error @+1 {{'tam.diagonal_factor' op expected 2 numbers, got 'tensor<3xf64>'}}
  %0 = tam.diagonal_factor %rows sums(%d : tensor<3xf64>) penalty %p
      : tensor<2x2xf64, #tam.coordinates<0>> -> tensor<2xf64>
  return
}

// -----

func.func @f(%rows: index) {
  %p = tam.penalty rows [] columns [] values []
      : tensor<2x2xf64, #tam.coordinates<0>>
  // expected-error @+1 {{'tam.diagonal_factor' op expected 2 numbers, got 'tensor<1xf64>'}}
  %0 = tam.diagonal_factor %rows penalty %p
      : tensor<2x2xf64, #tam.coordinates<0>> -> tensor<1xf64>
  return
}

// -----

// diagonal_factor_c2
func.func @f(%rows: index, %d: tensor<5xf64, #tam.sums<panels, 4>>) {
  %p = tam.penalty rows [] columns [] values []
      : tensor<5x5xf64, #tam.coordinates<0>>
  // expected-error @+1 {{'tam.diagonal_factor' op expected 'full' sums, got 'tensor<5xf64, #tam.sums<panels, 4>>'}}
  %0 = tam.diagonal_factor %rows
      sums(%d : tensor<5xf64, #tam.sums<panels, 4>>) penalty %p
      : tensor<5x5xf64, #tam.coordinates<0>> -> tensor<5xf64>
  return
}

//===----------------------------------------------------------------------===//
// Application
//===----------------------------------------------------------------------===//

// -----

// apply_c1: predict.
func.func @f(%a: tensor<?x3xf64>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'tam.predict' op expected 3 coefficients for 'tensor<?x3xf64>', got 'tensor<2xf64>'}}
  %0 = tam.predict(%a : tensor<?x3xf64>) coefficients(%b : tensor<2xf64>)
      : tensor<?xf64>
  return
}

// -----

// apply_c1: decompose.
func.func @f(%a: tensor<?x3xf64>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'tam.decompose' op expected 3 coefficients for 'tensor<?x3xf64>', got 'tensor<2xf64>'}}
  %0 = tam.decompose(%a : tensor<?x3xf64>) coefficients(%b : tensor<2xf64>)
      : tensor<?x1xf64>
  return
}

// -----

// decompose_c1
func.func @f(%a: tensor<?x3xf64>, %b: tensor<3xf64>) {
  // expected-error @+1 {{'tam.decompose' op expected 1 columns, got 'tensor<?x3xf64>'}}
  %0 = tam.decompose(%a : tensor<?x3xf64>) coefficients(%b : tensor<3xf64>)
      : tensor<?x3xf64>
  return
}

// -----

// columns_c1
func.func @f() {
  // expected-error @+1 {{'tam.columns' op expected a matrix}}
  %0 = "tam.columns"() : () -> tensor<?x1xf64>
  return
}

// -----

// columns_c2
func.func @f(%a: tensor<?x1xf64>, %b: tensor<?x2xf64>) {
  // expected-error @+1 {{'tam.columns' op expected an encoding of a matrix of several columns, got 'tensor<?x2xf64>'}}
  %0 = tam.columns(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>)
      -> tensor<?x3xf64>
  return
}

// -----

// columns_c3
func.func @f(%a: tensor<?x5xf64, #tam.banded<4>>,
             %b: tensor<?x5xf64, #tam.banded<3>>) {
  // expected-error @+1 {{'tam.columns' op expected 2 matrices #tam.banded<4> for #tam.bands<4, 2>}}
  %0 = tam.columns(%a, %b : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<3>>) -> tensor<?x10xf64, #tam.bands<4, 2>>
  return
}

// -----

// columns_c3: their number
func.func @f(%a: tensor<?x5xf64, #tam.banded<4>>) {
  // expected-error @+1 {{'tam.columns' op expected 1 matrices #tam.banded<4> for #tam.bands<4, 1>}}
  %0 = tam.columns(%a, %a : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>>) -> tensor<?x10xf64, #tam.bands<4, 1>>
  return
}

// -----

// linear_columns_c1
func.func @f() {
  // expected-error @+1 {{'tam.linear_columns' op expected as many scales and modes as inputs, at least one, got 0 and 0 of 0}}
  %0 = "tam.linear_columns"() {scales = array<f64>} : () -> tensor<?x1xf64>
  return
}

// -----

// linear_columns_c1: scales
func.func @f(%x: tensor<?xf64>, %p: tensor<4xf64>) {
  // expected-error @+1 {{'tam.linear_columns' op expected as many scales and modes as inputs, at least one, got 2 and 1 of 1}}
  %0 = tam.linear_columns(%x : tensor<?xf64>) parameters(%p : tensor<4xf64>)
      scales [1.0, 2.0] -> tensor<?x1xf64>
  return
}

// -----

// linear_columns_c1: modes
func.func @f(%x: tensor<?xf64>, %p: tensor<4xf64>) {
  // expected-error @+1 {{'tam.linear_columns' op expected as many scales and modes as inputs, at least one, got 1 and 0 of 1}}
  %0 = tam.linear_columns(%x : tensor<?xf64>) parameters(%p : tensor<4xf64>)
      scales [1.0] {extrapolate = []} -> tensor<?x1xf64>
  return
}

// -----

// linear_columns_c2
func.func @f(%x: tensor<?xf64>, %p: tensor<4xf64>) {
  // expected-error @+1 {{'tam.linear_columns' op expected scales that are finite, got INF}}
  %0 = tam.linear_columns(%x : tensor<?xf64>) parameters(%p : tensor<4xf64>)
      scales [0x7FF0000000000000] -> tensor<?x1xf64>
  return
}

// -----

// feature_map_c3: rows of each input
func.func @f(%x: tensor<?xf64>, %y: tensor<3xf64>, %p: tensor<4xf64>) {
  // expected-error @+1 {{'tam.linear_columns' op expected as many rows as 'tensor<3xf64>' has, got 'tensor<?x2xf64>'}}
  %0 = tam.linear_columns(%x, %y : tensor<?xf64>, tensor<3xf64>)
      parameters(%p, %p : tensor<4xf64>, tensor<4xf64>) scales [1.0, 1.0]
      -> tensor<?x2xf64>
  return
}

// -----

// feature_map_c1: columns
func.func @f(%a: tensor<?x1xf64>, %b: tensor<?x1xf64>) {
  // expected-error @+1 {{'tam.columns' op expected 2 columns, got 'tensor<?x3xf64>'}}
  %0 = tam.columns(%a, %b : tensor<?x1xf64>, tensor<?x1xf64>)
      -> tensor<?x3xf64>
  return
}

// -----

// design_c1
func.func @f(%a: tensor<?x3xf64>, %b: tensor<?x2xf64>) {
  // expected-error @+1 {{'tam.design' op expected 5 columns, got 'tensor<?x6xf64>'}}
  %0 = tam.design(%a, %b : tensor<?x3xf64>, tensor<?x2xf64>)
      : tensor<?x6xf64>
  return
}

// -----

// apply_c2: predict.
func.func @f(%a: tensor<?x3xf64>, %b: tensor<3xf64>) {
  // expected-error @+1 {{'tam.predict' op expected as many vectors of coefficients as design matrices, got 2 and 1}}
  %0 = tam.predict(%a : tensor<?x3xf64>)
      coefficients(%b, %b : tensor<3xf64>, tensor<3xf64>) : tensor<?xf64>
  return
}

// -----

// apply_c2: decompose.
func.func @f(%a: tensor<?x3xf64>, %b: tensor<3xf64>) {
  // expected-error @+1 {{'tam.decompose' op expected as many vectors of coefficients as design matrices, got 3 operands}}
  %0 = tam.decompose(%a : tensor<?x3xf64>)
      coefficients(%b, %b : tensor<3xf64>, tensor<3xf64>) : tensor<?x1xf64>
  return
}

//===----------------------------------------------------------------------===//
// Operand types: an encoding that no kernel takes as that operand
//===----------------------------------------------------------------------===//

// -----

func.func @f() {
  // expected-error @+1 {{'tam.zeros' op result #0 must be accumulator}}
  %0 = tam.zeros : tensor<3x3xf64, #tam.coordinates<0>>
  return
}

// -----

func.func @f(%rows: index, %g: tensor<1x1xf64>) {
  // expected-error @+1 {{'tam.normal_matrix' op operand #2 must be variadic of penalty matrix as coordinates, but got 'tensor<1x1xf64>'}}
  %0 = tam.normal_matrix %rows blocks(%g : tensor<1x1xf64>)
      penalties(%g : tensor<1x1xf64>) : tensor<1x1xf64>
  return
}

// -----

func.func @f(%a: tensor<3x3xf64>) {
  // expected-error @+1 {{'tam.normal_vector' op operand #0 must be variadic of accumulator of rank 1}}
  %0 = tam.normal_vector(%a : tensor<3x3xf64>) : tensor<3xf64>
  return
}

// -----

func.func @f(%a: tensor<f64>, %b: tensor<f64>) {
  // expected-error @+1 {{'tam.solve' op operand #0 must be matrix of f64 of static shape, but got 'tensor<f64>'}}
  %0 = tam.solve %a, %b : tensor<f64>, tensor<f64>
  return
}

// -----

func.func @f(%a: tensor<?x3xf64>) {
  // expected-error @+1 {{'tam.design' op result #0 must be matrix of f64 values, but got 'tensor<?x3xf64, #tam.dense>'}}
  %0 = tam.design(%a : tensor<?x3xf64>) : tensor<?x3xf64, #tam.dense>
  return
}

// -----

func.func @f(%v: tensor<2x?xf64>, %p: tensor<4xf64>) {
  // expected-error @+1 {{'tam.normalize' op operand #0 must be column of f64 values, but got 'tensor<2x?xf64>'}}
  %0 = tam.normalize %v, %p : tensor<2x?xf64>, tensor<4xf64>
  return
}

// -----

// operands_c1
func.func @f(%g: tensor<2x2xf64>, %p: tensor<2x2xf64, #tam.coordinates<1>>) {
  // expected-error @+1 {{'tam.normal_matrix' op expected one operand in segment 0, got 0}}
  %0 = "tam.normal_matrix"(%g, %p)
      <{operandSegmentSizes = array<i32: 0, 1, 0, 1>}>
      : (tensor<2x2xf64>, tensor<2x2xf64, #tam.coordinates<1>>)
      -> tensor<2x2xf64>
  return
}

// -----

// operands_c1: an operand that other operands are compared with.
func.func @f(%n: index, %q: tensor<2xf64>,
             %p: tensor<2x2xf64, #tam.coordinates<1>>) {
  // expected-error @+1 {{'tam.normal_product' op expected one operand in segment 3, got 0}}
  %0 = "tam.normal_product"(%n, %q, %p)
      <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (index, tensor<2xf64>, tensor<2x2xf64, #tam.coordinates<1>>)
      -> tensor<2xf64>
  return
}

// -----

// operands_c1: the sums that are expanded.
func.func @f(%b: tensor<2x3xf64, #tam.dense>) {
  // expected-error @+1 {{'tam.expand_levels' op expected one operand in segment 0, got 0}}
  %0 = "tam.expand_levels"(%b) <{operandSegmentSizes = array<i32: 0, 1, 0>}>
      : (tensor<2x3xf64, #tam.dense>) -> tensor<3xf64>
  return
}

// -----

// operands_c1: the points of a neural map.
func.func @f(%w: tensor<2x3xf64>, %b: tensor<3xf64>) {
  // expected-error @+1 {{'tam.neural' op expected one operand in segment 0, got 0}}
  %0 = "tam.neural"(%w, %b) <{activation = #tam.activation<tanh>,
      operandSegmentSizes = array<i32: 0, 1, 1, 0>}>
      : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  return
}
