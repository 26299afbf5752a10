// Without a loop neighbouring products, splines and trees become one sparse
// matrix.
// With one, products keep theirs.
//
// RUN: tam-opt %s --tam-merge-apart="least=2 loops=false" | FileCheck %s
// RUN: sed -e '1i module attributes {tam.target = #tam.target<"device">} {' \
// RUN:     -e '$a }' %s \
// RUN:   | tam-opt --tam-merge-apart=least=2 | FileCheck %s
// RUN: tam-opt %s --tam-merge-apart=least=2 | FileCheck %s --check-prefix=LOOP
// RUN: sed -e 's/ into %z_[a-z]*$/& {tam.apart}/' %s \
// RUN:   | tam-opt --tam-merge-apart=least=2 | FileCheck %s --check-prefix=LOOP

// LOOP-NOT: tam.columns
// LOOP: tam.normal_matrix

// CHECK-LABEL: func.func @fit(
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<?x6xf64, #tam.multi_hot<2, 5.000000e-01 : f64>>, %[[B:[a-z0-9]*]]: tensor<?x4xf64, #tam.sparse<4>>, %[[C:[a-z0-9]*]]: tensor<?x5xf64, #tam.banded<4>>,
// CHECK: %[[ALL:.*]] = tam.columns(%[[A]], %[[B]], %[[C]] : {{.*}} -> tensor<?x15xf64, #tam.sparse<10>>
// CHECK: %[[G:.*]] = tam.gram %[[ALL]], %[[ALL]] into {{.*}} -> tensor<15x15xf64, #tam.sums<upper>>
// CHECK: %[[H:.*]] = tam.rhs %[[ALL]], %{{.*}}
// CHECK: tam.normal_matrix %{{.*}} blocks(%[[G]] : tensor<15x15xf64, #tam.sums<upper>>)
// CHECK: tam.normal_vector(%[[H]] : tensor<15xf64, #tam.sums<full>>)
func.func @fit(%rows: index, %a: tensor<?x6xf64, #tam.multi_hot<2, 0.5 : f64>>,
               %b: tensor<?x4xf64, #tam.sparse<4>>,
               %c: tensor<?x5xf64, #tam.banded<4>>, %y: tensor<?xf64>)
    -> tensor<15xf64> {
  %p_a = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<6x6xf64, #tam.coordinates<1>>
  %p_b = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<4x4xf64, #tam.coordinates<1>>
  %p_c = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<5x5xf64, #tam.coordinates<1>>
  %d = tam.convert %c : tensor<?x5xf64, #tam.banded<4>>
      -> tensor<?x5xf64, #tam.sparse<4>>
  %e = tam.convert %a : tensor<?x6xf64, #tam.multi_hot<2, 0.5 : f64>>
      -> tensor<?x6xf64, #tam.sparse<2>>
  %z_aa = tam.zeros : tensor<6x6xf64, #tam.sums<upper>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x6xf64, #tam.multi_hot<2, 0.5 : f64>>,
        tensor<?x6xf64, #tam.multi_hot<2, 0.5 : f64>>
      -> tensor<6x6xf64, #tam.sums<upper>>
  %z_ab = tam.zeros : tensor<6x4xf64, #tam.sums<full>>
  %ab = tam.gram %e, %b into %z_ab
      : tensor<?x6xf64, #tam.sparse<2>>, tensor<?x4xf64, #tam.sparse<4>>
      -> tensor<6x4xf64, #tam.sums<full>>
  %z_ac = tam.zeros : tensor<6x5xf64, #tam.sums<full>>
  %ac = tam.gram %e, %d into %z_ac
      : tensor<?x6xf64, #tam.sparse<2>>, tensor<?x5xf64, #tam.sparse<4>>
      -> tensor<6x5xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<4x4xf64, #tam.sums<upper>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x4xf64, #tam.sparse<4>>, tensor<?x4xf64, #tam.sparse<4>>
      -> tensor<4x4xf64, #tam.sums<upper>>
  %z_bc = tam.zeros : tensor<4x5xf64, #tam.sums<full>>
  %bc = tam.gram %b, %d into %z_bc
      : tensor<?x4xf64, #tam.sparse<4>>, tensor<?x5xf64, #tam.sparse<4>>
      -> tensor<4x5xf64, #tam.sums<full>>
  %z_cc = tam.zeros : tensor<5x5xf64, #tam.sums<upper>>
  %cc = tam.gram %c, %c into %z_cc
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?x5xf64, #tam.banded<4>>
      -> tensor<5x5xf64, #tam.sums<upper>>
  %z_ay = tam.zeros : tensor<6xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay
      : tensor<?x6xf64, #tam.multi_hot<2, 0.5 : f64>>, tensor<?xf64>
      -> tensor<6xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<4xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by
      : tensor<?x4xf64, #tam.sparse<4>>, tensor<?xf64>
      -> tensor<4xf64, #tam.sums<full>>
  %z_cy = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %cy = tam.rhs %c, %y into %z_cy
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?xf64>
      -> tensor<5xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %ac, %bb, %bc, %cc : tensor<6x6xf64, #tam.sums<upper>>,
             tensor<6x4xf64, #tam.sums<full>>, tensor<6x5xf64, #tam.sums<full>>,
             tensor<4x4xf64, #tam.sums<upper>>,
             tensor<4x5xf64, #tam.sums<full>>,
             tensor<5x5xf64, #tam.sums<upper>>)
      penalties(%p_a, %p_b, %p_c : tensor<6x6xf64, #tam.coordinates<1>>,
                tensor<4x4xf64, #tam.coordinates<1>>,
                tensor<5x5xf64, #tam.coordinates<1>>) : tensor<15x15xf64>
  %v = tam.normal_vector(%ay, %by, %cy : tensor<6xf64, #tam.sums<full>>,
                         tensor<4xf64, #tam.sums<full>>,
                         tensor<5xf64, #tam.sums<full>>) : tensor<15xf64>
  %x = tam.solve %m, %v {solver = #tam.solver<direct>}
      : tensor<15x15xf64>, tensor<15xf64>
  return %x : tensor<15xf64>
}
