// If a profile has columns with few, evenly spaced values, the fit gets a copy
// that sums by their levels.
//
// RUN: tam-opt %s --tam-compress-levels -split-input-file | FileCheck %s
// RUN: tam-opt %s --tam-compress-levels --tam-choose-encodings --tam-share-sums --tam-choose-layouts -split-input-file | FileCheck %s --check-prefix=LAYOUT
// RUN: tam-opt %s --tam-compress-levels=rows-per-level=0 -split-input-file | FileCheck %s --check-prefix=NONE
// RUN: tam-opt %s --tam-compress-levels=rows-per-level=26 -split-input-file | FileCheck %s --check-prefix=FEW
// RUN: sed -e 's/600/1000000/' -e 's/<levels = 24,/<levels = 9000,/' %s | tam-opt --tam-compress-levels | FileCheck %s --check-prefix=MANY
// RUN: sed -e 's/600/1000000/' -e 's/<levels = 24,/<levels = 9500,/' %s | tam-opt --tam-compress-levels | FileCheck %s --check-prefix=NONE

// The sums of the levels with 14 columns must not be too large.
// MANY: func.func @fit_by_levels(

// The model lists these inputs.
// CHECK: module attributes {tam.by_levels = #tam.variant<by_levels = [0]>
// CHECK-LABEL: func.func @fit(
// CHECK-NOT: tam.category
// CHECK-LABEL: func.func @fit_by_levels(
// CHECK-SAME: attributes {tam.by_levels}
// CHECK: %[[Y:.*]] = tam.normalize %[[HOUR:.*]], %[[P:.*]] :
// CHECK: %[[AT:.*]] = tam.regrid %[[Y]], %[[P]] {levels = 24 : i64, step = 5.000000e-01 : f64}
// CHECK: %[[L:.*]] = tam.category %[[AT]] {levels = 24 : i64} : tensor<?xf64> -> tensor<?x24xf64>
// CHECK-NOT: tam.fourier %[[Y]]
// CHECK: %[[T:.*]] = tam.bspline
// The sums of two maps of one column follow from the row counts of the levels.
// The sums with another effect are computed once.
// CHECK: %[[LL:.*]] = tam.gram %[[L]], %[[L]] weights
// CHECK: %[[LT:.*]] = tam.gram %[[L]], %[[T]] weights
// CHECK: %[[LY:.*]] = tam.rhs %[[L]]
// CHECK-NOT: tam.gram %[[L]]
// CHECK: tam.gram %[[T]], %[[T]]
// CHECK: tam.rhs %[[T]]
// CHECK: %[[POINTS:.*]] = tam.grid_points %[[P]] {step = 5.000000e-01 : f64} : tensor<4xf64> -> tensor<24xf64>
// CHECK: %[[F:.*]] = tam.fourier %[[POINTS]] {{.*}} -> tensor<24x4xf64, #tam.dense>
// CHECK: tam.expand_levels %[[LL]] rows %[[F]] columns %[[F]]
// CHECK: %[[S:.*]] = tam.bspline %[[POINTS]], %[[P]] {{.*}} -> tensor<24x5xf64, #tam.dense>
// CHECK: tam.expand_levels %[[LL]] rows %[[F]] columns %[[S]]
// CHECK: tam.expand_levels %[[LT]] rows %[[F]] :
// CHECK: tam.expand_levels %[[LY]] rows %[[F]] :
// CHECK: tam.expand_levels %[[LL]] rows %[[S]] columns %[[S]]
// CHECK: tam.expand_levels %[[LT]] rows %[[S]] :
// CHECK: tam.expand_levels %[[LY]] rows %[[S]] :
// CHECK: tam.normal_matrix

// LAYOUT-LABEL: func.func @fit_by_levels(
// LAYOUT: tam.expand_levels {{.*}} : tensor<24x24xf64, #tam.sums<diagonal>> {{.*}} -> tensor<4x4xf64, #tam.sums<upper>>
// LAYOUT: tam.expand_levels {{.*}} : tensor<24x24xf64, #tam.sums<diagonal>> {{.*}} -> tensor<4x5xf64, #tam.sums<full>>
// LAYOUT: tam.expand_levels {{.*}} : tensor<24x5xf64, #tam.sums<transposed_panels, 4>> {{.*}} -> tensor<4x5xf64, #tam.sums<transposed_panels, 4>>

