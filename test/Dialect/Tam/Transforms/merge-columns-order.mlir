// The target may be defined after the matrix, and effects may share their sums
// and their penalty.
//
// RUN: tam-opt %s --tam-merge-columns=least=2 | FileCheck %s

// CHECK-LABEL: func.func @late_target(
// CHECK: tam.slice
// CHECK: tam.columns
// CHECK: tam.solve
func.func @late_target(%rows: index, %x: tensor<?xf64>, %u: tensor<?xf64>,
                       %points: tensor<?x2xf64>) -> tensor<2xf64> {
  %a = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %b = tam.linear %u {scale = 1.0 : f64} : tensor<?xf64> -> tensor<?x1xf64>
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<1x1xf64>
  %aa = tam.gram %a, %a into %z_aa : tensor<?x1xf64>, tensor<?x1xf64>
      -> tensor<1x1xf64>
  %z_ab = tam.zeros : tensor<1x1xf64>
  %ab = tam.gram %a, %b into %z_ab : tensor<?x1xf64>, tensor<?x1xf64>
      -> tensor<1x1xf64>
  %z_bb = tam.zeros : tensor<1x1xf64>
  %bb = tam.gram %b, %b into %z_bb : tensor<?x1xf64>, tensor<?x1xf64>
      -> tensor<1x1xf64>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %bb : tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>)
      penalties(%p, %p : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<1x1xf64, #tam.coordinates<1>>) : tensor<2x2xf64>
  %y = tam.slice %points[0] : tensor<?x2xf64> -> tensor<?xf64>
  %z_ay = tam.zeros : tensor<1xf64>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x1xf64>, tensor<?xf64>
      -> tensor<1xf64>
  %z_by = tam.zeros : tensor<1xf64>
  %by = tam.rhs %b, %y into %z_by : tensor<?x1xf64>, tensor<?xf64>
      -> tensor<1xf64>
  %v = tam.normal_vector(%ay, %by : tensor<1xf64>, tensor<1xf64>) : tensor<2xf64>
  %s = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}

// CHECK-LABEL: func.func @shared(
// CHECK: tam.columns
// CHECK: tam.solve
func.func @shared(%rows: index, %x: tensor<?xf64>, %y: tensor<?xf64>)
    -> tensor<2xf64> {
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
  %z_ay = tam.zeros : tensor<1xf64>
  %ay = tam.rhs %a, %y into %z_ay : tensor<?x1xf64>, tensor<?xf64>
      -> tensor<1xf64>
  %v = tam.normal_vector(%ay, %ay : tensor<1xf64>, tensor<1xf64>) : tensor<2xf64>
  %s = tam.solve %m, %v : tensor<2x2xf64>, tensor<2xf64>
  return %s : tensor<2xf64>
}

// Sums of earlier rows come as an argument.
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
