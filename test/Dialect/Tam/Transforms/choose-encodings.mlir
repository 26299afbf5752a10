// Every feature map gets its structured encoding, or dense on demand, and every
// accumulator the layout of the kernel that adds to it.
//
// RUN: tam-opt %s --tam-choose-encodings -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s
// RUN: tam-opt %s --tam-choose-encodings=dense -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s --check-prefix=DENSE
// RUN: tam-opt %s --tam-choose-encodings=frequencies=false \
// RUN:   -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=NONE
// The pass refuses what no verifier after it would take.
// RUN: tam-opt %s --tam-choose-encodings -split-input-file -verify-each=false \
// RUN:   -verify-diagnostics -o /dev/null

// One feature map of each kind.
//
// CHECK-LABEL: func.func @maps(
// DENSE-LABEL: func.func @maps(
func.func @maps(%rows: index, %x: tensor<?xf64>, %p: tensor<4xf64>,
                %codes: tensor<?xi32>) {
  // CHECK: tam.offset {{.*}} : tensor<?x1xf64, #tam.dense>
  // DENSE: tam.offset {{.*}} : tensor<?x1xf64, #tam.dense>
  %o = tam.offset %rows : tensor<?x1xf64>
  // CHECK: tam.linear {{.*}} -> tensor<?x1xf64, #tam.dense>
  // DENSE: tam.linear {{.*}} -> tensor<?x1xf64, #tam.dense>
  %l = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  // CHECK: tam.fourier {{.*}} -> tensor<?x4xf64, #tam.dense>
  // DENSE: tam.fourier {{.*}} -> tensor<?x4xf64, #tam.dense>
  %f = tam.fourier %x {order = 2} : tensor<?xf64> -> tensor<?x4xf64>
  // The band of a spline of degree d has d + 1 columns.
  // CHECK: tam.bspline {{.*}} -> tensor<?x7xf64, #tam.banded<4>>
  // DENSE: tam.bspline {{.*}} -> tensor<?x7xf64, #tam.dense>
  %s3 = tam.bspline %x, %p {intervals = 4, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x7xf64>
  // CHECK: tam.bspline {{.*}} -> tensor<?x4xf64, #tam.banded<1>>
  // DENSE: tam.bspline {{.*}} -> tensor<?x4xf64, #tam.dense>
  %s0 = tam.bspline %x, %p {intervals = 4, degree = 0}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x4xf64>
  // CHECK: tam.chebyshev {{.*}} -> tensor<?x5xf64, #tam.dense>
  // DENSE: tam.chebyshev {{.*}} -> tensor<?x5xf64, #tam.dense>
  %t = tam.chebyshev %x {degree = 5} : tensor<?xf64> -> tensor<?x5xf64>
  // CHECK: tam.category {{.*}} -> tensor<?x3xf64, #tam.one_hot>
  // DENSE: tam.category {{.*}} -> tensor<?x3xf64, #tam.dense>
  %c = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  // CHECK: tam.levels {{.*}} -> tensor<?x3xf64, #tam.one_hot>
  // DENSE: tam.levels {{.*}} -> tensor<?x3xf64, #tam.dense>
  %v = tam.levels %codes {levels = 3} : tensor<?xi32> -> tensor<?x3xf64>
  return
}

// -----

// Existing encodings are kept, with --dense too.
//
// CHECK-LABEL: func.func @encoded(
// DENSE-LABEL: func.func @encoded(
func.func @encoded(%x: tensor<?xf64>, %y: tensor<?xf64>) {
  // CHECK: %[[A:.*]] = tam.category {{.*}} -> tensor<?x3xf64, #tam.dense>
  %a = tam.category %x {levels = 3}
      : tensor<?xf64> -> tensor<?x3xf64, #tam.dense>
  // DENSE: tam.category {{.*}} -> tensor<?x4xf64, #tam.one_hot>
  %b = tam.category %x {levels = 4}
      : tensor<?xf64> -> tensor<?x4xf64, #tam.one_hot>
  // CHECK: tam.zeros : tensor<3x3xf64, #tam.sums<full>>
  %z = tam.zeros : tensor<3x3xf64, #tam.sums<full>>
  // CHECK: tam.gram %[[A]], %[[A]] into {{.*}} -> tensor<3x3xf64, #tam.sums<full>>
  %g = tam.gram %a, %a into %z : tensor<?x3xf64, #tam.dense>,
      tensor<?x3xf64, #tam.dense> -> tensor<3x3xf64, #tam.sums<full>>
  return
}

// -----

// Sums of a matrix with itself: the upper triangle, the diagonal of a one-hot.
// Sums of two matrices: full where the first comes first in the kernels' order
// (one-hot, banded, dense), else transposed. Matrices of equal rank: full.
// Right-hand sides: full.
//
// CHECK-LABEL: func.func @sums(
// DENSE-LABEL: func.func @sums(
func.func @sums(%x: tensor<?xf64>, %p: tensor<4xf64>, %y: tensor<?xf64>,
                %w: tensor<?xf64>) {
  // CHECK: %[[D:.*]] = tam.linear
  %d = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  // CHECK: %[[B:.*]] = tam.bspline
  %b = tam.bspline %x, %p {intervals = 2, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x3xf64>
  // CHECK: %[[C:.*]] = tam.category
  %c = tam.category %x {levels = 5} : tensor<?xf64> -> tensor<?x5xf64>
  %zdd = tam.zeros : tensor<1x1xf64>
  // CHECK: tam.gram %[[D]], %[[D]] into {{.*}} -> tensor<1x1xf64, #tam.sums<upper>>
  %dd = tam.gram %d, %d into %zdd
      : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
  // CHECK: %[[ZDB:.*]] = tam.zeros : tensor<1x3xf64, #tam.sums<transposed>>
  // DENSE: tam.zeros : tensor<1x3xf64, #tam.sums<full>>
  %zdb = tam.zeros : tensor<1x3xf64>
  // CHECK: tam.gram %[[D]], %[[B]] weights {{.*}} into %[[ZDB]] : {{.*}} -> tensor<1x3xf64, #tam.sums<transposed>>
  // DENSE: tam.gram {{.*}} -> tensor<1x3xf64, #tam.sums<full>>
  %db = tam.gram %d, %b weights %w : tensor<?xf64> into %zdb
      : tensor<?x1xf64>, tensor<?x3xf64> -> tensor<1x3xf64>
  %zbd = tam.zeros : tensor<3x1xf64>
  // CHECK: tam.gram %[[B]], %[[D]] into {{.*}} -> tensor<3x1xf64, #tam.sums<full>>
  %bd = tam.gram %b, %d into %zbd
      : tensor<?x3xf64>, tensor<?x1xf64> -> tensor<3x1xf64>
  %zbb = tam.zeros : tensor<3x3xf64>
  // CHECK: tam.gram %[[B]], %[[B]] into {{.*}} -> tensor<3x3xf64, #tam.sums<upper>>
  %bb = tam.gram %b, %b into %zbb
      : tensor<?x3xf64>, tensor<?x3xf64> -> tensor<3x3xf64>
  %zbc = tam.zeros : tensor<3x5xf64>
  // CHECK: tam.gram %[[B]], %[[C]] into {{.*}} -> tensor<3x5xf64, #tam.sums<transposed>>
  %bc = tam.gram %b, %c into %zbc
      : tensor<?x3xf64>, tensor<?x5xf64> -> tensor<3x5xf64>
  %zcb = tam.zeros : tensor<5x3xf64>
  // CHECK: tam.gram %[[C]], %[[B]] into {{.*}} -> tensor<5x3xf64, #tam.sums<full>>
  %cb = tam.gram %c, %b into %zcb
      : tensor<?x5xf64>, tensor<?x3xf64> -> tensor<5x3xf64>
  %zcc = tam.zeros : tensor<5x5xf64>
  // CHECK: tam.gram %[[C]], %[[C]] into {{.*}} -> tensor<5x5xf64, #tam.sums<diagonal>>
  // DENSE: -> tensor<5x5xf64, #tam.sums<upper>>
  %cc = tam.gram %c, %c into %zcc
      : tensor<?x5xf64>, tensor<?x5xf64> -> tensor<5x5xf64>
  %zy = tam.zeros : tensor<5xf64>
  // CHECK: tam.rhs %[[C]], {{.*}} -> tensor<5xf64, #tam.sums<full>>
  // DENSE: tam.rhs {{.*}} -> tensor<5xf64, #tam.sums<full>>
  %cy = tam.rhs %c, %y into %zy
      : tensor<?x5xf64>, tensor<?xf64> -> tensor<5xf64>
  return
}

// -----

// A Fourier term whose rows are angles for every x keeps sums of frequencies.
//
// CHECK-LABEL: func.func @frequencies(
// DENSE-LABEL: func.func @frequencies(
// NONE-LABEL: func.func @frequencies(
func.func @frequencies(%x: tensor<?xf64>) {
  %a = tam.fourier %x {order = 2} : tensor<?xf64> -> tensor<?x4xf64>
  %za = tam.zeros : tensor<4x4xf64>
  // CHECK: tam.gram {{.*}} -> tensor<4x4xf64, #tam.sums<frequencies>>
  // DENSE: tam.gram {{.*}} -> tensor<4x4xf64, #tam.sums<upper>>
  // NONE: tam.gram {{.*}} -> tensor<4x4xf64, #tam.sums<upper>>
  %aa = tam.gram %a, %a into %za
      : tensor<?x4xf64>, tensor<?x4xf64> -> tensor<4x4xf64>
  %b = tam.fourier %x {order = 2, extrapolate = #tam.extrapolate<constant>}
      : tensor<?xf64> -> tensor<?x4xf64>
  %zb = tam.zeros : tensor<4x4xf64>
  // CHECK: tam.gram {{.*}} -> tensor<4x4xf64, #tam.sums<frequencies>>
  %bb = tam.gram %b, %b into %zb
      : tensor<?x4xf64>, tensor<?x4xf64> -> tensor<4x4xf64>
  %zab = tam.zeros : tensor<4x4xf64>
  // CHECK: tam.gram {{.*}} -> tensor<4x4xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %zab
      : tensor<?x4xf64>, tensor<?x4xf64> -> tensor<4x4xf64>
  %c = tam.fourier %x {order = 2, extrapolate = #tam.extrapolate<linear>}
      : tensor<?xf64> -> tensor<?x4xf64>
  %zc = tam.zeros : tensor<4x4xf64>
  // CHECK: tam.gram {{.*}} -> tensor<4x4xf64, #tam.sums<upper>>
  %cc = tam.gram %c, %c into %zc
      : tensor<?x4xf64>, tensor<?x4xf64> -> tensor<4x4xf64>
  return
}

// -----

// Two one-hot matrices of equal type are not one matrix.
//
// CHECK-LABEL: func.func @equal_types(
func.func @equal_types(%x: tensor<?xf64>, %y: tensor<?xf64>) {
  %a = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %b = tam.category %y {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %z = tam.zeros : tensor<3x3xf64>
  // CHECK: tam.gram {{.*}} -> tensor<3x3xf64, #tam.sums<full>>
  %g = tam.gram %a, %b into %z
      : tensor<?x3xf64>, tensor<?x3xf64> -> tensor<3x3xf64>
  return
}

// -----

// Two sums that share a start would need one layout for both.
func.func @shared_zeros(%x: tensor<?xf64>, %y: tensor<?xf64>) {
  %a = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %z = tam.zeros : tensor<3xf64>
  // expected-error @+1 {{expected an accumulator that starts from tam.zeros of its own}}
  %g = tam.rhs %a, %x into %z
      : tensor<?x3xf64>, tensor<?xf64> -> tensor<3xf64>
  // expected-error @+1 {{expected an accumulator that starts from tam.zeros of its own}}
  %h = tam.rhs %a, %y into %z
      : tensor<?x3xf64>, tensor<?xf64> -> tensor<3xf64>
  return
}

// -----

func.func @other_start(%x: tensor<?xf64>, %z: tensor<3xf64>) {
  %a = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  // expected-error @+1 {{expected an accumulator that starts from tam.zeros of its own}}
  %g = tam.rhs %a, %x into %z
      : tensor<?x3xf64>, tensor<?xf64> -> tensor<3xf64>
  return
}

// -----

// A matrix that no feature map makes has no encoding.
func.func @given_matrix(%x: tensor<?xf64>, %a: tensor<?x3xf64>) {
  %b = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %z = tam.zeros : tensor<3x3xf64>
  // expected-error @+1 {{'tam.gram' op expected a design matrix that a feature map makes, got 'tensor<?x3xf64>'}}
  %g = tam.gram %b, %a into %z
      : tensor<?x3xf64>, tensor<?x3xf64> -> tensor<3x3xf64>
  return
}

// -----

// An encoding would change the type of the function.
func.func @returned_matrix(%x: tensor<?xf64>) -> tensor<?x3xf64> {
  %a = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  // expected-error @+1 {{'func.return' op expected results that have no encoding: neither design matrices nor sums}}
  return %a : tensor<?x3xf64>
}

// -----

// The points of a map have no encoding.
func.func @points(%x: tensor<?xf64>, %centers: tensor<2x1xf64>,
                  %gamma: tensor<1xf64>) {
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  // expected-error @+1 {{'tam.radial' op operand #0 must be matrix of f64 values, but got 'tensor<?x1xf64, #tam.dense>'}}
  %r = tam.radial %a, %centers, %gamma {nu = 1.5 : f64} : tensor<?x1xf64>,
      tensor<2x1xf64>, tensor<1xf64> -> tensor<?x2xf64>
  return
}
