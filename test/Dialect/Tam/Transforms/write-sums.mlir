// The sums of normal equations: of each effect those with itself and the later
// effects, then that with the target. They have the effect's location.
//
// RUN: tam-opt %s --tam-write-sums | FileCheck %s
// RUN: tam-opt %s --tam-write-sums --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=PLACES

// CHECK-LABEL: func.func @fit(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[A:[^:]*]]: tensor<?x1xf64>, %[[B:[^:]*]]: tensor<?x5xf64>, %[[Y:[^:]*]]: tensor<?xf64>, %[[W:[^:]*]]: tensor<?xf64>)
// CHECK: %[[P:.*]] = tam.penalty
// CHECK: %[[Q:.*]] = tam.penalty
// CHECK-NEXT: %[[Z:.*]] = tam.zeros : tensor<1x1xf64>
// CHECK-NEXT: %[[AA:.*]] = tam.gram %[[A]], %[[A]] weights %[[W]] : tensor<?xf64> into %[[Z]] : tensor<?x1xf64>, tensor<?x1xf64> -> tensor<1x1xf64>
// CHECK-NEXT: %[[Z:.*]] = tam.zeros : tensor<1x5xf64>
// CHECK-NEXT: %[[AB:.*]] = tam.gram %[[A]], %[[B]] weights %[[W]] : tensor<?xf64> into %[[Z]] : tensor<?x1xf64>, tensor<?x5xf64> -> tensor<1x5xf64>
// CHECK-NEXT: %[[Z:.*]] = tam.zeros : tensor<1xf64>
// CHECK-NEXT: %[[AY:.*]] = tam.rhs %[[A]], %[[Y]] weights %[[W]] : tensor<?xf64> into %[[Z]] : tensor<?x1xf64>, tensor<?xf64> -> tensor<1xf64>
// CHECK-NEXT: %[[Z:.*]] = tam.zeros : tensor<5x5xf64>
// CHECK-NEXT: %[[BB:.*]] = tam.gram %[[B]], %[[B]] weights %[[W]] : tensor<?xf64> into %[[Z]] : tensor<?x5xf64>, tensor<?x5xf64> -> tensor<5x5xf64>
// CHECK-NEXT: %[[Z:.*]] = tam.zeros : tensor<5xf64>
// CHECK-NEXT: %[[BY:.*]] = tam.rhs %[[B]], %[[Y]] weights %[[W]] : tensor<?xf64> into %[[Z]] : tensor<?x5xf64>, tensor<?xf64> -> tensor<5xf64>
// CHECK-NEXT: %[[M:.*]] = tam.normal_matrix %[[N]] blocks(%[[AA]], %[[AB]], %[[BB]] : tensor<1x1xf64>, tensor<1x5xf64>, tensor<5x5xf64>) penalties(%[[P]], %[[Q]] : tensor<1x1xf64, #tam.coordinates<1>>, tensor<5x5xf64, #tam.coordinates<2>>) : tensor<6x6xf64>
// CHECK-NEXT: %[[V:.*]] = tam.normal_vector(%[[AY]], %[[BY]] : tensor<1xf64>, tensor<5xf64>) : tensor<6xf64>
// CHECK-NEXT: tam.solve %[[M]], %[[V]]

// PLACES: tam.zeros : tensor<1x1xf64> loc("a")
// PLACES: tam.gram {{.*}} -> tensor<1x1xf64> loc("a")
// PLACES: tam.gram {{.*}} -> tensor<1x5xf64> loc("a")
// PLACES: tam.rhs {{.*}} -> tensor<1xf64> loc("a")
// PLACES: tam.gram {{.*}} -> tensor<5x5xf64> loc("b")
// PLACES: tam.rhs {{.*}} -> tensor<5xf64> loc("b")
// PLACES: tam.normal_matrix {{.*}} : tensor<6x6xf64> loc("formula")
// PLACES: tam.normal_vector({{.*}} : tensor<6xf64> loc("formula")
func.func @fit(%n: index, %a: tensor<?x1xf64> loc("a"),
               %b: tensor<?x5xf64> loc("b"), %y: tensor<?xf64>,
               %w: tensor<?xf64>) -> tensor<6xf64> {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %q = tam.penalty rows [0, 1] columns [0, 0] values [2.0, -1.0]
      : tensor<5x5xf64, #tam.coordinates<2>>
  %m, %v = tam.normal_equations %n
      designs(%a, %b : tensor<?x1xf64>, tensor<?x5xf64>)
      y %y weights %w : tensor<?xf64>
      penalties(%p, %q : tensor<1x1xf64, #tam.coordinates<1>>,
                tensor<5x5xf64, #tam.coordinates<2>>)
      : tensor<?xf64> -> tensor<6x6xf64>, tensor<6xf64> loc("formula")
  %x = tam.solve %m, %v : tensor<6x6xf64>, tensor<6xf64>
  return %x : tensor<6xf64>
}

// Without weights.
// CHECK-LABEL: func.func @plain(
// CHECK: tam.gram %[[A:.*]], %[[A]] into
// CHECK: tam.rhs %[[A]], %{{[^ ]*}} into
func.func @plain(%n: index, %a: tensor<?x1xf64>, %y: tensor<?xf64>)
    -> tensor<1xf64> {
  %p = tam.penalty rows [0] columns [0] values [1.0]
      : tensor<1x1xf64, #tam.coordinates<1>>
  %m, %v = tam.normal_equations %n designs(%a : tensor<?x1xf64>) y %y
      penalties(%p : tensor<1x1xf64, #tam.coordinates<1>>)
      : tensor<?xf64> -> tensor<1x1xf64>, tensor<1xf64>
  %x = tam.solve %m, %v : tensor<1x1xf64>, tensor<1xf64>
  return %x : tensor<1xf64>
}
