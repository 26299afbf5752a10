// Penalties of merged terms: their strengths are merged, too, and a term whose
// penalty cannot be a part of another one is not merged.
//
// RUN: tam-opt %s --tam-merge-apart="least=2 loops=false" -split-input-file \
// RUN:   | FileCheck %s

// Entries and parts of the second penalty come after those of the first.
//
// CHECK-LABEL: func.func @strengths(
// CHECK-SAME: %[[S:[^:]*]]: tensor<2xf64>)
// CHECK-NOT: tam.penalty
// CHECK: tam.penalty rows [0, 1, 3] columns [0, 0, 2] values [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00] strengths(%[[S]] : tensor<2xf64>) parts [0, 1, 0, 1, 2, 0, 1, 2, 1, 1, 2, 1, 0] : tensor<4x4xf64, #tam.coordinates<3>>
// CHECK-NOT: tam.penalty
// CHECK: return
func.func @strengths(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
    %y: tensor<?xf64>, %s: tensor<2xf64>) -> tensor<4xf64> {
  %a = tam.category %u {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %p = tam.penalty rows [0, 1] columns [0, 0] values [1.0, 2.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 0, 1, 2, 0, 1]
      : tensor<2x2xf64, #tam.coordinates<2>>
  %q = tam.penalty rows [1] columns [0] values [3.0, 4.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 1, 0, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x2xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p, %q : tensor<2x2xf64, #tam.coordinates<2>>,
          tensor<2x2xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
  %n = tam.normal_vector(%ay, %by : tensor<2xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>) : tensor<4xf64>
  %x = tam.solve %m, %n : tensor<4x4xf64>, tensor<4xf64>
  return %x : tensor<4xf64>
}

// -----

// The penalties have different strengths.
//
// CHECK-LABEL: func.func @other_strengths(
// CHECK-NOT: tam.columns
// CHECK: return
func.func @other_strengths(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
    %y: tensor<?xf64>, %s: tensor<2xf64>, %t: tensor<2xf64>) -> tensor<4xf64> {
  %a = tam.category %u {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %p = tam.penalty rows [1] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [1] columns [0] values [2.0]
      strengths(%t : tensor<2xf64>) parts [0, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x2xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p, %q : tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
  %n = tam.normal_vector(%ay, %by : tensor<2xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>) : tensor<4xf64>
  %x = tam.solve %m, %n : tensor<4x4xf64>, tensor<4xf64>
  return %x : tensor<4xf64>
}

// -----

// One penalty has strengths, the other has none.
//
// CHECK-LABEL: func.func @no_strengths(
// CHECK-NOT: tam.columns
// CHECK: return
func.func @no_strengths(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
    %y: tensor<?xf64>, %s: tensor<2xf64>) -> tensor<4xf64> {
  %a = tam.category %u {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %p = tam.penalty rows [1] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [1] columns [0] values [2.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x2xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p, %q : tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
  %n = tam.normal_vector(%ay, %by : tensor<2xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>) : tensor<4xf64>
  %x = tam.solve %m, %n : tensor<4x4xf64>, tensor<4xf64>
  return %x : tensor<4xf64>
}

// -----

// A part of the second penalty reads a sum of others, whose number would
// change.
//
// CHECK-LABEL: func.func @sum_of_parts(
// CHECK-NOT: tam.columns
// CHECK: return
func.func @sum_of_parts(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
    %y: tensor<?xf64>, %s: tensor<2xf64>) -> tensor<4xf64> {
  %a = tam.category %u {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %p = tam.penalty rows [1] columns [0] values [1.0]
      strengths(%s : tensor<2xf64>) parts [0, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [1] columns [0] values [1.0, 2.0]
      strengths(%s : tensor<2xf64>) parts [1, 1, 0, 1, 1, 1, 0, -2, 1, 0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x2xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p, %q : tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
  %n = tam.normal_vector(%ay, %by : tensor<2xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>) : tensor<4xf64>
  %x = tam.solve %m, %n : tensor<4x4xf64>, tensor<4xf64>
  return %x : tensor<4xf64>
}

// -----

// The second penalty is multiplied by an element of a table.
//
// CHECK-LABEL: func.func @weights(
// CHECK-NOT: tam.columns
// CHECK: return
func.func @weights(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
    %y: tensor<?xf64>, %w: tensor<2xf64>) -> tensor<4xf64> {
  %a = tam.category %u {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %p = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [1] columns [0] values [2.0]
      weights(%w : tensor<2xf64>) table [0] element [1]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x2xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p, %q : tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
  %n = tam.normal_vector(%ay, %by : tensor<2xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>) : tensor<4xf64>
  %x = tam.solve %m, %n : tensor<4x4xf64>, tensor<4xf64>
  return %x : tensor<4xf64>
}

// -----

// The second penalty is unknown.
//
// CHECK-LABEL: func.func @argument(
// CHECK-NOT: tam.columns
// CHECK: return
func.func @argument(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
    %y: tensor<?xf64>,
    %q: tensor<2x2xf64, #tam.coordinates<1>>) -> tensor<4xf64> {
  %a = tam.category %u {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %p = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x2xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p, %q : tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
  %n = tam.normal_vector(%ay, %by : tensor<2xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>) : tensor<4xf64>
  %x = tam.solve %m, %n : tensor<4x4xf64>, tensor<4xf64>
  return %x : tensor<4xf64>
}
