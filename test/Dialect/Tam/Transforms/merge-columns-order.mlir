// The target may be defined after the penalties, and effects may share their
// matrix and their penalty.
//
// RUN: tam-opt %s --tam-merge-columns=least=2 | FileCheck %s

// CHECK-LABEL: func.func @late_target(
// CHECK: tam.slice
// CHECK: %[[C:.*]] = tam.linear_columns
// CHECK: tam.normal_equations %{{.*}} designs(%[[C]] :
func.func @late_target(%rows: index, %v: tensor<?xf64>, %w: tensor<?xf64>,
                       %q: tensor<4xf64>, %points: tensor<?x2xf64>)
    -> tensor<2xf64> {
  %x = tam.normalize %v, %q : tensor<?xf64>, tensor<4xf64>
  %u = tam.normalize %w, %q : tensor<?xf64>, tensor<4xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %u {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %y = tam.slice %points[0] : tensor<?x2xf64> -> tensor<?xf64>
  %m, %n = tam.normal_equations %rows
      designs(%a, %b : tensor<?x1xf64>, tensor<?x1xf64>) y %y
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
  %s = tam.solve %m, %n : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}

// Modes are not written where all continue.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %{{.*}}: index, %[[V:[^:]*]]: tensor<?xf64>,
// CHECK-NOT: tam.linear %
// CHECK: %[[C:.*]] = tam.linear_columns(%[[V]], %[[V]] : {{.*}} scales [1.000000e+00, 1.000000e+00] -> tensor<?x2xf64>
// CHECK: tam.normal_equations %{{.*}} designs(%[[C]] :
func.func @shared(%rows: index, %v: tensor<?xf64>, %q: tensor<4xf64>,
                  %y: tensor<?xf64>) -> tensor<2xf64> {
  %x = tam.normalize %v, %q : tensor<?xf64>, tensor<4xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m, %n = tam.normal_equations %rows
      designs(%a, %a : tensor<?x1xf64>, tensor<?x1xf64>) y %y
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
  %s = tam.solve %m, %n : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}

// A term of something else than an input's normalised values stays as it is.
// CHECK-LABEL: func.func @as_they_are(
// CHECK-COUNT-2: tam.linear %
// CHECK-NOT: columns(
func.func @as_they_are(%rows: index, %v: tensor<?xf64>, %q: tensor<4xf64>,
                       %y: tensor<?xf64>) -> tensor<2xf64> {
  %x = tam.normalize %v, %q : tensor<?xf64>, tensor<4xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %v {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m, %n = tam.normal_equations %rows
      designs(%a, %b : tensor<?x1xf64>, tensor<?x1xf64>) y %y
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
  %s = tam.solve %m, %n : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}

// Sums that are written are not merged: they may start from those of earlier
// rows.
// CHECK-LABEL: func.func @started(
// CHECK-NOT: columns(
func.func @started(%rows: index, %v0: tensor<?xf64>, %q: tensor<4xf64>,
                   %y: tensor<?xf64>, %z: tensor<1xf64>) -> tensor<2xf64> {
  %x = tam.normalize %v0, %q : tensor<?xf64>, tensor<4xf64>
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<1x1xf64>
  %aa = tam.gram %a, %a into %z_aa : tensor<?x1xf64>, tensor<?x1xf64>
      -> tensor<1x1xf64>
  %m = tam.normal_matrix %rows
      blocks(%aa, %aa, %aa : tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
  %ay = tam.rhs %a, %y into %z : tensor<?x1xf64>, tensor<?xf64>
      -> tensor<1xf64>
  %v = tam.normal_vector(%ay, %ay : tensor<1xf64>, tensor<1xf64>) : tensor<2xf64>
  %s = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}
