// Errors of kernel selection.
//
// RUN: tam-opt %s --convert-tam-to-tamk -split-input-file -verify-diagnostics

// expected-error @+1 {{'func.func' op expected a slot of argument 0}}
func.func @no_argument_slot(%rows: index) {
  return
}

// -----

// Choices must have been made before.
func.func @not_encoded(%rows: index {tam.slot = #tam.slot<rows>},
                       %n: index {tam.slot = #tam.slot<capacity>}) {
  // expected-error @+1 {{'tam.offset' op expected an encoding, got 'tensor<?x1xf64>'}}
  %o = tam.offset %n : tensor<?x1xf64>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a slot of result 0}}
func.func @no_result_slot(%b: tensor<1xf64>
                              {tam.slot = #tam.slot<coefficients>})
    -> tensor<1xf64> {
  return %b : tensor<1xf64>
}

// -----

// A banded matrix is two buffers.
// expected-error @+1 {{'func.func' op expected a slot of one component, got 'tensor<?x7xf64, #tam.banded<4>>'}}
func.func @two_components(%a: tensor<?x7xf64, #tam.banded<4>>
                              {tam.slot = #tam.slot<arena>}) {
  return
}

// -----

func.func @no_rows(%n: index {tam.slot = #tam.slot<capacity>}) {
  // expected-error @+2 {{'tam.offset' op expected an argument with slot 'rows' in the function}}
  // expected-error @+1 {{failed to legalize operation 'tam.offset'}}
  %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
  return
}

// -----

func.func @no_capacity(%rows: index {tam.slot = #tam.slot<rows>}) {
  // expected-error @+2 {{'tam.offset' op expected an argument with slot 'capacity' in the function}}
  // expected-error @+1 {{failed to legalize operation 'tam.offset'}}
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  return
}

// -----

func.func @no_first(%rows: index {tam.slot = #tam.slot<rows>},
                    %all: index {tam.slot = #tam.slot<group_rows>},
                    %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                    %c: tensor<5xf64> {tam.slot = #tam.slot<carry>},
                    %capacity: index {tam.slot = #tam.slot<capacity>}) {
  // expected-error @+2 {{'tam.pid' op expected an argument with slot 'first' in the function}}
  // expected-error @+1 {{failed to legalize operation 'tam.pid'}}
  %0, %1 = tam.pid %x, %c, %all {window = 3} : tensor<?xf64>, tensor<5xf64>
      -> tensor<?x3xf64, #tam.dense>
  return
}

// -----

func.func @solver(%a: tensor<3x3xf64> {tam.slot = #tam.slot<state>},
                  %b: tensor<3xf64> {tam.slot = #tam.slot<state, 128>}) {
  // expected-error @+2 {{'tam.solve' op expected solver 'direct', got 'cg'}}
  // expected-error @+1 {{failed to legalize operation 'tam.solve'}}
  %x = tam.solve %a, %b {solver = #tam.solver<cg>}
      : tensor<3x3xf64>, tensor<3xf64>
  return
}

// -----

func.func @penalty(%rows: index {tam.slot = #tam.slot<rows>},
                   %g: tensor<1x1xf64, #tam.sums<upper>>
                       {tam.slot = #tam.slot<state>},
                   %a: tensor<1x1xf64> {tam.slot = #tam.slot<state, 64>}) {
  %p = builtin.unrealized_conversion_cast %a
      : tensor<1x1xf64> to tensor<1x1xf64, #tam.coordinates<1>>
  // expected-error @+2 {{'tam.normal_matrix' op expected penalties of tam.penalty}}
  // expected-error @+1 {{failed to legalize operation 'tam.normal_matrix'}}
  %m = tam.normal_matrix %rows
      blocks(%g : tensor<1x1xf64, #tam.sums<upper>>)
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>) : tensor<1x1xf64>
  return
}

// -----

func.func @two_strengths(%rows: index {tam.slot = #tam.slot<rows>},
    %s: tensor<1xf64> {tam.slot = #tam.slot<parameters>},
    %t: tensor<1xf64> {tam.slot = #tam.slot<parameters, 8>},
    %g: tensor<1x1xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %h: tensor<1x1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 64>}) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%s : tensor<1xf64>) parts [0, 1, 0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [0] columns [0] values [1.0]
      strengths(%t : tensor<1xf64>) parts [0, 1, 0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  // expected-error @+2 {{'tam.normal_matrix' op expected penalties with one tensor of strengths}}
  // expected-error @+1 {{failed to legalize operation 'tam.normal_matrix'}}
  %m = tam.normal_matrix %rows
      blocks(%g, %h, %g : tensor<1x1xf64, #tam.sums<upper>>,
             tensor<1x1xf64, #tam.sums<full>>,
             tensor<1x1xf64, #tam.sums<upper>>)
      penalties(%p, %q : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<1x1xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
  return
}

// -----

func.func @learnt_diagonal(
    %rows: index {tam.slot = #tam.slot<rows>},
    %w: tensor<1xf64> {tam.slot = #tam.slot<parameters>}) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      weights(%w : tensor<1xf64>) table [0] element [0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  // expected-error @+2 {{'tam.diagonal_factor' op expected a penalty that is not learnt}}
  // expected-error @+1 {{failed to legalize operation 'tam.diagonal_factor'}}
  %l = tam.diagonal_factor %rows penalty %p
      : tensor<1x1xf64, #tam.coordinates<1>> -> tensor<1xf64>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected index or a tensor as argument in the solver graph, got 'memref<?xf64>'}}
func.func @predict(%v: memref<?xf64> {tam.slot = #tam.slot<column>}) {
  return
}

// -----

// Two results of different shapes for one place.
// expected-error @+1 {{'func.func' op expected one type in slot #tam.slot<output>, got 'memref<1xf64>' and 'memref<2xf64>'}}
func.func @one_slot(%b: tensor<1xf64> {tam.slot = #tam.slot<coefficients>},
                    %c: tensor<2xf64> {tam.slot = #tam.slot<coefficients, 8>})
    -> (tensor<1xf64> {tam.slot = #tam.slot<output>},
        tensor<2xf64> {tam.slot = #tam.slot<output>}) {
  return %b, %c : tensor<1xf64>, tensor<2xf64>
}

// -----

// The runtime's kernel takes the one-hot matrix first.
func.func @order(%rows: index {tam.slot = #tam.slot<rows>},
                 %n: index {tam.slot = #tam.slot<capacity>},
                 %x: tensor<?xf64> {tam.slot = #tam.slot<column>},
                 %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
                 %s: tensor<7x3xf64, #tam.sums<full>>
                     {tam.slot = #tam.slot<state>})
    -> (tensor<7x3xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  %b = tam.bspline %x, %p {intervals = 4, degree = 3} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x7xf64, #tam.banded<4>>
  %c = tam.category %x {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  // expected-error @+2 {{'tam.gram' op expected matrices that a kernel takes in this order, got 'tensor<?x7xf64, #tam.banded<4>>' and 'tensor<?x3xf64, #tam.one_hot>'}}
  // expected-error @+1 {{failed to legalize operation 'tam.gram'}}
  %g = tam.gram %b, %c into %s : tensor<?x7xf64, #tam.banded<4>>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<7x3xf64, #tam.sums<full>>
  return %g : tensor<7x3xf64, #tam.sums<full>>
}
