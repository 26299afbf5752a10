// What verifiers refuse in inverses, means, effective degrees of freedom and
// quadratic forms.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

func.func @inverse_c1(%a: tensor<3x2xf64>) {
  // expected-error @+1 {{'tam.inverse' op expected a square matrix and the triangle of one, got 'tensor<3x2xf64>' and 'tensor<6xf64>'}}
  %v, %n = tam.inverse %a : tensor<3x2xf64> -> tensor<6xf64>, tensor<2xf64>
  return
}

// -----

func.func @inverse_c1_triangle(%a: tensor<3x3xf64>) {
  // expected-error @+1 {{'tam.inverse' op expected a square matrix and the triangle of one, got 'tensor<3x3xf64>' and 'tensor<9xf64>'}}
  %v, %n = tam.inverse %a : tensor<3x3xf64> -> tensor<9xf64>, tensor<2xf64>
  return
}

// -----

func.func @inverse_c2(%a: tensor<3x3xf64>) {
  // expected-error @+1 {{'tam.inverse' op expected two numbers, got 'tensor<1xf64>'}}
  %v, %n = tam.inverse %a : tensor<3x3xf64> -> tensor<6xf64>, tensor<1xf64>
  return
}

// -----

func.func @column_means_c1(%rows: index, %a: tensor<3x3xf64>) {
  // expected-error @+1 {{'tam.column_means' op expected a square matrix of 2 rows, got 'tensor<3x3xf64>'}}
  %m = tam.column_means %rows matrix %a : tensor<3x3xf64> -> tensor<2xf64>
  return
}

// -----

func.func @column_means_c1_square(%rows: index, %a: tensor<3x2xf64>) {
  // expected-error @+1 {{'tam.column_means' op expected a square matrix of 3 rows, got 'tensor<3x2xf64>'}}
  %m = tam.column_means %rows matrix %a : tensor<3x2xf64> -> tensor<3xf64>
  return
}

// -----

func.func @effective_df_c1(%rows: index, %v: tensor<6xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  // expected-error @+1 {{'tam.effective_df' op expected as many columns of effects as of penalties and of the inverse, got 2 and 3, and 'tensor<6xf64>'}}
  %e = tam.effective_df %rows inverse %v : tensor<6xf64>
      penalties(%p : tensor<3x3xf64, #tam.coordinates<1>>)
      columns [1, 1] -> tensor<2xf64>
  return
}

// -----

func.func @effective_df_c1_inverse(%rows: index, %v: tensor<3xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  // expected-error @+1 {{'tam.effective_df' op expected as many columns of effects as of penalties and of the inverse, got 3 and 3, and 'tensor<3xf64>'}}
  %e = tam.effective_df %rows inverse %v : tensor<3xf64>
      penalties(%p : tensor<3x3xf64, #tam.coordinates<1>>)
      columns [1, 2] -> tensor<2xf64>
  return
}

// -----

func.func @effective_df_c1_empty(%rows: index, %v: tensor<6xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  // An effect has a column.
  // expected-error @+1 {{'tam.effective_df' op expected as many columns of effects as of penalties and of the inverse, got 3 and 3, and 'tensor<6xf64>'}}
  %e = tam.effective_df %rows inverse %v : tensor<6xf64>
      penalties(%p : tensor<3x3xf64, #tam.coordinates<1>>)
      columns [3, 0] -> tensor<2xf64>
  return
}

// -----

func.func @effective_df_c2(%rows: index, %v: tensor<6xf64>) {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  // expected-error @+1 {{'tam.effective_df' op expected 2 results, got 'tensor<1xf64>'}}
  %e = tam.effective_df %rows inverse %v : tensor<6xf64>
      penalties(%p : tensor<3x3xf64, #tam.coordinates<1>>)
      columns [1, 2] -> tensor<1xf64>
  return
}

// -----

func.func @quadratic_forms_c1(%a: tensor<?x1xf64>, %b: tensor<?x2xf64>,
                              %v: tensor<5xf64>) {
  // expected-error @+1 {{'tam.quadratic_forms' op expected the triangle of a matrix of 3 rows, got 'tensor<5xf64>'}}
  %q = tam.quadratic_forms(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>)
      triangle %v : tensor<5xf64> -> tensor<?x3xf64>
  return
}

// -----

func.func @quadratic_forms_c2(%a: tensor<?x1xf64>, %b: tensor<?x2xf64>,
                              %v: tensor<6xf64>) {
  // expected-error @+1 {{'tam.quadratic_forms' op expected 3 columns, got 'tensor<?x2xf64>'}}
  %q = tam.quadratic_forms(%a, %b : tensor<?x1xf64>, tensor<?x2xf64>)
      triangle %v : tensor<6xf64> -> tensor<?x2xf64>
  return
}

// -----

// A triangle has numbers, so there is a design.
func.func @quadratic_forms_c1_none(%v: tensor<1xf64>) {
  // expected-error @+1 {{'tam.quadratic_forms' op expected the triangle of a matrix of 0 rows, got 'tensor<1xf64>'}}
  %q = "tam.quadratic_forms"(%v) : (tensor<1xf64>) -> tensor<?x1xf64>
  return
}

// -----

// apply_c4
func.func @f(%a: tensor<24x2xf64>, %v: tensor<3xf64>) {
  // expected-error @+1 {{'tam.quadratic_forms' op expected a dynamic number of rows, got 'tensor<24x2xf64>'}}
  %q = tam.quadratic_forms(%a : tensor<24x2xf64>) triangle %v : tensor<3xf64>
      -> tensor<?x2xf64>
  return
}

// -----

// apply_c4: the result.
func.func @f(%a: tensor<?x2xf64>, %v: tensor<3xf64>) {
  // expected-error @+1 {{'tam.quadratic_forms' op expected a dynamic number of rows, got 'tensor<24x2xf64>'}}
  %q = tam.quadratic_forms(%a : tensor<?x2xf64>) triangle %v : tensor<3xf64>
      -> tensor<24x2xf64>
  return
}
