// Linear terms that are neighbours become one matrix, from `least` on; others,
// and fewer, stay as they are.
//
// RUN: tam-opt %s --tam-merge-columns=least=2 -split-input-file | FileCheck %s
// RUN: tam-opt %s --tam-merge-columns=least=3 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=FEW
// RUN: tam-opt %s --tam-merge-columns=least=0 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=FEW

// The category between them separates two of them from the third. Weights and
// penalties are merged, too.
//
// CHECK-LABEL: func.func @fit(
// CHECK-SAME: %[[ROWS:.*]]: index, %[[U:[^:]*]]: tensor<?xf64>, %[[V:[^:]*]]: tensor<?xf64>, %[[Q:[^:]*]]: tensor<4xf64>, %[[R:[^:]*]]: tensor<4xf64>, %[[Y:[^:]*]]: tensor<?xf64>, %[[W:[^:]*]]: tensor<?xf64>)
// CHECK-DAG: %[[X:.*]] = tam.normalize %[[U]], %[[Q]]
// CHECK-DAG: %[[O:.*]] = tam.offset
// CHECK-DAG: %[[C:.*]] = tam.category %[[X]]
// CHECK-DAG: %[[D:.*]] = tam.linear %[[X]] {scale = 4.0
// CHECK-NOT: tam.normalize
// CHECK-NOT: tam.linear %
// CHECK: %[[AB:.*]] = tam.linear_columns(%[[U]], %[[V]] : tensor<?xf64>, tensor<?xf64>) parameters(%[[Q]], %[[R]] : tensor<4xf64>, tensor<4xf64>) scales [1.000000e+00, 2.000000e+00] {extrapolate = [#tam.extrapolate<continue>, #tam.extrapolate<saturation>]} -> tensor<?x2xf64>
// CHECK: %[[P:.*]] = tam.penalty rows [0, 1] columns [0, 1] values [5.000000e-01, 2.500000e-01] : tensor<2x2xf64, #tam.coordinates<2>>
// CHECK: tam.normal_equations %[[ROWS]] designs(%[[O]], %[[AB]], %[[C]], %[[D]] : tensor<?x1xf64>, tensor<?x2xf64>, tensor<?x3xf64>, tensor<?x1xf64>)
// CHECK-SAME: y %[[Y]] weights %[[W]] : tensor<?xf64>
// CHECK-SAME: penalties(%{{.*}}, %[[P]], %{{.*}}, %{{.*}} : {{.*}}) : tensor<?xf64> -> tensor<7x7xf64>, tensor<7xf64>
// CHECK: tam.solve

// FEW-LABEL: func.func @fit(
// FEW-NOT: columns(
// FEW: tam.normal_equations
func.func @fit(%rows: index, %u: tensor<?xf64>, %t: tensor<?xf64>,
               %q: tensor<4xf64>, %r: tensor<4xf64>, %y: tensor<?xf64>,
               %w: tensor<?xf64>) -> tensor<7xf64> {
  %x = tam.normalize %u, %q : tensor<?xf64>, tensor<4xf64>
  %z = tam.normalize %t, %r : tensor<?xf64>, tensor<4xf64>
  %o = tam.offset %rows : tensor<?x1xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %z {scale = 2.0 : f64,
      extrapolate = #tam.extrapolate<saturation>}
      : tensor<?xf64> -> tensor<?x1xf64>
  %c = tam.category %x {levels = 3} : tensor<?xf64> -> tensor<?x3xf64>
  %d = tam.linear %x {scale = 4.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p0 = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [0] columns [0] values [0.5]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p2 = tam.penalty rows [0] columns [0] values [0.25]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %p3 = tam.penalty rows [0, 1, 2] columns [0, 1, 2] values [1.0, 1.0, 1.0]
      : tensor<3x3xf64, #tam.coordinates<3>>
  %p4 = tam.penalty rows [0] columns [0] values [0.125]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m, %v = tam.normal_equations %rows
      designs(%o, %a, %b, %c, %d : tensor<?x1xf64>, tensor<?x1xf64>,
              tensor<?x1xf64>, tensor<?x3xf64>, tensor<?x1xf64>)
      y %y weights %w : tensor<?xf64>
      penalties(%p0, %p1, %p2, %p3, %p4
          : tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<1x1xf64, #tam.coordinates<1>>,
            tensor<3x3xf64, #tam.coordinates<3>>,
            tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<7x7xf64>, tensor<7xf64>
  %s = tam.solve %m, %v : tensor<7x7xf64>, tensor<7xf64>
  return %s : tensor<7xf64>
}
