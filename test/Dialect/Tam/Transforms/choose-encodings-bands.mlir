// The sums of two sparse matrices lie along the bands, whichever matrix has
// them. Those with row weights stay: the weights multiply the first matrix.
//
// RUN: tam-opt %s --tam-choose-encodings | FileCheck %s

// CHECK-LABEL: func.func @sums(
// CHECK: %[[PRODUCT:.*]] = tam.kronecker
// CHECK: %[[SPARSE:.*]] = tam.convert {{.*}} -> tensor<?x2xf64, #tam.sparse<1>>
// CHECK: tam.gram %[[PRODUCT]], %[[SPARSE]] into {{.*}} -> tensor<15x2xf64, #tam.sums<transposed>>
// CHECK: tam.gram %[[SPARSE]], %[[PRODUCT]] into {{.*}} -> tensor<2x15xf64, #tam.sums<full>>
// CHECK: tam.gram %[[PRODUCT]], %[[SPARSE]] weights {{.*}} -> tensor<15x2xf64, #tam.sums<full>>
func.func @sums(%u: tensor<?xf64>, %v: tensor<?xf64>, %w: tensor<?xf64>,
                %weights: tensor<?xf64>, %p: tensor<4xf64>) {
  %a = tam.bspline %u, %p {intervals = 2, degree = 3} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %b = tam.category %v {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %ab = tam.kronecker %a, %b : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<?x15xf64, #tam.sparse<4>>
  %c = tam.category %w {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %z = tam.zeros : tensor<15x2xf64>
  %g = tam.gram %ab, %c into %z : tensor<?x15xf64, #tam.sparse<4>>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<15x2xf64>
  %y = tam.zeros : tensor<2x15xf64>
  %h = tam.gram %c, %ab into %y : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x15xf64, #tam.sparse<4>> -> tensor<2x15xf64>
  %x = tam.zeros : tensor<15x2xf64>
  %i = tam.gram %ab, %c weights %weights : tensor<?xf64> into %x
      : tensor<?x15xf64, #tam.sparse<4>>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<15x2xf64>
  return
}

// An extrapolated product of splines has the bands of its border.
//
// CHECK-LABEL: func.func @extrapolated(
// CHECK: %[[BLEND:.*]] = tam.blend
// CHECK: %[[SPARSE:.*]] = tam.convert {{.*}} -> tensor<?x2xf64, #tam.sparse<1>>
// CHECK: tam.gram %[[BLEND]], %[[SPARSE]] into {{.*}} -> tensor<25x2xf64, #tam.sums<transposed>>
func.func @extrapolated(%u: tensor<?xf64>, %v: tensor<?xf64>, %w: tensor<?xf64>,
                        %amount: tensor<?xf64>, %p: tensor<4xf64>) {
  %a = tam.bspline %u, %p {intervals = 2, degree = 3} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %b = tam.bspline %v, %p {intervals = 2, degree = 3} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %border = tam.kronecker %a, %a : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<?x25xf64, #tam.sparse<16>>
  %inside = tam.kronecker %b, %b : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<?x25xf64, #tam.sparse<16>>
  %ab = tam.blend %border, %inside, %amount : tensor<?x25xf64, #tam.sparse<16>>,
      tensor<?x25xf64, #tam.sparse<16>>, tensor<?xf64>
      -> tensor<?x25xf64, #tam.sparse<32>>
  %c = tam.category %w {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %z = tam.zeros : tensor<25x2xf64>
  %g = tam.gram %ab, %c into %z : tensor<?x25xf64, #tam.sparse<32>>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<25x2xf64>
  return
}
