// Sums are derived from others only if all have the same weights and target and
// start from zero.
//
// RUN: tam-opt %s --tam-share-sums | FileCheck %s

// CHECK-LABEL: func.func @shared(
// CHECK: tam.kronecker
func.func @shared(%v: tensor<?xf64>, %u: tensor<?xf64>, %y: tensor<?xf64>,
    %w: tensor<?xf64>)
    -> (tensor<2x2xf64, #tam.sums<diagonal>>, tensor<2x3xf64, #tam.sums<full>>,
        tensor<3x3xf64, #tam.sums<diagonal>>, tensor<2xf64, #tam.sums<full>>,
        tensor<3xf64, #tam.sums<full>>) {
  %a = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %z0 = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %z1 = tam.zeros : tensor<2x3xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %z3 = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %z4 = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %aa = tam.gram %a, %a into %z0 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
  %ab = tam.gram %a, %b into %z1 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<2x3xf64, #tam.sums<full>>
  %bb = tam.gram %b, %b into %z2 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  %ay = tam.rhs %a, %y into %z3
      : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z4
      : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  return %aa, %ab, %bb, %ay, %by : tensor<2x2xf64, #tam.sums<diagonal>>,
      tensor<2x3xf64, #tam.sums<full>>, tensor<3x3xf64, #tam.sums<diagonal>>,
      tensor<2xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>
}

// CHECK-NOT: tam.kronecker

// The right-hand sides are weighted, the products are not.
func.func @weights(%v: tensor<?xf64>, %u: tensor<?xf64>, %y: tensor<?xf64>,
    %w: tensor<?xf64>)
    -> (tensor<2x2xf64, #tam.sums<diagonal>>, tensor<2x3xf64, #tam.sums<full>>,
        tensor<3x3xf64, #tam.sums<diagonal>>, tensor<2xf64, #tam.sums<full>>,
        tensor<3xf64, #tam.sums<full>>) {
  %a = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %z0 = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %z1 = tam.zeros : tensor<2x3xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %z3 = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %z4 = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %aa = tam.gram %a, %a into %z0 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
  %ab = tam.gram %a, %b into %z1 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<2x3xf64, #tam.sums<full>>
  %bb = tam.gram %b, %b into %z2 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  %ay = tam.rhs %a, %y weights %w : tensor<?xf64> into %z3
      : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y weights %w : tensor<?xf64> into %z4
      : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  return %aa, %ab, %bb, %ay, %by : tensor<2x2xf64, #tam.sums<diagonal>>,
      tensor<2x3xf64, #tam.sums<full>>, tensor<3x3xf64, #tam.sums<diagonal>>,
      tensor<2xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>
}

// There are two targets.
func.func @targets(%v: tensor<?xf64>, %u: tensor<?xf64>, %y: tensor<?xf64>,
    %w: tensor<?xf64>)
    -> (tensor<2x2xf64, #tam.sums<diagonal>>, tensor<2x3xf64, #tam.sums<full>>,
        tensor<3x3xf64, #tam.sums<diagonal>>, tensor<2xf64, #tam.sums<full>>,
        tensor<3xf64, #tam.sums<full>>) {
  %a = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %z0 = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %z1 = tam.zeros : tensor<2x3xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %z3 = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %z4 = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %aa = tam.gram %a, %a into %z0 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
  %ab = tam.gram %a, %b into %z1 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<2x3xf64, #tam.sums<full>>
  %bb = tam.gram %b, %b into %z2 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  %ay = tam.rhs %a, %y into %z3
      : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %w into %z4
      : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  return %aa, %ab, %bb, %ay, %by : tensor<2x2xf64, #tam.sums<diagonal>>,
      tensor<2x3xf64, #tam.sums<full>>, tensor<3x3xf64, #tam.sums<diagonal>>,
      tensor<2xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>
}

