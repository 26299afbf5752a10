// Sums over rows: one test per constraint; the comment above a test, or its
// name, names the constraint.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// sums_c1: static shape.
// expected-error @+1 {{expected a tensor of f64 of static shape and rank 1 or 2}}
func.func private @f(tensor<?x3xf64, #tam.sums<full>>)

// -----

// sums_c1: rank.
// expected-error @+1 {{expected a tensor of f64 of static shape and rank 1 or 2}}
func.func private @f(tensor<3x3x3xf64, #tam.sums<full>>)

// -----

// sums_c1: rank 0.
// expected-error @+1 {{expected a tensor of f64 of static shape and rank 1 or 2}}
func.func private @f(tensor<f64, #tam.sums<full>>)

// -----

// sums_c1: element type.
// expected-error @+1 {{expected a tensor of f64 of static shape and rank 1 or 2}}
func.func private @f(tensor<3xi64, #tam.sums<full>>)

// -----

// sums_c2
// expected-error @+1 {{expected 'full' or 'panels' for a tensor of rank 1, got 'transposed'}}
func.func private @f(tensor<3xf64, #tam.sums<transposed>>)

// -----

// expected-error @+1 {{expected a width from 1 to 5 for 'panels', got 6}}
func.func private @sums_c4(tensor<5x3xf64, #tam.sums<panels, 6>>)

// -----

// expected-error @+1 {{expected a width for panels alone, got 'transposed_panels' with 0}}
func.func private @sums_c4(tensor<5x3xf64, #tam.sums<transposed_panels>>)

// -----

// expected-error @+1 {{expected a width for panels alone, got 'full' with 1}}
func.func private @sums_c4(tensor<5x3xf64, #tam.sums<full, 4>>)

// -----

// expected-error @+1 {{expected factors with 6 columns together, got 8}}
func.func private @sums_c4(tensor<6xf64, #tam.sums<panels, 2 of 4, 1 of 2>>)

// -----

// expected-error @+1 {{expected a width from 1 to 2 for 'panels', got 3}}
func.func private @sums_c4(tensor<6xf64, #tam.sums<panels, 2 of 3, 3 of 2>>)

// -----

// expected-error @+1 {{expected the columns of every factor, or one width}}
func.func private @sums_c4(tensor<6xf64, #tam.sums<panels, 2 of 3, 2>>)

// -----

func.func @gram_c3(%a: tensor<?x5xf64, #tam.banded<4>>,
                   %o: tensor<?x1xf64, #tam.dense>,
                   %s: tensor<1x5xf64, #tam.sums<transposed_panels, 3>>) {
  // expected-error @+1 {{expected 'transposed_panels' only for factors of widths 3, got 4}}
  %0 = tam.gram %o, %a into %s : tensor<?x1xf64, #tam.dense>,
      tensor<?x5xf64, #tam.banded<4>>
      -> tensor<1x5xf64, #tam.sums<transposed_panels, 3>>
  return
}

// -----

func.func @rhs_c2(%a: tensor<?x5xf64, #tam.dense>, %y: tensor<?xf64>,
                  %s: tensor<5xf64, #tam.sums<panels, 4>>) {
  // expected-error @+1 {{expected 'panels' only for factors of widths 4, got 'tensor<?x5xf64, #tam.dense>'}}
  %0 = tam.rhs %a, %y into %s : tensor<?x5xf64, #tam.dense>, tensor<?xf64>
      -> tensor<5xf64, #tam.sums<panels, 4>>
  return
}

// -----

func.func @gram_c5(%x: tensor<?xf64>, %p: tensor<4xf64>,
    %s: tensor<5x5xf64, #tam.sums<cubic_panels, 4>>,
    %a: tensor<?x5xf64, #tam.banded<4>>) {
  // expected-error @+1 {{expected 'cubic_panels' only for a tam.bspline of degree 3}}
  %0 = tam.gram %a, %a into %s : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>>
      -> tensor<5x5xf64, #tam.sums<cubic_panels, 4>>
  return
}

// -----

func.func @gram_c3_factors(%a: tensor<?x3xf64, #tam.banded<2>>,
    %b: tensor<?x2xf64, #tam.one_hot>,
    %s: tensor<6x6xf64, #tam.sums<upper_panels, 1 of 2, 2 of 3>>) {
  %p = tam.kronecker %a, %b : tensor<?x3xf64, #tam.banded<2>>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<?x6xf64, #tam.sparse<4>>
  // expected-error @+1 {{expected 'upper_panels' only for factors of widths 1, 2, got 2, 1}}
  %0 = tam.gram %p, %p into %s : tensor<?x6xf64, #tam.sparse<4>>,
      tensor<?x6xf64, #tam.sparse<4>>
      -> tensor<6x6xf64, #tam.sums<upper_panels, 1 of 2, 2 of 3>>
  return
}

// -----

func.func @marginal_c1(%s: tensor<6x3xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected factors of 6 rows together, got [2, 2]}}
  %0 = tam.marginal %s rows [2, 2] keep [0] columns [3] keep [0]
      : tensor<6x3xf64, #tam.sums<full>> -> tensor<2x3xf64, #tam.sums<full>>
  return
}

// -----

func.func @marginal_c1_vector(%s: tensor<6xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected factors of 1 columns together, got [3]}}
  %0 = tam.marginal %s rows [2, 3] keep [0] columns [3] keep [0]
      : tensor<6xf64, #tam.sums<full>> -> tensor<2xf64, #tam.sums<full>>
  return
}

// -----

// The product of the factors would overflow.
func.func @marginal_c1_large(%s: tensor<6x3xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected factors of 6 rows together, got [4294967296, 4294967296, 6]}}
  %0 = tam.marginal %s rows [4294967296, 4294967296, 6] keep [2]
      columns [3] keep [0]
      : tensor<6x3xf64, #tam.sums<full>> -> tensor<6x3xf64, #tam.sums<full>>
  return
}

// -----

func.func @marginal_c1_negative(%s: tensor<6x2xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected factors of at least 1 of rows, got -2}}
  %0 = tam.marginal %s rows [-2, -3] keep [] columns [2] keep [0]
      : tensor<6x2xf64, #tam.sums<full>> -> tensor<1x2xf64, #tam.sums<full>>
  return
}

// -----

func.func @marginal_c2(%s: tensor<6x3xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected ascending indices of 2 factors of rows, got 0}}
  %0 = tam.marginal %s rows [2, 3] keep [1, 0] columns [3] keep [0]
      : tensor<6x3xf64, #tam.sums<full>> -> tensor<6x3xf64, #tam.sums<full>>
  return
}

// -----

func.func @marginal_c3(%s: tensor<6x3xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected a result of 3 x 2, got 'tensor<2x3xf64, #tam.sums<full>>'}}
  %0 = tam.marginal %s transposed rows [2, 3] keep [0] columns [3] keep [0]
      : tensor<6x3xf64, #tam.sums<full>> -> tensor<2x3xf64, #tam.sums<full>>
  return
}

