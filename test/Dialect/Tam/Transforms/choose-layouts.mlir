// Sums that will share a loop get panels if they have a band. Words are along
// the wider band, and for equal widths along the second.
//
// RUN: tam-opt %s --tam-choose-layouts -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @fit(
// CHECK: tam.gram %[[A:.*]], %[[A]] into {{.*}} -> tensor<5x5xf64, #tam.sums<cubic_panels, 4>>
// CHECK: tam.gram %[[A]], %[[B:.*]] into {{.*}} -> tensor<5x5xf64, #tam.sums<transposed_panels, 4>>
// CHECK: tam.gram %[[A]], %[[C:.*]] into {{.*}} -> tensor<5x4xf64, #tam.sums<panels, 4>>
// CHECK: tam.gram %[[C]], %[[B]] into {{.*}} -> tensor<4x5xf64, #tam.sums<transposed_panels, 4>>
// CHECK: tam.gram %[[L:.*]], %[[A]] into {{.*}} -> tensor<3x5xf64, #tam.sums<transposed_panels, 4>>
// CHECK: tam.gram %[[L]], %[[L]] into {{.*}} -> tensor<3x3xf64, #tam.sums<diagonal>>
// CHECK: tam.gram %[[A]], %[[O:.*]] into {{.*}} -> tensor<5x1xf64, #tam.sums<panels, 4>>
// CHECK: tam.rhs %[[A]], {{.*}} -> tensor<5xf64, #tam.sums<panels, 4>>
// CHECK: tam.rhs %[[O]], {{.*}} -> tensor<1xf64, #tam.sums<full>>
// Sums that the row loop cannot compute keep their layout.
// CHECK: tam.gram %{{.*}}, %[[A]] into {{.*}} -> tensor<4x5xf64, #tam.sums<transposed>>
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %u: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>}) {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %b = tam.bspline %u, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %c = tam.bspline %u, %p {intervals = 2, degree = 2}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x4xf64, #tam.banded<3>>
  %l = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %f = tam.fourier %u {order = 2} : tensor<?xf64>
      -> tensor<?x4xf64, #tam.dense>
  %z0 = tam.zeros : tensor<5x5xf64, #tam.sums<upper>>
  %0 = tam.gram %a, %a into %z0 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<upper>>
  %z1 = tam.zeros : tensor<5x5xf64, #tam.sums<full>>
  %1 = tam.gram %a, %b into %z1 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<5x4xf64, #tam.sums<full>>
  %2 = tam.gram %a, %c into %z2 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x4xf64, #tam.banded<3>> -> tensor<5x4xf64, #tam.sums<full>>
  %z3 = tam.zeros : tensor<4x5xf64, #tam.sums<full>>
  %3 = tam.gram %c, %b into %z3 : tensor<?x4xf64, #tam.banded<3>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<4x5xf64, #tam.sums<full>>
  %z4 = tam.zeros : tensor<3x5xf64, #tam.sums<full>>
  %4 = tam.gram %l, %a into %z4 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<3x5xf64, #tam.sums<full>>
  %z5 = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %5 = tam.gram %l, %l into %z5 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  %z6 = tam.zeros : tensor<5x1xf64, #tam.sums<full>>
  %6 = tam.gram %a, %o into %z6 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x1xf64, #tam.dense> -> tensor<5x1xf64, #tam.sums<full>>
  %z7 = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %7 = tam.rhs %a, %y into %z7 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  %z8 = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %8 = tam.rhs %o, %y into %z8 : tensor<?x1xf64, #tam.dense>,
      tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
  %z9 = tam.zeros : tensor<4x5xf64, #tam.sums<transposed>>
  %9 = tam.gram %f, %a into %z9 : tensor<?x4xf64, #tam.dense>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<4x5xf64, #tam.sums<transposed>>
  return
}

// -----

// A single sum uses a kernel of the runtime, which does not support panels.
//
// CHECK-LABEL: func.func @fit(
// CHECK: tam.rhs {{.*}} -> tensor<5xf64, #tam.sums<full>>
func.func @fit(%v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>}) {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %z = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %0 = tam.rhs %a, %v into %z : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  return
}

// -----