// NONE-NOT: by_levels
// FEW-NOT: by_levels
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 14, rows_per_group = 600, inputs = [
        <column = "hour", rule = range,
         grid = <levels = 24, first = 0.0, step = 0.5>>,
        <column = "temperature", rule = range>]>} {
  func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
      %hour: tensor<?xf64> {tam.slot = #tam.slot<column>},
      %t: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
      %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
      %q: tensor<4xf64> {tam.slot = #tam.slot<parameters, 32>},
      %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
      %w: tensor<?xf64> {tam.slot = #tam.slot<column, 3>})
      -> (tensor<14xf64> {tam.slot = #tam.slot<output>}) {
    %x = tam.normalize %hour, %p : tensor<?xf64>, tensor<4xf64>
    %f = tam.fourier %x {order = 2, cyclic} : tensor<?xf64> -> tensor<?x4xf64>
    %s = tam.bspline %x, %p {intervals = 2, degree = 3}
        : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64>
    %z = tam.normalize %t, %q : tensor<?xf64>, tensor<4xf64>
    %u = tam.bspline %z, %q {intervals = 2, degree = 3}
        : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64>
    %0 = tam.zeros : tensor<4x4xf64>
    %ff = tam.gram %f, %f weights %w : tensor<?xf64> into %0
        : tensor<?x4xf64>, tensor<?x4xf64> -> tensor<4x4xf64>
    %1 = tam.zeros : tensor<4x5xf64>
    %fs = tam.gram %f, %s weights %w : tensor<?xf64> into %1
        : tensor<?x4xf64>, tensor<?x5xf64> -> tensor<4x5xf64>
    %2 = tam.zeros : tensor<4x5xf64>
    %fu = tam.gram %f, %u weights %w : tensor<?xf64> into %2
        : tensor<?x4xf64>, tensor<?x5xf64> -> tensor<4x5xf64>
    %3 = tam.zeros : tensor<4xf64>
    %fy = tam.rhs %f, %y weights %w : tensor<?xf64> into %3
        : tensor<?x4xf64>, tensor<?xf64> -> tensor<4xf64>
    %4 = tam.zeros : tensor<5x5xf64>
    %ss = tam.gram %s, %s weights %w : tensor<?xf64> into %4
        : tensor<?x5xf64>, tensor<?x5xf64> -> tensor<5x5xf64>
    %5 = tam.zeros : tensor<5x5xf64>
    %su = tam.gram %s, %u weights %w : tensor<?xf64> into %5
        : tensor<?x5xf64>, tensor<?x5xf64> -> tensor<5x5xf64>
    %6 = tam.zeros : tensor<5xf64>
    %sy = tam.rhs %s, %y weights %w : tensor<?xf64> into %6
        : tensor<?x5xf64>, tensor<?xf64> -> tensor<5xf64>
    %7 = tam.zeros : tensor<5x5xf64>
    %uu = tam.gram %u, %u weights %w : tensor<?xf64> into %7
        : tensor<?x5xf64>, tensor<?x5xf64> -> tensor<5x5xf64>
    %8 = tam.zeros : tensor<5xf64>
    %uy = tam.rhs %u, %y weights %w : tensor<?xf64> into %8
        : tensor<?x5xf64>, tensor<?xf64> -> tensor<5xf64>
    %pf = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<4x4xf64, #tam.coordinates<1>>
    %ps = tam.penalty rows [0] columns [0] values [1.0]
        : tensor<5x5xf64, #tam.coordinates<1>>
    %m = tam.normal_matrix %rows
        blocks(%ff, %fs, %fu, %ss, %su, %uu : tensor<4x4xf64>,
            tensor<4x5xf64>, tensor<4x5xf64>, tensor<5x5xf64>,
            tensor<5x5xf64>, tensor<5x5xf64>)
        penalties(%pf, %ps, %ps : tensor<4x4xf64, #tam.coordinates<1>>,
            tensor<5x5xf64, #tam.coordinates<1>>,
            tensor<5x5xf64, #tam.coordinates<1>>) : tensor<14x14xf64>
    %v = tam.normal_vector(%fy, %sy, %uy : tensor<4xf64>, tensor<5xf64>,
        tensor<5xf64>) : tensor<14xf64>
    %beta = tam.solve %m, %v {solver = #tam.solver<direct>}
        : tensor<14x14xf64>, tensor<14xf64>
    return %beta : tensor<14xf64>
  }
}
