// Sums that follow from others are derived from them: those with the intercept,
// and those of categories with few levels together. A pair of categories is
// visited from both sides and replaced once.
//
// RUN: tam-opt %s --tam-share-sums -split-input-file | FileCheck %s
// RUN: tam-opt %s --tam-share-sums --tam-choose-layouts -split-input-file | FileCheck %s --check-prefix=LAYOUT

// CHECK-LABEL: func.func @fit(
// CHECK: %[[O:.*]] = tam.offset
// CHECK: %[[A:.*]] = tam.bspline
// CHECK: %[[D:.*]] = tam.category %{{.*}} {levels = 3 : i64}
// CHECK: %[[E:.*]] = tam.category %{{.*}} {levels = 2 : i64}
// CHECK-NOT: tam.gram %[[O]], %[[A]]
// CHECK-NOT: tam.gram %[[D]]
// CHECK: %[[AA:.*]] = tam.gram %[[A]], %[[A]]
// CHECK-NOT: tam.gram %[[E]]
// CHECK: %[[DE:.*]] = tam.kronecker %[[D]], %[[E]]
// CHECK-SAME: -> tensor<?x6xf64, #tam.sparse<1>>
// CHECK: %[[SELF:.*]] = tam.gram %[[DE]], %[[DE]]
// CHECK: %[[Y:.*]] = tam.rhs %[[DE]]
// CHECK: %[[YD:.*]] = tam.marginal %[[Y]] rows [3, 2] keep [0] columns [] keep []
// The intercept comes before the category, the spline too.
// CHECK: %[[OD:.*]] = tam.marginal %[[SELF]] transposed rows [3, 2] keep [0] columns [3, 2] keep []
// CHECK-SAME: -> tensor<1x3xf64, #tam.sums<full>>
// CHECK: %[[DEA:.*]] = tam.gram %[[DE]], %[[A]]
// CHECK: %[[AD:.*]] = tam.marginal %[[DEA]] transposed rows [3, 2] keep [0] columns [5] keep [0]
// CHECK-SAME: -> tensor<5x3xf64, #tam.sums<full>>
// CHECK: tam.marginal %[[SELF]] rows [3, 2] keep [0] columns [3, 2] keep [0]
// CHECK-SAME: -> tensor<3x3xf64, #tam.sums<diagonal>>
// CHECK: tam.marginal %[[SELF]] rows [3, 2] keep [0] columns [3, 2] keep [1]
// CHECK-SAME: -> tensor<3x2xf64, #tam.sums<full>>
// CHECK: tam.marginal %[[Y]] rows [3, 2] keep [1] columns [] keep []
// CHECK: tam.marginal %[[SELF]] transposed rows [3, 2] keep [1] columns [3, 2] keep []
// CHECK: tam.marginal %[[DEA]] transposed rows [3, 2] keep [1] columns [5] keep [0]
// CHECK: tam.marginal %[[SELF]] rows [3, 2] keep [1] columns [3, 2] keep [1]
// The sums of the intercept with a cubic spline equal the sums over all levels.
// CHECK: tam.marginal %[[DEA]] rows [6] keep [] columns [5] keep [0]
// CHECK-SAME: -> tensor<1x5xf64, #tam.sums<full>>