// Sums of earlier rows come as arguments.
func.func @arguments(%v: tensor<?xf64>, %u: tensor<?xf64>, %y: tensor<?xf64>,
    %w: tensor<?xf64>,
    %z0: tensor<2x2xf64, #tam.sums<diagonal>>,
    %z1: tensor<2x3xf64, #tam.sums<full>>,
    %z2: tensor<3x3xf64, #tam.sums<diagonal>>,
    %z3: tensor<2xf64, #tam.sums<full>>,
    %z4: tensor<3xf64, #tam.sums<full>>)
    -> (tensor<2x2xf64, #tam.sums<diagonal>>, tensor<2x3xf64, #tam.sums<full>>,
        tensor<3x3xf64, #tam.sums<diagonal>>, tensor<2xf64, #tam.sums<full>>,
        tensor<3xf64, #tam.sums<full>>) {
  %a = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %aa = tam.gram %a, %a into %z0 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
  %ab = tam.gram %a, %b into %z1 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<2x3xf64, #tam.sums<full>>
  %bb = tam.gram %b, %b into %z2 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  %ay = tam.rhs %a, %y into %z3
      : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z4
      : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  return %aa, %ab, %bb, %ay, %by : tensor<2x2xf64, #tam.sums<diagonal>>,
      tensor<2x3xf64, #tam.sums<full>>, tensor<3x3xf64, #tam.sums<diagonal>>,
      tensor<2xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>
}

// A sum is read before the last one has been formed.
//
// CHECK-LABEL: func.func @late(
// CHECK-NOT: tam.kronecker
func.func @late(%v: tensor<?xf64>, %u: tensor<?xf64>, %y: tensor<?xf64>,
    %w: tensor<?xf64>)
    -> (tensor<2xf64>, tensor<2x2xf64, #tam.sums<diagonal>>, tensor<2x3xf64, #tam.sums<full>>,
        tensor<3x3xf64, #tam.sums<diagonal>>, tensor<2xf64, #tam.sums<full>>,
        tensor<3xf64, #tam.sums<full>>) {
  %a = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %z0 = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %z1 = tam.zeros : tensor<2x3xf64, #tam.sums<full>>
  %z2 = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %z3 = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %z4 = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %aa = tam.gram %a, %a into %z0 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
  %ab = tam.gram %a, %b into %z1 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<2x3xf64, #tam.sums<full>>
  %bb = tam.gram %b, %b into %z2 : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  %ay = tam.rhs %a, %y into %z3
      : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %early = tam.normal_vector(%ay : tensor<2xf64, #tam.sums<full>>)
      : tensor<2xf64>
  %by = tam.rhs %b, %y into %z4
      : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  return %early, %aa, %ab, %bb, %ay, %by : tensor<2xf64>, tensor<2x2xf64, #tam.sums<diagonal>>,
      tensor<2x3xf64, #tam.sums<full>>, tensor<3x3xf64, #tam.sums<diagonal>>,
      tensor<2xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>
}

// A sum that is returned keeps its layout.
//
// CHECK-LABEL: func.func @returned(
// CHECK-NOT: tam.marginal
// CHECK: return
func.func @returned(%rows: index, %v: tensor<?xf64>)
    -> (tensor<1x2xf64, #tam.sums<transposed>>,
        tensor<2x2xf64, #tam.sums<diagonal>>) {
  %one = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %a = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %z0 = tam.zeros : tensor<1x2xf64, #tam.sums<transposed>>
  %oa = tam.gram %one, %a into %z0 : tensor<?x1xf64, #tam.dense>,
      tensor<?x2xf64, #tam.one_hot>
      -> tensor<1x2xf64, #tam.sums<transposed>>
  %z1 = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z1 : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
  return %oa, %aa : tensor<1x2xf64, #tam.sums<transposed>>,
      tensor<2x2xf64, #tam.sums<diagonal>>
}

func.func private @declared(tensor<?xf64>) -> tensor<2xf64>
