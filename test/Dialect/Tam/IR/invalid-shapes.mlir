// Numbers of rows, columns and operands: one test per constraint; the comment
// above a test names it.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: tensor<?x?xf64>) {
  // expected-error @+1 {{'tam.design' op operand #0 must be variadic of design matrix of f64 values}}
  %0 = tam.design(%a : tensor<?x?xf64>) : tensor<?x3xf64>
  return
}

// -----

func.func @f(%a: tensor<0x0xf64>, %b: tensor<0xf64>) {
  // expected-error @+1 {{'tam.solve' op operand #0 must be matrix of f64 of static shape}}
  %0 = tam.solve %a, %b : tensor<0x0xf64>, tensor<0xf64>
  return
}

// -----

// bands_c1
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<?x8xf32, #tam.bands<4, 2>>)

// -----

// bands_c2
// expected-error @+1 {{expected bands of at most 7 columns, at least one of one column, got 2 of 4}}
func.func private @f(tensor<?x7xf64, #tam.bands<4, 2>>)

// -----

// bands_c2: none
// expected-error @+1 {{expected bands of at most 7 columns, at least one of one column, got 0 of 4}}
func.func private @f(tensor<?x7xf64, #tam.bands<4, 0>>)

// -----

// bands_c2: numbers whose product overflows
// expected-error @+1 {{expected bands of at most 8 columns, at least one of one column, got 4611686018427387904 of 4}}
func.func private @f(tensor<?x8xf64, #tam.bands<4, 4611686018427387904>>)

// -----

// multi_hot_c1
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<?xf64, #tam.multi_hot<2, 0.5>>)

// -----

// multi_hot_c2
// expected-error @+1 {{expected 1 to 3 numbers per row, got 4}}
func.func private @f(tensor<?x3xf64, #tam.multi_hot<4, 0.5>>)

// -----

// multi_hot_c3
// expected-error @+1 {{expected a finite scale, got 0x7FF0000000000000 : f64}}
func.func private @f(tensor<?x3xf64, #tam.multi_hot<1, 0x7FF0000000000000 : f64>>)

// -----

// sparse_c1
// expected-error @+1 {{expected a tensor of f64 of rank 2 with a known number of columns}}
func.func private @f(tensor<?x?xf64, #tam.sparse<2>>)

// -----

// sparse_c2
// expected-error @+1 {{expected at least one number per row, got 0}}
func.func private @f(tensor<?x3xf64, #tam.sparse<0>>)

// -----

// feature_map_c3: rows of a grid that would be rows of a chunk.
func.func @f(%x: tensor<24xf64>) {
  // expected-error @+1 {{'tam.linear' op expected as many rows as 'tensor<24xf64>' has, got 'tensor<?x1xf64>'}}
  %0 = tam.linear %x {scale = 1.0 : f64} : tensor<24xf64> -> tensor<?x1xf64>
  return
}

// -----

// feature_map_c4
func.func @f(%rows: index) {
  // expected-error @+1 {{'tam.offset' op expected a dynamic number of rows, got 'tensor<24x1xf64>'}}
  %0 = tam.offset %rows : tensor<24x1xf64>
  return
}

// -----

// feature_map_c4: a map along the rows of a group.
func.func @f(%x: tensor<24xf64>, %c: tensor<9xf64>, %n: index) {
  // expected-error @+1 {{'tam.pid' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0, %1 = tam.pid %x, %c, %n {window = 7} : tensor<24xf64>, tensor<9xf64>
      -> tensor<?x3xf64>
  return
}

// -----

// pid_c1
func.func @f(%x: tensor<?xf64>, %c: tensor<7xf64>, %n: index) {
  // expected-error @+1 {{'tam.pid' op expected a carry of 9 numbers, got 'tensor<7xf64>'}}
  %0, %1 = tam.pid %x, %c, %n {window = 7} : tensor<?xf64>, tensor<7xf64>
      -> tensor<?x3xf64>
  return
}

// -----

// wavelet_c1
func.func @f(%x: tensor<?xf64>, %r: tensor<3xf64>) {
  // expected-error @+1 {{'tam.wavelet' op expected a range of two numbers, got 'tensor<3xf64>'}}
  %0 = tam.wavelet %x, %r {scales = 5, locations = 20} : tensor<?xf64>,
      tensor<3xf64> -> tensor<?x100xf64>
  return
}

// -----

// normal_matrix_c1: no effect.
func.func @f(%n: index) {
  // expected-error @+1 {{'tam.normal_matrix' op expected a penalty for each effect, got none}}
  %0 = "tam.normal_matrix"(%n) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}>
      : (index) -> tensor<1x1xf64>
  return
}

// -----

// normal_vector_c1: no sums.
func.func @f() {
  // expected-error @+1 {{'tam.normal_vector' op expected sums, got none}}
  %0 = "tam.normal_vector"() : () -> tensor<1xf64>
  return
}

// -----

// normal_equations_c1: as many designs as penalties.
func.func @f(%n: index, %a: tensor<?x1xf64>, %y: tensor<?xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected as many designs as penalties, got 2 and 1}}
  %0, %1 = tam.normal_equations %n designs(%a, %a : tensor<?x1xf64>, tensor<?x1xf64>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>)
      : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
  return
}

// -----

// normal_equations_c1: no effect.
func.func @f(%n: index, %y: tensor<?xf64>) {
  // expected-error @+1 {{'tam.normal_equations' op expected as many designs as penalties, got 0 and 0}}
  %0, %1 = "tam.normal_equations"(%n, %y)
      <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 0>}>
      : (index, tensor<?xf64>) -> (tensor<1x1xf64>, tensor<1xf64>)
  return
}

// -----

// normal_equations_c1: of the penalties' columns.
func.func @f(%n: index, %a: tensor<?x2xf64>, %y: tensor<?xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected a design of 1 columns, got 'tensor<?x2xf64>'}}
  %0, %1 = tam.normal_equations %n designs(%a : tensor<?x2xf64>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>)
      : tensor<?xf64> -> tensor<1x1xf64>, tensor<1xf64>
  return
}

// -----

// normal_equations_c2: the matrix.
func.func @f(%n: index, %a: tensor<?x1xf64>, %y: tensor<?xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected results of 1 x 1 and 1, got 'tensor<1x2xf64>' and 'tensor<1xf64>'}}
  %0, %1 = tam.normal_equations %n designs(%a : tensor<?x1xf64>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>)
      : tensor<?xf64> -> tensor<1x2xf64>, tensor<1xf64>
  return
}