// A marginal that keeps all factors of the side along the panels has panels
// itself.
// LAYOUT-LABEL: func.func @fit(
// LAYOUT: tam.gram %[[A:.*]], %[[A]] into {{.*}} -> tensor<5x5xf64, #tam.sums<cubic_panels, 4>>
// LAYOUT: tam.marginal {{.*}} transposed rows [3, 2] keep [0] columns [5] keep [0] : tensor<6x5xf64, #tam.sums<transposed_panels, 4>> -> tensor<5x3xf64, #tam.sums<panels, 4>>
// LAYOUT: tam.marginal {{.*}} rows [3, 2] keep [0] columns [3, 2] keep [0] : tensor<6x6xf64, #tam.sums<upper_panels, 1 of 3, 1 of 2>> -> tensor<3x3xf64, #tam.sums<diagonal>>
// LAYOUT: tam.marginal {{.*}} rows [6] keep [] columns [5] keep [0] : tensor<6x5xf64, #tam.sums<transposed_panels, 4>> -> tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
func.func @fit(%rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %u: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 2>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>})
    -> tensor<11x11xf64> {
  %o = tam.offset %rows : tensor<?x1xf64, #tam.dense>
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %d = tam.category %u {levels = 3} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %e = tam.category %v {levels = 2} : tensor<?xf64>
      -> tensor<?x2xf64, #tam.one_hot>
  %zoo = tam.zeros : tensor<1x1xf64, #tam.sums<upper>>
  %oo = tam.gram %o, %o into %zoo : tensor<?x1xf64, #tam.dense>,
      tensor<?x1xf64, #tam.dense> -> tensor<1x1xf64, #tam.sums<upper>>
  %zoa = tam.zeros : tensor<1x5xf64, #tam.sums<transposed>>
  %oa = tam.gram %o, %a into %zoa : tensor<?x1xf64, #tam.dense>,
      tensor<?x5xf64, #tam.banded<4>>
      -> tensor<1x5xf64, #tam.sums<transposed>>
  %zod = tam.zeros : tensor<1x3xf64, #tam.sums<transposed>>
  %od = tam.gram %o, %d into %zod : tensor<?x1xf64, #tam.dense>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<1x3xf64, #tam.sums<transposed>>
  %zoe = tam.zeros : tensor<1x2xf64, #tam.sums<transposed>>
  %oe = tam.gram %o, %e into %zoe : tensor<?x1xf64, #tam.dense>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<1x2xf64, #tam.sums<transposed>>
  %zaa = tam.zeros : tensor<5x5xf64, #tam.sums<upper>>
  %aa = tam.gram %a, %a into %zaa : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<upper>>
  %zad = tam.zeros : tensor<5x3xf64, #tam.sums<transposed>>
  %ad = tam.gram %a, %d into %zad : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<5x3xf64, #tam.sums<transposed>>
  %zae = tam.zeros : tensor<5x2xf64, #tam.sums<transposed>>
  %ae = tam.gram %a, %e into %zae : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<5x2xf64, #tam.sums<transposed>>
  %zdd = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %dd = tam.gram %d, %d into %zdd : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x3xf64, #tam.one_hot> -> tensor<3x3xf64, #tam.sums<diagonal>>
  %zde = tam.zeros : tensor<3x2xf64, #tam.sums<full>>
  %de = tam.gram %d, %e into %zde : tensor<?x3xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<3x2xf64, #tam.sums<full>>
  %zee = tam.zeros : tensor<2x2xf64, #tam.sums<diagonal>>
  %ee = tam.gram %e, %e into %zee : tensor<?x2xf64, #tam.one_hot>,
      tensor<?x2xf64, #tam.one_hot> -> tensor<2x2xf64, #tam.sums<diagonal>>
  %zd = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %yd = tam.rhs %d, %y into %zd : tensor<?x3xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<3xf64, #tam.sums<full>>
  %ze = tam.zeros : tensor<2xf64, #tam.sums<full>>
  %ye = tam.rhs %e, %y into %ze : tensor<?x2xf64, #tam.one_hot>,
      tensor<?xf64> -> tensor<2xf64, #tam.sums<full>>
  %p0 = tam.penalty rows [0] columns [0] values [0.0] : tensor<1x1xf64, #tam.coordinates<1>>
  %p1 = tam.penalty rows [0] columns [0] values [0.0] : tensor<5x5xf64, #tam.coordinates<1>>
  %p2 = tam.penalty rows [0] columns [0] values [0.0] : tensor<3x3xf64, #tam.coordinates<1>>
  %p3 = tam.penalty rows [0] columns [0] values [0.0] : tensor<2x2xf64, #tam.coordinates<1>>
  %m = tam.normal_matrix %rows
      blocks(%oo, %oa, %od, %oe, %aa, %ad, %ae, %dd, %de, %ee
        : tensor<1x1xf64, #tam.sums<upper>>,
          tensor<1x5xf64, #tam.sums<transposed>>,
          tensor<1x3xf64, #tam.sums<transposed>>,
          tensor<1x2xf64, #tam.sums<transposed>>,
          tensor<5x5xf64, #tam.sums<upper>>,
          tensor<5x3xf64, #tam.sums<transposed>>,
          tensor<5x2xf64, #tam.sums<transposed>>,
          tensor<3x3xf64, #tam.sums<diagonal>>,
          tensor<3x2xf64, #tam.sums<full>>,
          tensor<2x2xf64, #tam.sums<diagonal>>)
      penalties(%p0, %p1, %p2, %p3 : tensor<1x1xf64, #tam.coordinates<1>>,
          tensor<5x5xf64, #tam.coordinates<1>>,
          tensor<3x3xf64, #tam.coordinates<1>>,
          tensor<2x2xf64, #tam.coordinates<1>>) : tensor<11x11xf64>
  return %m : tensor<11x11xf64>
}