// A product's sums with itself have the pairs of all factors except one. Words
// are along a product of bands, and along a band in sums with levels.
//
// CHECK-LABEL: func.func @products(
// CHECK: tam.gram %[[P:.*]], %[[P]] into {{.*}} -> tensor<15x15xf64, #tam.sums<upper_panels, 4 of 5, 1 of 3>>
// CHECK: tam.gram %[[P]], %[[A:.*]] into {{.*}} -> tensor<15x5xf64, #tam.sums<panels, 4 of 5, 1 of 3>>
// CHECK: tam.gram %[[A]], %[[P]] into {{.*}} -> tensor<5x15xf64, #tam.sums<transposed_panels, 4 of 5, 1 of 3>>
// CHECK: tam.gram %[[Q:.*]], %[[A]] into {{.*}} -> tensor<6x5xf64, #tam.sums<transposed_panels, 4>>
// CHECK: tam.rhs %[[P]], {{.*}} -> tensor<15xf64, #tam.sums<panels, 4 of 5, 1 of 3>>
// Sums of two products, neither of which consists of levels only, have none.
// CHECK: tam.gram %[[P]], %{{.*}} into {{.*}} -> tensor<15x10xf64, #tam.sums<full>>
func.func @products(%v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %u: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>}) {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %l = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %m = tam.category %y {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %al = tam.kronecker %a, %l : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<?x15xf64, #tam.sparse<4>>
  %am = tam.kronecker %a, %m : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<?x10xf64, #tam.sparse<4>>
  %lm = tam.kronecker %l, %m : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<?x6xf64, #tam.sparse<1>>
  %z0 = tam.zeros : tensor<15x15xf64, #tam.sums<upper>>
  %0 = tam.gram %al, %al into %z0 : tensor<?x15xf64, #tam.sparse<4>>,
      tensor<?x15xf64, #tam.sparse<4>> -> tensor<15x15xf64, #tam.sums<upper>>
  %z1 = tam.zeros : tensor<15x5xf64, #tam.sums<full>>
  %1 = tam.gram %al, %a into %z1 : tensor<?x15xf64, #tam.sparse<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<15x5xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<5x15xf64, #tam.sums<full>>
  %2 = tam.gram %a, %al into %z2 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x15xf64, #tam.sparse<4>> -> tensor<5x15xf64, #tam.sums<full>>
  %z3 = tam.zeros : tensor<6x5xf64, #tam.sums<full>>
  %3 = tam.gram %lm, %a into %z3 : tensor<?x6xf64, #tam.sparse<1>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<6x5xf64, #tam.sums<full>>
  %z4 = tam.zeros : tensor<15xf64, #tam.sums<full>>
  %4 = tam.rhs %al, %y into %z4 : tensor<?x15xf64, #tam.sparse<4>>,
      tensor<?xf64> -> tensor<15xf64, #tam.sums<full>>
  %z5 = tam.zeros : tensor<15x10xf64, #tam.sums<full>>
  %5 = tam.gram %al, %am into %z5 : tensor<?x15xf64, #tam.sparse<4>>,
      tensor<?x10xf64, #tam.sparse<4>> -> tensor<15x10xf64, #tam.sums<full>>
  return
}

// -----

// A sum that is returned keeps the type that the function says.
//
// CHECK-LABEL: func.func @returned(
// CHECK: tam.rhs {{.*}} -> tensor<5xf64, #tam.sums<full>>
// CHECK: tam.rhs {{.*}} -> tensor<5xf64, #tam.sums<panels, 4>>
func.func @returned(%v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> tensor<5xf64, #tam.sums<full>> {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %z0 = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %0 = tam.rhs %a, %v into %z0 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  %z1 = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %1 = tam.rhs %a, %v into %z1 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  return %0 : tensor<5xf64, #tam.sums<full>>
}

// -----

// A sum that another one starts from keeps its type, too.
//
// CHECK-LABEL: func.func @continued(
// CHECK-COUNT-2: tam.rhs {{.*}} -> tensor<5xf64, #tam.sums<full>>
func.func @continued(%v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>}) {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %z0 = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %0 = tam.rhs %a, %v into %z0 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  %1 = tam.rhs %a, %v into %0 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
  return
}
