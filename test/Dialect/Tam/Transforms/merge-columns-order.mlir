// The target may be defined after the penalties, and effects may share their
// matrix and their penalty.
//
// RUN: tam-opt %s --tam-merge-columns=least=2 | FileCheck %s

// CHECK-LABEL: func.func @late_target(
// CHECK: tam.slice
// CHECK: %[[C:.*]] = tam.columns
// CHECK: tam.normal_equations %{{.*}} designs(%[[C]] :
func.func @late_target(%rows: index, %x: tensor<?xf64>, %u: tensor<?xf64>,
                       %points: tensor<?x2xf64>) -> tensor<2xf64> {
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %u {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %y = tam.slice %points[0] : tensor<?x2xf64> -> tensor<?xf64>
  %m, %v = tam.normal_equations %rows
      designs(%a, %b : tensor<?x1xf64>, tensor<?x1xf64>) y %y
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
  %s = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}

// CHECK-LABEL: func.func @shared(
// CHECK: %[[A:.*]] = tam.linear
// CHECK: %[[C:.*]] = tam.columns(%[[A]], %[[A]] :
// CHECK: tam.normal_equations %{{.*}} designs(%[[C]] :
func.func @shared(%rows: index, %x: tensor<?xf64>, %y: tensor<?xf64>)
    -> tensor<2xf64> {
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m, %v = tam.normal_equations %rows
      designs(%a, %a : tensor<?x1xf64>, tensor<?x1xf64>) y %y
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<2x2xf64>, tensor<2xf64>
  %s = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}

// Sums that are written are not merged: they may start from those of earlier
// rows.
// CHECK-LABEL: func.func @started(
// CHECK-NOT: tam.columns
func.func @started(%rows: index, %x: tensor<?xf64>, %y: tensor<?xf64>,
                   %z: tensor<1xf64>) -> tensor<2xf64> {
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