// -----

// normal_equations_c2: the vector.
func.func @f(%n: index, %a: tensor<?x1xf64>, %y: tensor<?xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected results of 1 x 1 and 1, got 'tensor<1x1xf64>' and 'tensor<2xf64>'}}
  %0, %1 = tam.normal_equations %n designs(%a : tensor<?x1xf64>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>)
      : tensor<?xf64> -> tensor<1x1xf64>, tensor<2xf64>
  return
}

// -----

// normal_equations_c3: the designs.
func.func @f(%n: index, %a: tensor<24x1xf64>, %y: tensor<?xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected a dynamic number of rows, got 'tensor<24x1xf64>'}}
  %0, %1 = tam.normal_equations %n designs(%a : tensor<24x1xf64>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>)
      : tensor<?xf64> -> tensor<1x1xf64>, tensor<1xf64>
  return
}

// -----

// normal_equations_c3: the target.
func.func @f(%n: index, %a: tensor<?x1xf64>, %y: tensor<24xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0, %1 = tam.normal_equations %n designs(%a : tensor<?x1xf64>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>)
      : tensor<24xf64> -> tensor<1x1xf64>, tensor<1xf64>
  return
}

// -----

// normal_equations_c3: the weights.
func.func @f(%n: index, %a: tensor<?x1xf64>, %y: tensor<?xf64>, %w: tensor<24xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0, %1 = tam.normal_equations %n designs(%a : tensor<?x1xf64>) y %y
      weights %w : tensor<24xf64> penalties(%p : tensor<1x1xf64, #tam.coordinates<0>>)
      : tensor<?xf64> -> tensor<1x1xf64>, tensor<1xf64>
  return
}

// -----

// operands_c1: the target of equations.
func.func @f(%n: index, %a: tensor<?x1xf64>,
             %p: tensor<1x1xf64, #tam.coordinates<0>>) {
  // expected-error @+1 {{'tam.normal_equations' op expected one operand in segment 2, got 0}}
  %0, %1 = "tam.normal_equations"(%n, %a, %p)
      <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 1>}>
      : (index, tensor<?x1xf64>, tensor<1x1xf64, #tam.coordinates<0>>)
      -> (tensor<1x1xf64>, tensor<1xf64>)
  return
}

// -----

// apply_c3
func.func @f() {
  // expected-error @+1 {{'tam.predict' op expected design matrices, got none}}
  %0 = "tam.predict"() <{operandSegmentSizes = array<i32: 0, 0, 0>}>
      : () -> tensor<?xf64>
  return
}

// -----

// apply_c4: predict.
func.func @f(%a: tensor<24x1xf64>, %b: tensor<1xf64>) {
  // expected-error @+1 {{'tam.predict' op expected a dynamic number of rows, got 'tensor<24x1xf64>'}}
  %0 = tam.predict(%a : tensor<24x1xf64>) coefficients(%b : tensor<1xf64>)
      : tensor<?xf64>
  return
}

// -----

// apply_c4: the sum of other effects.
func.func @f(%a: tensor<?x1xf64>, %b: tensor<1xf64>, %y: tensor<24xf64>) {
  // expected-error @+1 {{'tam.predict' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0 = tam.predict(%a : tensor<?x1xf64>) coefficients(%b : tensor<1xf64>)
      into(%y : tensor<24xf64>) : tensor<?xf64>
  return
}

// -----

// apply_c4: design.
func.func @f(%a: tensor<?x1xf64>) {
  // expected-error @+1 {{'tam.design' op expected a dynamic number of rows, got 'tensor<24x1xf64>'}}
  %0 = tam.design(%a : tensor<?x1xf64>) : tensor<24x1xf64>
  return
}
