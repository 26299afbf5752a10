// Neighbouring splines whose sums are apart become bands. Without a loop they
// become a sparse matrix, whose sums with a category lie along the bands.
//
// RUN: sed -e 's/ into %z_[a-z]*$/& {tam.apart}/' %s \
// RUN:   | tam-opt --tam-merge-apart=least=2 | FileCheck %s
// RUN: tam-opt %s --tam-merge-apart=least=2 | FileCheck %s --check-prefix=LOOP
// RUN: tam-opt %s --tam-merge-apart="least=2 loops=false" \
// RUN:   | FileCheck %s --check-prefix=SPARSE
// RUN: sed -e '1i module attributes {tam.target = #tam.target<"device">} {' \
// RUN:     -e '$a }' %s \
// RUN:   | tam-opt --tam-merge-apart=least=2 \
// RUN:   | FileCheck %s --check-prefix=SPARSE
//
// Bands of another width are no neighbours.
// RUN: sed -e 's/ into %z_[a-z]*$/& {tam.apart}/' \
// RUN:     -e 's/intervals = 1, degree = 3/intervals = 2, degree = 2/' \
// RUN:     -e 's/x4xf64, #tam.banded<4>/x4xf64, #tam.banded<3>/g' %s \
// RUN:   | tam-opt --tam-merge-apart=least=2 \
// RUN:   | FileCheck %s --check-prefix=WIDTHS

// LOOP-NOT: tam.columns

// WIDTHS: tam.apart
// WIDTHS-NOT: tam.columns

// CHECK-LABEL: func.func @fit(
// CHECK: %[[C:.*]] = tam.category
// CHECK-NOT: tam.convert
// CHECK: %[[AB:.*]] = tam.columns({{.*}} -> tensor<?x9xf64, #tam.bands<4, 2>>
// CHECK: tam.gram %[[AB]], %[[AB]] into %{{.*}} {tam.apart} : {{.*}} -> tensor<9x9xf64, #tam.sums<upper>>
// CHECK: tam.gram %[[AB]], %[[C]] into %{{.*}} {tam.apart} : {{.*}} -> tensor<9x3xf64, #tam.sums<transposed>>
// CHECK: tam.rhs %[[AB]], %{{.*}} into %{{.*}} {tam.apart}

// SPARSE-LABEL: func.func @fit(
// SPARSE-DAG: %[[AB:.*]] = tam.columns({{.*}} -> tensor<?x9xf64, #tam.sparse<8>>
// SPARSE-DAG: %[[C:.*]] = tam.convert %{{.*}} : tensor<?x3xf64, #tam.one_hot> -> tensor<?x3xf64, #tam.sparse<1>>
// SPARSE: tam.gram %[[AB]], %[[AB]] into {{.*}} -> tensor<9x9xf64, #tam.sums<upper>>
// SPARSE: tam.gram %[[AB]], %[[C]] into {{.*}} -> tensor<9x3xf64, #tam.sums<transposed>>
func.func @fit(%rows: index, %u: tensor<?xf64>, %v: tensor<?xf64>,
               %w: tensor<?xf64>, %p: tensor<4xf64>, %y: tensor<?xf64>)
    -> tensor<12xf64> {
  %a = tam.bspline %u, %p {intervals = 2, degree = 3} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  %b = tam.bspline %v, %p {intervals = 1, degree = 3} : tensor<?xf64>,
      tensor<4xf64> -> tensor<?x4xf64, #tam.banded<4>>
  %c = tam.category %w {levels = 3 : i64} : tensor<?xf64>
      -> tensor<?x3xf64, #tam.one_hot>
  %p_a = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<5x5xf64, #tam.coordinates<1>>
  %p_b = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<4x4xf64, #tam.coordinates<1>>
  %p_c = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<5x5xf64, #tam.sums<upper>>
  %aa = tam.gram %a, %a into %z_aa
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?x5xf64, #tam.banded<4>>
      -> tensor<5x5xf64, #tam.sums<upper>>
  %z_ab = tam.zeros : tensor<5x4xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b into %z_ab
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?x4xf64, #tam.banded<4>>
      -> tensor<5x4xf64, #tam.sums<full>>
  %z_ac = tam.zeros : tensor<5x3xf64, #tam.sums<transposed>>
  %ac = tam.gram %a, %c into %z_ac
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?x3xf64, #tam.one_hot>
      -> tensor<5x3xf64, #tam.sums<transposed>>
  %z_bb = tam.zeros : tensor<4x4xf64, #tam.sums<upper>>
  %bb = tam.gram %b, %b into %z_bb
      : tensor<?x4xf64, #tam.banded<4>>, tensor<?x4xf64, #tam.banded<4>>
      -> tensor<4x4xf64, #tam.sums<upper>>
  %z_bc = tam.zeros : tensor<4x3xf64, #tam.sums<transposed>>
  %bc = tam.gram %b, %c into %z_bc
      : tensor<?x4xf64, #tam.banded<4>>, tensor<?x3xf64, #tam.one_hot>
      -> tensor<4x3xf64, #tam.sums<transposed>>
  %z_cc = tam.zeros : tensor<3x3xf64, #tam.sums<diagonal>>
  %cc = tam.gram %c, %c into %z_cc
      : tensor<?x3xf64, #tam.one_hot>, tensor<?x3xf64, #tam.one_hot>
      -> tensor<3x3xf64, #tam.sums<diagonal>>
  %z_ay = tam.zeros : tensor<5xf64, #tam.sums<full>>
  %ay = tam.rhs %a, %y into %z_ay
      : tensor<?x5xf64, #tam.banded<4>>, tensor<?xf64>
      -> tensor<5xf64, #tam.sums<full>>
  %z_by = tam.zeros : tensor<4xf64, #tam.sums<full>>
  %by = tam.rhs %b, %y into %z_by
      : tensor<?x4xf64, #tam.banded<4>>, tensor<?xf64>
      -> tensor<4xf64, #tam.sums<full>>
  %z_cy = tam.zeros : tensor<3xf64, #tam.sums<full>>
  %cy = tam.rhs %c, %y into %z_cy
      : tensor<?x3xf64, #tam.one_hot>, tensor<?xf64>
      -> tensor<3xf64, #tam.sums<full>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %ac, %bb, %bc, %cc :
          tensor<5x5xf64, #tam.sums<upper>>,
          tensor<5x4xf64, #tam.sums<full>>,
          tensor<5x3xf64, #tam.sums<transposed>>,
          tensor<4x4xf64, #tam.sums<upper>>,
          tensor<4x3xf64, #tam.sums<transposed>>,
          tensor<3x3xf64, #tam.sums<diagonal>>)
      penalties(%p_a, %p_b, %p_c : tensor<5x5xf64, #tam.coordinates<1>>,
          tensor<4x4xf64, #tam.coordinates<1>>,
          tensor<3x3xf64, #tam.coordinates<1>>) : tensor<12x12xf64>
  %n = tam.normal_vector(%ay, %by, %cy : tensor<5xf64, #tam.sums<full>>,
      tensor<4xf64, #tam.sums<full>>, tensor<3xf64, #tam.sums<full>>)
      : tensor<12xf64>
  %s = tam.solve %m, %n : tensor<12x12xf64>, tensor<12xf64>
  return %s : tensor<12xf64>
}
