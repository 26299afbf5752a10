// Neighbouring categories whose sums are apart become sparse matrices, whose
// sums with other matrices are apart, too.
//
// RUN: tam-opt %s --tam-merge-apart=least=2 | FileCheck %s
// RUN: tam-opt %s --tam-merge-apart="least=2 most-columns=4" \
// RUN:   | FileCheck %s --check-prefix=FEW
// RUN: tam-opt %s --tam-merge-apart="least=2 loops=false" \
// RUN:   | FileCheck %s --check-prefix=ALL
//
// Before encodings are chosen, nothing is merged.
// RUN: sed -e 's/x3xf64, #tam.one_hot>/x3xf64>/g' \
// RUN:     -e 's/3x3xf64, #tam.sums<diagonal>/3x3xf64, #tam.sums<upper>/g' %s \
// RUN:   | tam-opt --tam-merge-apart="least=2 loops=false" \
// RUN:   | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func.func @fit(
// CHECK: %[[A:.*]] = tam.category
// CHECK: %[[SPARSE:.*]] = tam.convert %[[A]] : {{.*}} -> tensor<?x2xf64, #tam.sparse<1>>
// CHECK: %[[B:.*]] = tam.category
// CHECK: %[[C:.*]] = tam.category
// The categories' penalties, of 2 and 3 columns, are one of 5.
// CHECK: %[[BC:.*]] = tam.columns(%[[B]], %[[C]] : tensor<?x2xf64, #tam.one_hot>, tensor<?x3xf64, #tam.one_hot>) -> tensor<?x5xf64, #tam.sparse<2>>
// CHECK: %[[P:.*]] = tam.penalty rows [1, 2, 4] columns [0, 2, 3] values [2.000000e+00, 3.000000e+00, 4.000000e+00]
// CHECK-SAME: tensor<5x5xf64
// CHECK: %[[ABC:.*]] = tam.gram %[[SPARSE]], %[[BC]] into %{{.*}} {tam.apart}
// CHECK-SAME: -> tensor<2x5xf64, #tam.sums<full>>
// CHECK: %[[BCBC:.*]] = tam.gram %[[BC]], %[[BC]] into %{{.*}} {tam.apart}
// CHECK-SAME: -> tensor<5x5xf64, #tam.sums<upper>>
// CHECK: tam.rhs %[[BC]], %{{.*}} into %{{.*}} {tam.apart}
// CHECK-SAME: -> tensor<5xf64, #tam.sums<full>>
// CHECK: tam.normal_matrix %{{.*}} blocks(%{{.*}}, %[[ABC]], %[[BCBC]] :
// CHECK-SAME: penalties(%{{.*}}, %[[P]] :

// FEW-NOT: tam.columns

// PLAIN-NOT: tam.columns

// ALL: tam.columns(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}} -> tensor<?x7xf64, #tam.sparse<3>>
// ALL: tam.gram
// ALL-NOT: tam.apart
// ALL: tam.rhs
func.func @fit(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
               %w: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<7xf64> {
  %a = tam.category %u {levels = 2 : i64} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %b = tam.category %v {levels = 2 : i64} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %c = tam.category %w {levels = 3 : i64} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [1] columns [0] values [2.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %r = tam.penalty rows [0, 2] columns [0, 1] values [3.0, 4.0]
      : tensor<3x3xf64, #tam.coordinates<2>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab {tam.apart}
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_ac = tam.zeros : tensor<2x3xf64, #tam.sums<full>>
  %ac = tam.gram %a, %c into %z_ac {tam.apart}
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x3xf64, #tam.one_hot>
      -> tensor<2x3xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %bb = tam.gram %b, %b into %z_bb {tam.apart}
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x2xf64, #tam.one_hot>
      -> tensor<2x2xf64, #tam.sums<diagonal>>
  %z_bc = tam.zeros : tensor<2x3xf64, #tam.sums<full>>
  %bc = tam.gram %b, %c into %z_bc {tam.apart}
      : tensor<?x2xf64, #tam.one_hot>, tensor<?x3xf64, #tam.one_hot>
      -> tensor<2x3xf64, #tam.sums<full>>
  %z_cc = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %cc = tam.gram %c, %c into %z_cc {tam.apart}
      : tensor<?x3xf64, #tam.one_hot>, tensor<?x3xf64, #tam.one_hot>
      -> tensor<3x3xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay
      : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by {tam.apart}
      : tensor<?x2xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %z_cy = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %cy = tam.rhs %c, %y into %z_cy {tam.apart}
      : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %ac, %bb, %bc, %cc :
          tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x2xf64, #tam.sums<full>>,
          tensor<2x3xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>,
          tensor<2x3xf64, #tam.sums<full>>,
          tensor<3x3xf64, #tam.sums<diagonal>>)
      penalties(%p, %q, %r : tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<3x3xf64, #tam.coordinates<2>>) : tensor<7x7xf64>
  %n = tam.normal_vector(%ay, %by, %cy : tensor<2xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>)
      : tensor<7xf64>
  %s = tam.solve %m, %n : tensor<7x7xf64>, tensor<7xf64>
  return %s : tensor<7xf64>
}
