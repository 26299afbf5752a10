// Leaves of trees have kernels with dense and banded matrices, in which they
// are the first operand. With another tree or a one-hot matrix both are
// converted to sparse.
//
// RUN: tam-opt %s --tam-choose-encodings | FileCheck %s

// CHECK-LABEL: func.func @leaves(
func.func @leaves(%points: tensor<?x1xf64>, %x: tensor<?xf64>,
                  %p: tensor<4xf64>, %f: tensor<3x2xi32>,
                  %h: tensor<3x2xf64>) {
  // CHECK: %[[T:.*]] = tam.tree {{.*}} -> tensor<?x12xf64, #tam.multi_hot<3,
  %t = tam.tree %points, %f, %h {leaves = 4, oblivious}
      : tensor<?x1xf64>, tensor<3x2xi32>, tensor<3x2xf64> -> tensor<?x12xf64>
  // CHECK: %[[ST:.*]] = tam.convert %[[T]]
  // CHECK: %[[L:.*]] = tam.linear
  %l = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  // CHECK: %[[S:.*]] = tam.bspline
  %s = tam.bspline %x, %p {intervals = 2, degree = 1}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x3xf64>
  // CHECK: %[[C:.*]] = tam.category
  %c = tam.category %x {levels = 5} : tensor<?xf64> -> tensor<?x5xf64>
  // CHECK: %[[SC:.*]] = tam.convert %[[C]]
  %zlt = tam.zeros : tensor<1x12xf64>
  // CHECK: tam.gram %[[L]], %[[T]] into {{.*}} -> tensor<1x12xf64, #tam.sums<transposed>>
  %lt = tam.gram %l, %t into %zlt
      : tensor<?x1xf64>, tensor<?x12xf64> -> tensor<1x12xf64>
  %zts = tam.zeros : tensor<12x3xf64>
  // CHECK: tam.gram %[[T]], %[[S]] into {{.*}} -> tensor<12x3xf64, #tam.sums<full>>
  %ts = tam.gram %t, %s into %zts
      : tensor<?x12xf64>, tensor<?x3xf64> -> tensor<12x3xf64>
  %zst = tam.zeros : tensor<3x12xf64>
  // CHECK: tam.gram %[[S]], %[[T]] into {{.*}} -> tensor<3x12xf64, #tam.sums<transposed>>
  %st = tam.gram %s, %t into %zst
      : tensor<?x3xf64>, tensor<?x12xf64> -> tensor<3x12xf64>
  %ztc = tam.zeros : tensor<12x5xf64>
  // CHECK: tam.gram %[[ST]], %[[SC]] into
  %tc = tam.gram %t, %c into %ztc
      : tensor<?x12xf64>, tensor<?x5xf64> -> tensor<12x5xf64>
  return
}