// -----

func.func @marginal_c4(%s: tensor<6x3xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected 'full', 'diagonal' or panels of the sums, got #tam.sums<transposed>}}
  %0 = tam.marginal %s rows [2, 3] keep [0] columns [3] keep [0]
      : tensor<6x3xf64, #tam.sums<full>>
      -> tensor<2x3xf64, #tam.sums<transposed>>
  return
}

// -----

// sums_c3: upper.
// expected-error @+1 {{expected a square for 'upper', got 3 x 4}}
func.func private @f(tensor<3x4xf64, #tam.sums<upper>>)

// -----

// sums_c3: diagonal.
// expected-error @+1 {{expected a square for 'diagonal', got 4 x 3}}
func.func private @f(tensor<4x3xf64, #tam.sums<diagonal>>)

// -----

// gram_c1: rows.
func.func @f(%a: tensor<?x3xf64>, %b: tensor<?x2xf64>) {
  %0 = tam.zeros : tensor<2x2xf64>
  // expected-error @+1 {{'tam.gram' op expected an accumulator of 3 x 2, got 'tensor<2x2xf64>'}}
  %1 = tam.gram %a, %b into %0 : tensor<?x3xf64>, tensor<?x2xf64>
      -> tensor<2x2xf64>
  return
}

// -----

// gram_c1: columns.
func.func @f(%a: tensor<?x3xf64>, %b: tensor<?x2xf64>) {
  %0 = tam.zeros : tensor<3x3xf64, #tam.sums<full>>
  // expected-error @+1 {{'tam.gram' op expected an accumulator of 3 x 2, got 'tensor<3x3xf64, #tam.sums<full>>'}}
  %1 = tam.gram %a, %b into %0 : tensor<?x3xf64>, tensor<?x2xf64>
      -> tensor<3x3xf64, #tam.sums<full>>
  return
}

// -----

// gram_c1: rank.
func.func @f(%a: tensor<?x3xf64>) {
  %0 = tam.zeros : tensor<3xf64>
  // expected-error @+1 {{'tam.gram' op expected an accumulator of 3 x 3, got 'tensor<3xf64>'}}
  %1 = tam.gram %a, %a into %0 : tensor<?x3xf64>, tensor<?x3xf64>
      -> tensor<3xf64>
  return
}

// -----

// gram_c2: upper, two values.
func.func @f(%a: tensor<?x3xf64>, %b: tensor<?x3xf64>) {
  %0 = tam.zeros : tensor<3x3xf64, #tam.sums<upper>>
  // expected-error @+1 {{'tam.gram' op expected 'upper' only for a matrix with itself}}
  %1 = tam.gram %a, %b into %0 : tensor<?x3xf64>, tensor<?x3xf64>
      -> tensor<3x3xf64, #tam.sums<upper>>
  return
}

// -----

// gram_c2: diagonal, two values.
func.func @f(%a: tensor<?x3xf64, #tam.one_hot>,
             %b: tensor<?x3xf64, #tam.one_hot>) {
  %0 = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  // expected-error @+1 {{'tam.gram' op expected 'diagonal' only for a matrix with itself}}
  %1 = tam.gram %a, %b into %0 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  return
}

// -----

// gram_c6: diagonal, not one-hot.
func.func @f(%a: tensor<?x3xf64, #tam.dense>) {
  %0 = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  // expected-error @+1 {{'tam.gram' op expected 'upper' sums of 'tensor<?x3xf64, #tam.dense>' with itself, got 'diagonal'}}
  %1 = tam.gram %a, %a into %0 : tensor<?x3xf64, #tam.dense>,
      tensor<?x3xf64, #tam.dense> -> tensor<3x3xf64, #tam.sums<diagonal>>
  return
}

// -----

// rhs_c1
func.func @f(%a: tensor<?x3xf64>, %y: tensor<?xf64>) {
  %0 = tam.zeros : tensor<4xf64, #tam.sums<full>>
  // expected-error @+1 {{'tam.rhs' op expected an accumulator of 3, got 'tensor<4xf64, #tam.sums<full>>'}}
  %1 = tam.rhs %a, %y into %0 : tensor<?x3xf64>, tensor<?xf64>
      -> tensor<4xf64, #tam.sums<full>>
  return
}

// -----

// rhs_c1: rank.
func.func @f(%a: tensor<?x3xf64>, %y: tensor<?xf64>) {
  %0 = tam.zeros : tensor<3x1xf64>
  // expected-error @+1 {{'tam.rhs' op expected an accumulator of 3, got 'tensor<3x1xf64>'}}
  %1 = tam.rhs %a, %y into %0 : tensor<?x3xf64>, tensor<?xf64>
      -> tensor<3x1xf64>
  return
}

//===----------------------------------------------------------------------===//
// Estimation
//===----------------------------------------------------------------------===//

// -----

func.func @f(%a: tensor<3x3xf64, #tam.sums<full>>) {
  %0 = tam.zeros : tensor<3x3xf64>
  // expected-error @+1 {{'tam.gram' op operand #0 must be design matrix}}
  %1 = tam.gram %a, %a into %0 : tensor<3x3xf64, #tam.sums<full>>,
      tensor<3x3xf64, #tam.sums<full>> -> tensor<3x3xf64>
  return
}

// -----

// rows_c1
func.func @f(%x: tensor<?xf64>, %s: tensor<1xf64, #tam.sums<full>>)
    -> tensor<1xf64, #tam.sums<full>> {
  // expected-error @+1 {{expected a body from the operands to the results, which are of the accumulators' types}}
  %r = tam.rows(%x : tensor<?xf64>)
      into(%s : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%s0: tensor<1xf64, #tam.sums<full>>, %x0: tensor<?xf64>):
    tam.yield %s0 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
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

// sums_c3: frequencies.
// expected-error @+1 {{expected a square for 'frequencies', got 4 x 2}}
func.func private @f(tensor<4x2xf64, #tam.sums<frequencies>>)

// -----

// sums_c3: each frequency has a cosine and a sine.
// expected-error @+1 {{expected an even size for 'frequencies', got 3}}
func.func private @f(tensor<3x3xf64, #tam.sums<frequencies>>)

// -----

// gram_c4: not of a Fourier term.
func.func @f(%a: tensor<?x4xf64, #tam.dense>) {
  %0 = tam.zeros : tensor<4x4xf64, #tam.sums<frequencies>>
  // expected-error @+1 {{'tam.gram' op expected 'frequencies' only for a tam.fourier that does not leave the circle}}
  %1 = tam.gram %a, %a into %0 : tensor<?x4xf64, #tam.dense>,
      tensor<?x4xf64, #tam.dense> -> tensor<4x4xf64, #tam.sums<frequencies>>
  return
}

// -----

// gram_c4: a Fourier term whose rows are not angles beyond the range.
func.func @f(%x: tensor<?xf64>) {
  %a = tam.fourier %x {order = 2, extrapolate = #tam.extrapolate<saturation>}
      : tensor<?xf64> -> tensor<?x4xf64, #tam.dense>
  %0 = tam.zeros : tensor<4x4xf64, #tam.sums<frequencies>>
  // expected-error @+1 {{'tam.gram' op expected 'frequencies' only for a tam.fourier that does not leave the circle}}
  %1 = tam.gram %a, %a into %0 : tensor<?x4xf64, #tam.dense>,
      tensor<?x4xf64, #tam.dense> -> tensor<4x4xf64, #tam.sums<frequencies>>
  return
}

// -----

func.func @marginal_c5(%s: tensor<4x4xf64, #tam.sums<frequencies>>) {
  // expected-error @+1 {{expected sums by elements, got 'frequencies'}}
  %0 = tam.marginal %s rows [4] keep [] columns [4] keep [0]
      : tensor<4x4xf64, #tam.sums<frequencies>>
      -> tensor<1x4xf64, #tam.sums<full>>
  return
}

// -----

func.func @expand_levels_c1(%g: tensor<24x7xf64, #tam.sums<full>>) {
  // expected-error @+1 {{expected a matrix for each side that is expanded, and no columns of a vector}}
  %0 = tam.expand_levels %g : tensor<24x7xf64, #tam.sums<full>>
      -> tensor<24x7xf64, #tam.sums<full>>
  return
}

// -----

func.func @expand_levels_c1_vector(%g: tensor<24xf64, #tam.sums<full>>,
    %b: tensor<24x4xf64, #tam.dense>) {
  // expected-error @+1 {{expected a matrix for each side that is expanded, and no columns of a vector}}
  %0 = tam.expand_levels %g columns %b : tensor<24xf64, #tam.sums<full>>
      columns tensor<24x4xf64, #tam.dense> -> tensor<4xf64, #tam.sums<full>>
  return
}

// -----

func.func @expand_levels_c2(%g: tensor<24x7xf64, #tam.sums<full>>,
    %b: tensor<23x4xf64, #tam.dense>) {
  // expected-error @+1 {{expected a matrix of 24 rows, got 'tensor<23x4xf64, #tam.dense>'}}
  %0 = tam.expand_levels %g rows %b : tensor<24x7xf64, #tam.sums<full>>
      rows tensor<23x4xf64, #tam.dense> -> tensor<4x7xf64, #tam.sums<full>>
  return
}

// -----

func.func @expand_levels_c2_result(%g: tensor<24x7xf64, #tam.sums<full>>,
    %b: tensor<24x4xf64, #tam.dense>) {
  // expected-error @+1 {{expected a result of 4 x 7, got 'tensor<7x4xf64, #tam.sums<full>>'}}
  %0 = tam.expand_levels %g rows %b : tensor<24x7xf64, #tam.sums<full>>
      rows tensor<24x4xf64, #tam.dense> -> tensor<7x4xf64, #tam.sums<full>>
  return
}

// -----

func.func @expand_levels_c2_dense(%g: tensor<24x7xf64, #tam.sums<full>>,
    %b: tensor<24x4xf64>) {
  // expected-error @+1 {{expected dense matrices, got 'tensor<24x4xf64>'}}
  %0 = tam.expand_levels %g rows %b : tensor<24x7xf64, #tam.sums<full>>
      rows tensor<24x4xf64> -> tensor<4x7xf64, #tam.sums<full>>
  return
}

// -----

// Panels along the levels: the expanded sums would be in parts of words.
func.func @expand_levels_c3(%g: tensor<24x7xf64, #tam.sums<panels, 4>>,
    %b: tensor<24x4xf64, #tam.dense>) {
  // expected-error @+1 {{expected sums that can be expanded, got 'tensor<24x7xf64, #tam.sums<panels, 4>>'}}
  %0 = tam.expand_levels %g rows %b : tensor<24x7xf64, #tam.sums<panels, 4>>
      rows tensor<24x4xf64, #tam.dense> -> tensor<4x7xf64, #tam.sums<full>>
  return
}

// -----

func.func @expand_levels_c3_result(%g: tensor<24x7xf64, #tam.sums<full>>,
    %b: tensor<24x4xf64, #tam.dense>) {
  // expected-error @+1 {{expected a result with encoding #tam.sums<full>, got 'tensor<4x7xf64, #tam.sums<transposed>>'}}
  %0 = tam.expand_levels %g rows %b : tensor<24x7xf64, #tam.sums<full>>
      rows tensor<24x4xf64, #tam.dense> -> tensor<4x7xf64, #tam.sums<transposed>>
  return
}

// -----

func.func @expand_levels_c4(%g: tensor<24x24xf64, #tam.sums<upper>>,
    %b: tensor<24x4xf64, #tam.dense>) {
  // expected-error @+1 {{expected sums that can be expanded, got 'tensor<24x24xf64, #tam.sums<upper>>'}}
  %0 = tam.expand_levels %g rows %b columns %b
      : tensor<24x24xf64, #tam.sums<upper>> rows tensor<24x4xf64, #tam.dense>
      columns tensor<24x4xf64, #tam.dense> -> tensor<4x4xf64, #tam.sums<upper>>
  return
}

// -----

// sums_c5
// expected-error @+1 {{expected one factor of width 4 for 'cubic_panels'}}
func.func private @f(tensor<5x5xf64, #tam.sums<cubic_panels, 3>>)

// -----

func.func @gram_c6(%a: tensor<?x3xf64, #tam.one_hot>,
                   %s: tensor<3x3xf64, #tam.sums<upper>>) {
  // expected-error @+1 {{expected 'diagonal' sums of 'tensor<?x3xf64, #tam.one_hot>' with itself, got 'upper'}}
  %0 = tam.gram %a, %a into %s : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<upper>>
  return
}

// -----

func.func @gram_c7(%a: tensor<24x3xf64, #tam.dense>,
                   %s: tensor<3x3xf64, #tam.sums<upper>>) {
  // expected-error @+1 {{'tam.gram' op expected a dynamic number of rows, got 'tensor<24x3xf64, #tam.dense>'}}
  %0 = tam.gram %a, %a into %s : tensor<24x3xf64, #tam.dense>,
      tensor<24x3xf64, #tam.dense> -> tensor<3x3xf64, #tam.sums<upper>>
  return
}

// -----

func.func @gram_c7_weights(%a: tensor<?x3xf64>, %w: tensor<24xf64>,
                           %s: tensor<3x3xf64>) {
  // expected-error @+1 {{'tam.gram' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0 = tam.gram %a, %a weights %w : tensor<24xf64> into %s : tensor<?x3xf64>,
      tensor<?x3xf64> -> tensor<3x3xf64>
  return
}

// -----

func.func @rhs_c3(%a: tensor<?x3xf64>, %y: tensor<24xf64>,
                  %s: tensor<3xf64>) {
  // expected-error @+1 {{'tam.rhs' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0 = tam.rhs %a, %y into %s : tensor<?x3xf64>, tensor<24xf64>
      -> tensor<3xf64>
  return
}

// -----

func.func @squares_c1(%a: tensor<?x3xf64>, %s: tensor<4xf64>) {
  // expected-error @+1 {{'tam.squares' op expected an accumulator of 3, got 'tensor<4xf64>'}}
  %0 = tam.squares %a into %s : tensor<?x3xf64> -> tensor<4xf64>
  return
}

// -----

func.func @squares_c2(%a: tensor<?x3xf64, #tam.one_hot>, %s: tensor<3xf64>) {
  // expected-error @+1 {{'tam.squares' op expected a dense matrix, got 'tensor<?x3xf64, #tam.one_hot>'}}
  %0 = tam.squares %a into %s : tensor<?x3xf64, #tam.one_hot> -> tensor<3xf64>
  return
}

// -----

func.func @squares_c3(%a: tensor<24x3xf64>, %s: tensor<3xf64>) {
  // expected-error @+1 {{'tam.squares' op expected a dynamic number of rows, got 'tensor<24x3xf64>'}}
  %0 = tam.squares %a into %s : tensor<24x3xf64> -> tensor<3xf64>
  return
}

// -----

func.func @squares_c3_weights(%a: tensor<?x3xf64>, %w: tensor<24xf64>,
                              %s: tensor<3xf64>) {
  // expected-error @+1 {{'tam.squares' op expected a dynamic number of rows, got 'tensor<24xf64>'}}
  %0 = tam.squares %a weights %w : tensor<24xf64> into %s : tensor<?x3xf64>
      -> tensor<3xf64>
  return
}

// -----

func.func @squares_c4(%a: tensor<?x5xf64>,
                      %s: tensor<5xf64, #tam.sums<panels, 4>>) {
  // expected-error @+1 {{'tam.squares' op expected 'full' sums, got 'tensor<5xf64, #tam.sums<panels, 4>>'}}
  %0 = tam.squares %a into %s : tensor<?x5xf64>
      -> tensor<5xf64, #tam.sums<panels, 4>>
  return
}
