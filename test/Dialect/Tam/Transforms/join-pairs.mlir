// The sums of pairs of sparse matrices become one op, each pair in the order in
// which its kernel takes the matrices. The sums of one with itself, and with
// other matrices, keep their ops.
//
// RUN: tam-opt %s --tam-join-pairs | FileCheck %s
// RUN: tam-opt %s --tam-join-pairs=least=3 | FileCheck %s
//
// Fewer than asked for, never, or a device.
// RUN: tam-opt %s --tam-join-pairs=least=4 | FileCheck %s --check-prefix=NONE
// RUN: tam-opt %s --tam-join-pairs=least=0 | FileCheck %s --check-prefix=NONE
// RUN: sed -e '1i module attributes {tam.target = #tam.target<"device">} {' \
// RUN:     -e '$a }' %s | tam-opt --tam-join-pairs \
// RUN:   | FileCheck %s --check-prefix=NONE
//
// Sums that something else reads, or that do not start from zero.
// RUN: sed -e 's/return %x : tensor<7xf64>/return %x, %ab/' \
// RUN:     -e 's/-> tensor<7xf64> {/-> (tensor<7xf64>, tensor<2x2xf64, #tam.sums<full>>) {/' \
// RUN:     -e 's/return %x, %ab/& : tensor<7xf64>, tensor<2x2xf64, #tam.sums<full>>/' %s \
// RUN:   | tam-opt --tam-join-pairs | FileCheck %s --check-prefix=READ
// RUN: sed -e 's/%z_ab = tam.zeros.*//' -e 's/into %z_ab/into %known/' %s \
// RUN:   | tam-opt --tam-join-pairs | FileCheck %s --check-prefix=READ

// NONE-NOT: tam.gram_pairs
// NONE: tam.normal_matrix %{{.*}} blocks({{.*}}) penalties

// READ: tam.gram_pairs %{{.*}}, %{{.*}}, %{{.*}} into {{.*}}first = array<i32: 0, 0>, second = array<i32: 1, 2>
// READ: tam.normal_matrix {{.*}} {first = array<i32: 2, 2>, second = array<i32: 0, 1>}

// CHECK-LABEL: func.func @fit(
// CHECK-SAME: %[[ROWS:[a-z0-9]*]]: index, %[[A:[a-z0-9]*]]: tensor<?x2xf64, #tam.sparse<1>>, %[[B:[a-z0-9]*]]: tensor<?x2xf64, #tam.sparse<2>>, %[[C:[a-z0-9]*]]: tensor<?x3xf64, #tam.sparse<1>>,
// CHECK: %[[AA:.*]] = tam.gram %[[A]], %[[A]]
// CHECK: %[[BB:.*]] = tam.gram %[[B]], %[[B]]
// CHECK: %[[ZEROS:.*]] = tam.zeros : tensor<24xf64, #tam.sums<full>>
// CHECK: %[[PAIRS:.*]] = tam.gram_pairs %[[A]], %[[B]], %[[C]] weights %[[W:.*]] : tensor<?xf64> into %[[ZEROS]] {first = array<i32: 0, 2, 2>, second = array<i32: 1, 0, 1>} : tensor<?x2xf64, #tam.sparse<1>>, tensor<?x2xf64, #tam.sparse<2>>, tensor<?x3xf64, #tam.sparse<1>> -> tensor<24xf64, #tam.sums<full>>
// CHECK: %[[CC:.*]] = tam.gram %[[C]], %[[C]]
// CHECK-NOT: tam.gram %
// CHECK: tam.normal_matrix %[[ROWS]] blocks(%[[AA]], %[[BB]], %[[CC]] : {{.*}}) pairs(%[[PAIRS]] : tensor<24xf64, #tam.sums<full>>) penalties({{.*}}) {first = array<i32: 0, 2, 2>, second = array<i32: 1, 0, 1>} : tensor<7x7xf64>
func.func @fit(%rows: index, %a: tensor<?x2xf64, #tam.sparse<1>>,
    %b: tensor<?x2xf64, #tam.sparse<2>>, %c: tensor<?x3xf64, #tam.sparse<1>>,
    %w: tensor<?xf64>, %y: tensor<7xf64>, %known: tensor<2x2xf64, #tam.sums<full>>)
    -> tensor<7xf64> {
  %p2 = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<2x2xf64, #tam.coordinates<1>>
  %p3 = tam.penalty rows [1] columns [0] values [1.0]
      : tensor<3x3xf64, #tam.coordinates<1>>
  %z_aa = tam.zeros : tensor<2x2xf64, #tam.sums<upper>>
  %aa = tam.gram %a, %a weights %w : tensor<?xf64> into %z_aa
      : tensor<?x2xf64, #tam.sparse<1>>, tensor<?x2xf64, #tam.sparse<1>>
      -> tensor<2x2xf64, #tam.sums<upper>>
  %z_ab = tam.zeros : tensor<2x2xf64, #tam.sums<full>>
  %ab = tam.gram %a, %b weights %w : tensor<?xf64> into %z_ab
      : tensor<?x2xf64, #tam.sparse<1>>, tensor<?x2xf64, #tam.sparse<2>>
      -> tensor<2x2xf64, #tam.sums<full>>
  %z_ac = tam.zeros : tensor<2x3xf64, #tam.sums<transposed>>
  %ac = tam.gram %a, %c weights %w : tensor<?xf64> into %z_ac
      : tensor<?x2xf64, #tam.sparse<1>>, tensor<?x3xf64, #tam.sparse<1>>
      -> tensor<2x3xf64, #tam.sums<transposed>>
  %z_bb = tam.zeros : tensor<2x2xf64, #tam.sums<upper>>
  %bb = tam.gram %b, %b weights %w : tensor<?xf64> into %z_bb
      : tensor<?x2xf64, #tam.sparse<2>>, tensor<?x2xf64, #tam.sparse<2>>
      -> tensor<2x2xf64, #tam.sums<upper>>
  %z_bc = tam.zeros : tensor<2x3xf64, #tam.sums<transposed>>
  %bc = tam.gram %b, %c weights %w : tensor<?xf64> into %z_bc
      : tensor<?x2xf64, #tam.sparse<2>>, tensor<?x3xf64, #tam.sparse<1>>
      -> tensor<2x3xf64, #tam.sums<transposed>>
  %z_cc = tam.zeros : tensor<3x3xf64, #tam.sums<upper>>
  %cc = tam.gram %c, %c weights %w : tensor<?xf64> into %z_cc
      : tensor<?x3xf64, #tam.sparse<1>>, tensor<?x3xf64, #tam.sparse<1>>
      -> tensor<3x3xf64, #tam.sums<upper>>
  %m = tam.normal_matrix %rows
      blocks(%aa, %ab, %ac, %bb, %bc, %cc : tensor<2x2xf64, #tam.sums<upper>>,
             tensor<2x2xf64, #tam.sums<full>>,
             tensor<2x3xf64, #tam.sums<transposed>>,
             tensor<2x2xf64, #tam.sums<upper>>,
             tensor<2x3xf64, #tam.sums<transposed>>,
             tensor<3x3xf64, #tam.sums<upper>>)
      penalties(%p2, %p2, %p3 : tensor<2x2xf64, #tam.coordinates<1>>,
                tensor<2x2xf64, #tam.coordinates<1>>,
                tensor<3x3xf64, #tam.coordinates<1>>) : tensor<7x7xf64>
  %x = tam.solve %m, %y {solver = #tam.solver<direct>} : tensor<7x7xf64>, tensor<7xf64>
  return %x : tensor<7xf64>
}
