// Neighbouring matrices of several columns that store all of them become dense
// ones, whether or not other sums have a loop; there are no sums of frequencies
// then. A column and a category stay apart from them.
//
// RUN: tam-opt %s --tam-merge-apart=least=2 | FileCheck %s
// RUN: tam-opt %s --tam-merge-apart="least=2 loops=false" | FileCheck %s
// RUN: tam-opt %s --tam-merge-apart="least=2 most-columns=4" \
// RUN:   | FileCheck %s --check-prefix=FEW

// FEW-NOT: tam.columns

// CHECK-LABEL: func.func @fit(
// CHECK: %[[L:.*]] = tam.linear
// CHECK: %[[F:.*]] = tam.fourier
// CHECK: %[[P:.*]] = tam.chebyshev
// CHECK: %[[FP:.*]] = tam.columns(%[[F]], %[[P]] : {{.*}} -> tensor<?x5xf64, #tam.dense>
// CHECK: tam.gram %[[L]], %[[FP]] into {{.*}} -> tensor<1x5xf64, #tam.sums<full>>
// CHECK: tam.gram %[[FP]], %[[FP]] into {{.*}} -> tensor<5x5xf64, #tam.sums<upper>>
// CHECK: tam.rhs %[[FP]], {{.*}} -> tensor<5xf64, #tam.sums<full>>
func.func @fit(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
               %w: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<6xf64> {
  %a = tam.linear %u {scale = 1.0 : f64} : tensor<?xf64>
      -> tensor<?x1xf64, #tam.dense>
  %b = tam.fourier %v {order = 1 : i64} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.dense>
  %c = tam.chebyshev %w {degree = 3 : i64} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.dense>
  %p_a = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p_b = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %p_c = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<1x1xf64, #tam.sums<upper>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x1xf64, #tam.dense>, tensor<?x1xf64, #tam.dense>
      -> tensor<1x1xf64, #tam.sums<upper>>
  %z_ab = tam.zeros : tensor<1x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x1xf64, #tam.dense>, tensor<?x2xf64, #tam.dense>
      -> tensor<1x2xf64, #tam.sums<full>>
  %z_ac = tam.zeros : tensor<1x3xf64, #tam.sums<full>>
  %ac = tam.gram %a, %c into %z_ac
      : tensor<?x1xf64, #tam.dense>, tensor<?x3xf64, #tam.dense>
      -> tensor<1x3xf64, #tam.sums<full>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<frequencies>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x2xf64, #tam.dense>, tensor<?x2xf64, #tam.dense>
      -> tensor<2x2xf64, #tam.sums<frequencies>>
  %z_bc = tam.zeros : tensor<2x3xf64, #tam.sums<full>>
  %bc = tam.gram %b, %c into %z_bc
      : tensor<?x2xf64, #tam.dense>, tensor<?x3xf64, #tam.dense>
      -> tensor<2x3xf64, #tam.sums<full>>
  %z_cc = tam.zeros : tensor<3x3xf64, #tam.sums<upper>>
  %cc = tam.gram %c, %c into %z_cc
      : tensor<?x3xf64, #tam.dense>, tensor<?x3xf64, #tam.dense>
      -> tensor<3x3xf64, #tam.sums<upper>>
  %z_ay = tam.zeros : tensor<1xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x1xf64, #tam.dense>, tensor<?xf64>
      -> tensor<1xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by : tensor<?x2xf64, #tam.dense>, tensor<?xf64>
      -> tensor<2xf64, #tam.sums<full>>
  %z_cy = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %cy = tam.rhs %c, %y into %z_cy : tensor<?x3xf64, #tam.dense>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %ac, %bb, %bc, %cc :
          tensor<1x1xf64, #tam.sums<upper>>, tensor<1x2xf64, #tam.sums<full>>,
          tensor<1x3xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<frequencies>>,
          tensor<2x3xf64, #tam.sums<full>>, tensor<3x3xf64, #tam.sums<upper>>)
      penalties(%p_a, %p_b, %p_c : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>,
          tensor<3x3xf64, #tam.coordinates<1>>) : tensor<6x6xf64>
  %n = tam.normal_vector(%ay, %by, %cy : tensor<1xf64, #tam.sums<full>>,
      tensor<2xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>)
      : tensor<6xf64>
  %s = tam.solve %m, %n : tensor<6x6xf64>, tensor<6xf64>
  return %s : tensor<6xf64>
}
