// Sums by levels have the weights of the sums that they replace. They are made
// only if all sums come before all users of sums.
//
// RUN: tam-opt %s --tam-compress-levels -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @weights_by_levels(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<?xf64> {tam.slot = #tam.slot<column, 2>}
// CHECK: %[[L:.*]] = tam.category
// CHECK: %[[PLAIN:.*]] = tam.rhs %[[L]], %{{.*}} into
// CHECK: %[[WEIGHTED:.*]] = tam.rhs %[[L]], %{{.*}} weights %[[W]]
// CHECK: tam.expand_levels %[[PLAIN]] rows
// CHECK: tam.expand_levels %[[WEIGHTED]] rows
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 4,
    rows_per_group = 6000, inputs = [
        <column = "h", rule = range,
         grid = <levels = 24, first = 0.0, step = 0.5>>]>} {
  func.func private @declared(tensor<?xf64>)
  func.func @weights(%h: tensor<?xf64> {tam.slot = #tam.slot<column>},
      %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
      %w: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
      %a: tensor<8x8xf64>) -> tensor<8xf64> {
    %x = tam.normalize %h, %p : tensor<?xf64>, tensor<4xf64>
    %f = tam.fourier %x {order = 2} : tensor<?xf64> -> tensor<?x4xf64>
    %z0 = tam.zeros : tensor<4xf64>
    %r0 = tam.rhs %f, %y into %z0 : tensor<?x4xf64>, tensor<?xf64>
        -> tensor<4xf64>
    %z1 = tam.zeros : tensor<4xf64>
    %r1 = tam.rhs %f, %y weights %w : tensor<?xf64> into %z1
        : tensor<?x4xf64>, tensor<?xf64> -> tensor<4xf64>
    %b = tam.normal_vector(%r0, %r1 : tensor<4xf64>, tensor<4xf64>)
        : tensor<8xf64>
    %s = tam.solve %a, %b {solver = #tam.solver<direct>} : tensor<8x8xf64>,
        tensor<8xf64>
    return %s : tensor<8xf64>
  }
}

// -----

// CHECK-LABEL: func.func @late(
// CHECK-NOT: by_levels
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 4,
    rows_per_group = 6000, inputs = [
        <column = "h", rule = range,
         grid = <levels = 24, first = 0.0, step = 0.5>>]>} {
  func.func @late(%h: tensor<?xf64> {tam.slot = #tam.slot<column>},
      %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
      %n: index) -> tensor<4xf64> {
    %x = tam.normalize %h, %p : tensor<?xf64>, tensor<4xf64>
    %f = tam.fourier %x {order = 2} : tensor<?xf64> -> tensor<?x4xf64>
    %z0 = tam.zeros : tensor<4xf64>
    %r0 = tam.rhs %f, %y into %z0 : tensor<?x4xf64>, tensor<?xf64>
        -> tensor<4xf64>
    %b = tam.normal_vector(%r0 : tensor<4xf64>) : tensor<4xf64>
    %z1 = tam.zeros : tensor<4x4xf64>
    %g = tam.gram %f, %f into %z1 : tensor<?x4xf64>, tensor<?x4xf64>
        -> tensor<4x4xf64>
    %q = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<4x4xf64, #tam.coordinates<1>>
    %a = tam.normal_matrix %n blocks(%g : tensor<4x4xf64>)
        penalties(%q : tensor<4x4xf64, #tam.coordinates<1>>) : tensor<4x4xf64>
    %s = tam.solve %a, %b {solver = #tam.solver<direct>} : tensor<4x4xf64>,
        tensor<4xf64>
    return %s : tensor<4xf64>
  }
}

// -----

// Nothing reads the sums, which start from others.
// CHECK-LABEL: func.func @started(
// CHECK-NOT: by_levels
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 4,
    rows_per_group = 6000, inputs = [
        <column = "h", rule = range,
         grid = <levels = 24, first = 0.0, step = 0.5>>]>} {
  func.func @started(%h: tensor<?xf64> {tam.slot = #tam.slot<column>},
      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
      %a: tensor<4x4xf64>, %b: tensor<4xf64>, %z: tensor<4xf64>)
      -> (tensor<4xf64>, tensor<4xf64>) {
    %x = tam.normalize %h, %p : tensor<?xf64>, tensor<4xf64>
    %f = tam.fourier %x {order = 2} : tensor<?xf64> -> tensor<?x4xf64>
    %r = tam.rhs %f, %h into %z : tensor<?x4xf64>, tensor<?xf64>
        -> tensor<4xf64>
    %s = tam.solve %a, %b {solver = #tam.solver<direct>} : tensor<4x4xf64>,
        tensor<4xf64>
    return %s, %r : tensor<4xf64>, tensor<4xf64>
  }
}

// -----

// The name that the copy would get is taken.
// CHECK-LABEL: func.func private @fit_by_levels()
// CHECK-NOT: tam.regrid
module attributes {tam.model = #tam.model<name = "m", target = "y", columns = 4,
    rows_per_group = 6000, inputs = [
        <column = "h", rule = range,
         grid = <levels = 24, first = 0.0, step = 0.5>>]>} {
  func.func private @fit_by_levels()
  func.func @fit(%h: tensor<?xf64> {tam.slot = #tam.slot<column>},
      %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
      %a: tensor<4x4xf64>) -> tensor<4xf64> {
    %x = tam.normalize %h, %p : tensor<?xf64>, tensor<4xf64>
    %f = tam.fourier %x {order = 2} : tensor<?xf64> -> tensor<?x4xf64>
    %z = tam.zeros : tensor<4xf64>
    %r = tam.rhs %f, %y into %z : tensor<?x4xf64>, tensor<?xf64>
        -> tensor<4xf64>
    %b = tam.normal_vector(%r : tensor<4xf64>) : tensor<4xf64>
    %s = tam.solve %a, %b {solver = #tam.solver<direct>} : tensor<4x4xf64>,
        tensor<4xf64>
    return %s : tensor<4xf64>
  }
}
