// Penalties of merged terms: their strengths are merged, too, and a term whose
// penalty cannot be a part of another one is not merged. All fits read the same
// sums.
//
// RUN: tam-opt %s --tam-merge-apart="least=2 loops=false" \
// RUN:   | FileCheck %s --implicit-check-not=tam.columns \
// RUN:     --implicit-check-not=tam.penalty

!design = tensor<?x2xf64, #tam.one_hot>
!diagonal = tensor<2x2xf64, #tam.sums<diagonal>>
!full = tensor<2x2xf64, #tam.sums<full>>
!right = tensor<2xf64, #tam.sums<full>>
!penalty = tensor<2x2xf64, #tam.coordinates<1>>
!penalty2 = tensor<2x2xf64, #tam.coordinates<2>>
!pair = tensor<2xf64>
!matrix = tensor<4x4xf64>
!vector = tensor<4xf64>

// CHECK-LABEL: func.func @fits(
// CHECK-SAME: %[[S:[^:]*]]: tensor<2xf64>, %[[T:[^:]*]]: tensor<2xf64>, %[[Q:[^:]*]]: tensor<2x2xf64, #tam.coordinates<1>>)
// CHECK: %[[P:.*]] = tam.penalty rows [1] columns [0] values [1.000000e+00] strengths(%[[S]] :
// CHECK: %[[PLAIN:.*]] = tam.penalty rows [1] columns [0] values [1.000000e+00] :
func.func @fits(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
    %y: tensor<?xf64>, %s: !pair, %t: !pair, %q: !penalty)
    -> (!vector, !vector, !vector, !vector, !vector, !vector) {
  %a = tam.category %u {levels = 2} : tensor<?xf64> -> !design
  %b = tam.category %v {levels = 2} : tensor<?xf64> -> !design
  %z_aa = tam.zeros : !diagonal
  %aa = tam.gram %a, %a into %z_aa : !design, !design -> !diagonal
  %z_ab = tam.zeros : !full
  %ab = tam.gram %a, %b into %z_ab : !design, !design -> !full
  %z_bb = tam.zeros : !diagonal
  %bb = tam.gram %b, %b into %z_bb : !design, !design -> !diagonal
  %z_ay = tam.zeros : !right
  %ay = tam.rhs %a, %y into %z_ay : !design, tensor<?xf64> -> !right
  %z_by = tam.zeros : !right
  %by = tam.rhs %b, %y into %z_by : !design, tensor<?xf64> -> !right
  %p = tam.penalty rows [1] columns [0] values [1.0]
      strengths(%s : !pair) parts [0, 1, 0] : !penalty
  %plain = tam.penalty rows [1] columns [0] values [1.0] : !penalty

  // Entries and parts of the second penalty come after those of the first.
  //
  // CHECK: tam.columns(
  // CHECK: %[[MERGED:.*]] = tam.penalty rows [0, 1, 3] columns [0, 0, 2] values [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00] strengths(%[[S]] : tensor<2xf64>) parts [0, 1, 0, 1, 2, 0, 1, 2, 1, 1, 2, 1, 0] : tensor<4x4xf64, #tam.coordinates<3>>
  // CHECK: tam.normal_matrix {{.*}} penalties(%[[MERGED]] :
  %p0 = tam.penalty rows [0, 1] columns [0, 0] values [1.0, 2.0]
      strengths(%s : !pair) parts [0, 1, 0, 1, 2, 0, 1] : !penalty2
  %q0 = tam.penalty rows [1] columns [0] values [3.0, 4.0]
      strengths(%s : !pair) parts [0, 1, 1, 0, 1, 0] : !penalty
  %m0 = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : !diagonal, !full, !diagonal)
      penalties(%p0, %q0 : !penalty2, !penalty) : !matrix
  %n0 = tam.normal_vector(%ay, %by : !right, !right) : !vector
  %x0 = tam.solve %m0, %n0 : !matrix, !vector

  // The penalties have different strengths.
  //
  // CHECK: %[[Q1:.*]] = tam.penalty {{.*}} strengths(%[[T]] :
  // CHECK: tam.normal_matrix {{.*}} penalties(%[[P]], %[[Q1]] :
  %q1 = tam.penalty rows [1] columns [0] values [2.0]
      strengths(%t : !pair) parts [0, 1, 0] : !penalty
  %m1 = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : !diagonal, !full, !diagonal)
      penalties(%p, %q1 : !penalty, !penalty) : !matrix
  %n1 = tam.normal_vector(%ay, %by : !right, !right) : !vector
  %x1 = tam.solve %m1, %n1 : !matrix, !vector

  // One penalty has strengths, the other has none.
  //
  // CHECK: tam.normal_matrix {{.*}} penalties(%[[P]], %[[PLAIN]] :
  %m2 = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : !diagonal, !full, !diagonal)
      penalties(%p, %plain : !penalty, !penalty) : !matrix
  %n2 = tam.normal_vector(%ay, %by : !right, !right) : !vector
  %x2 = tam.solve %m2, %n2 : !matrix, !vector

  // A part of the second penalty reads a sum of others, whose number would
  // change.
  //
  // CHECK: %[[Q3:.*]] = tam.penalty {{.*}} parts [1, 1, 0, 1, 1, 1, 0, -2, 1, 0]
  // CHECK: tam.normal_matrix {{.*}} penalties(%[[P]], %[[Q3]] :
  %q3 = tam.penalty rows [1] columns [0] values [1.0, 2.0]
      strengths(%s : !pair) parts [1, 1, 0, 1, 1, 1, 0, -2, 1, 0] : !penalty
  %m3 = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : !diagonal, !full, !diagonal)
      penalties(%p, %q3 : !penalty, !penalty) : !matrix
  %n3 = tam.normal_vector(%ay, %by : !right, !right) : !vector
  %x3 = tam.solve %m3, %n3 : !matrix, !vector

  // The second penalty is multiplied by an element of a table.
  //
  // CHECK: %[[Q4:.*]] = tam.penalty {{.*}} weights(%[[T]] :
  // CHECK: tam.normal_matrix {{.*}} penalties(%[[PLAIN]], %[[Q4]] :
  %q4 = tam.penalty rows [1] columns [0] values [2.0]
      weights(%t : !pair) table [0] element [1] : !penalty
  %m4 = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : !diagonal, !full, !diagonal)
      penalties(%plain, %q4 : !penalty, !penalty) : !matrix
  %n4 = tam.normal_vector(%ay, %by : !right, !right) : !vector
  %x4 = tam.solve %m4, %n4 : !matrix, !vector

  // The second penalty is unknown.
  //
  // CHECK: tam.normal_matrix {{.*}} penalties(%[[PLAIN]], %[[Q]] :
  %m5 = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : !diagonal, !full, !diagonal)
      penalties(%plain, %q : !penalty, !penalty) : !matrix
  %n5 = tam.normal_vector(%ay, %by : !right, !right) : !vector
  %x5 = tam.solve %m5, %n5 : !matrix, !vector
  return %x0, %x1, %x2, %x3, %x4, %x5
      : !vector, !vector, !vector, !vector, !vector, !vector
}
