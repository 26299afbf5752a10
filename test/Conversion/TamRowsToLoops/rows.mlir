// The function of sums that are computed together.
//
// RUN: tam-opt %s --convert-tam-rows-to-loops --verify-row-loops \
// RUN:   -split-input-file | FileCheck %s

// The column, its parameters, the target, rows, sums.
//
// CHECK-LABEL: module @row_loops {
// CHECK: func.func private @rows_0(%[[X:[^:]*]]: memref<?xf64>, %[[P:[^:]*]]: memref<4xf64>, %[[Y:[^:]*]]: memref<?xf64>, %[[ROWS:[^:]*]]: index, %[[SUMS:[^:]*]]: memref<25xf64> {llvm.noalias}, %{{[^:]*}}: memref<5xf64>, %{{[^:]*}}: memref<5xf64>)
// CHECK-SAME: attributes {tamk.kernel}
// Sum i of the band with the target is at 56 + i of the state.
// CHECK-DAG: %[[AT:.*]] = arith.constant 56 : index
// All scratch is one allocation.
// CHECK-DAG: %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<5632xi8>
// CHECK-NOT: memref.alloca
// All accumulators are addressed from the first: they are in the state.
// CHECK: %[[STATE:.*]] = memref.reinterpret_cast %[[SUMS]] to offset: [0], sizes: [77], strides: [1]
// CHECK: scf.for %[[BEGIN:.*]] = {{.*}} to %[[ROWS]]
// CHECK: %[[TILE:.*]] = memref.subview %[[X]][%[[BEGIN]]]
// CHECK: tamk.launch "normalize" ins(%[[TILE]], %[[P]] :
// CHECK: %[[BAND:.*]] = memref.view %[[SCRATCH]][{{.*}} to memref<512xf64>
// CHECK: %[[START:.*]] = memref.view %[[SCRATCH]][{{.*}} to memref<128xi32>
// CHECK: tamk.launch "bspline"
// CHECK-SAME: outs(%[[BAND]], %[[START]] :
// CHECK-NOT: tamk.launch
// CHECK: memref.prefetch %[[TILE]]
// CHECK: %[[OWN:.*]] = tamk.launder %[[STATE]]
// The sums of the band with itself have four words, those with the target one,
// and those with the intercept, which is no factor, one.
// CHECK-COUNT-4: arith.mulf {{.*}} : vector<4xf64>
// CHECK: %[[VALUE:.*]] = arith.mulf {{.*}} : vector<4xf64>
// CHECK: %[[WORD:.*]] = arith.addi %{{.*}}, %[[AT]]
// CHECK: %[[OLD:.*]] = vector.load %[[OWN]][%[[WORD]]] {alignment = 8 : i64}
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[VALUE]]
// CHECK: vector.store %[[NEW]], %[[OWN]][%[[WORD]]] {alignment = 8 : i64}
// CHECK-NOT: arith.mulf
// CHECK-NOT: tamk.launch

// CHECK-LABEL: func.func @fit_chunk(
// CHECK: tam.rows @row_loops::@rows_0(
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
    %s0: tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
    %s1: tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 448>},
    %s2: tensor<1x5xf64, #tam.sums<transposed>>
        {tam.slot = #tam.slot<state, 576>})
    -> (tensor<5x5xf64, #tam.sums<upper>> {tam.slot = #tam.slot<state>},
        tensor<5xf64, #tam.sums<full>> {tam.slot = #tam.slot<state, 448>},
        tensor<1x5xf64, #tam.sums<transposed>>
            {tam.slot = #tam.slot<state, 576>}) {
  %r:3 = tam.rows(%rows, %v, %p, %y
      : index, tensor<?xf64>, tensor<4xf64>, tensor<?xf64>)
      into(%s0, %s1, %s2 : tensor<5x5xf64, #tam.sums<upper>>,
           tensor<5xf64, #tam.sums<full>>,
           tensor<1x5xf64, #tam.sums<transposed>>) {
  ^bb0(%n: index, %v0: tensor<?xf64>, %p0: tensor<4xf64>, %y0: tensor<?xf64>,
       %a0: tensor<5x5xf64, #tam.sums<upper>>,
       %b0: tensor<5xf64, #tam.sums<full>>,
       %c0: tensor<1x5xf64, #tam.sums<transposed>>):
    %x = tam.normalize %v0, %p0 : tensor<?xf64>, tensor<4xf64>
    %a = tam.bspline %x, %p0 {intervals = 2, degree = 3}
        : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %a1 = tam.gram %a, %a into %a0 : tensor<?x5xf64, #tam.banded<4>>,
        tensor<?x5xf64, #tam.banded<4>> -> tensor<5x5xf64, #tam.sums<upper>>
    %b1 = tam.rhs %a, %y0 into %b0 : tensor<?x5xf64, #tam.banded<4>>,
        tensor<?xf64> -> tensor<5xf64, #tam.sums<full>>
    %c1 = tam.gram %o, %a into %c0 : tensor<?x1xf64, #tam.dense>,
        tensor<?x5xf64, #tam.banded<4>>
        -> tensor<1x5xf64, #tam.sums<transposed>>
    tam.yield %a1, %b1, %c1 : tensor<5x5xf64, #tam.sums<upper>>,
        tensor<5xf64, #tam.sums<full>>,
        tensor<1x5xf64, #tam.sums<transposed>>
  } : tensor<5x5xf64, #tam.sums<upper>>, tensor<5xf64, #tam.sums<full>>,
      tensor<1x5xf64, #tam.sums<transposed>>
  return %r#0, %r#1, %r#2 : tensor<5x5xf64, #tam.sums<upper>>,
      tensor<5xf64, #tam.sums<full>>, tensor<1x5xf64, #tam.sums<transposed>>
}

// -----

// Panels: the sums of the band with itself have three words, one per rotation;
// two are contiguous and are added to at once. The same holds for those with
// the target and with the intercept, in the function's own memory: they are
// copied there at its start, and back at its end.
//
// CHECK-LABEL: module @row_loops {
// CHECK: func.func private @rows_0_copy(
// CHECK: func.func private @rows_0(
// CHECK: %[[JOINT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16xf64>
// CHECK: %[[STATE:.*]] = memref.reinterpret_cast
// CHECK: call @rows_0_copy(
// CHECK: call @rows_0_copy(
// CHECK: tamk.launch "bspline"
// CHECK-NOT: tamk.launch
// CHECK: arith.mulf {{.*}} : vector<8xf64>
// CHECK: vector.store {{.*}}, %[[STATE]][%{{.*}}] {alignment = 32 : i64} : memref<80xf64>, vector<8xf64>
// CHECK: arith.mulf {{.*}} : vector<4xf64>
// CHECK: vector.store {{.*}}, %[[STATE]][%{{.*}}] {alignment = 32 : i64} : memref<80xf64>, vector<4xf64>
// CHECK: arith.mulf {{.*}} : vector<8xf64>
// CHECK: vector.store {{.*}}, %[[JOINT]][%{{.*}}] {alignment = 64 : i64} : memref<16xf64>, vector<8xf64>
// CHECK-NOT: arith.mulf
// CHECK: call @rows_0_copy(
// CHECK: call @rows_0_copy(
// CHECK-NOT: call
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %y: tensor<?xf64> {tam.slot = #tam.slot<column, 1>},
    %s0: tensor<5x5xf64, #tam.sums<upper_panels, 4>>
        {tam.slot = #tam.slot<state>},
    %s1: tensor<5xf64, #tam.sums<panels, 4>> {tam.slot = #tam.slot<state, 448>},
    %s2: tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
        {tam.slot = #tam.slot<state, 576>})
    -> (tensor<5x5xf64, #tam.sums<upper_panels, 4>>
            {tam.slot = #tam.slot<state>},
        tensor<5xf64, #tam.sums<panels, 4>> {tam.slot = #tam.slot<state, 448>},
        tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
            {tam.slot = #tam.slot<state, 576>}) {
  %r:3 = tam.rows(%rows, %v, %p, %y
      : index, tensor<?xf64>, tensor<4xf64>, tensor<?xf64>)
      into(%s0, %s1, %s2 : tensor<5x5xf64, #tam.sums<upper_panels, 4>>,
           tensor<5xf64, #tam.sums<panels, 4>>,
           tensor<1x5xf64, #tam.sums<transposed_panels, 4>>) {
  ^bb0(%n: index, %v0: tensor<?xf64>, %p0: tensor<4xf64>, %y0: tensor<?xf64>,
       %a0: tensor<5x5xf64, #tam.sums<upper_panels, 4>>,
       %b0: tensor<5xf64, #tam.sums<panels, 4>>,
       %c0: tensor<1x5xf64, #tam.sums<transposed_panels, 4>>):
    %x = tam.normalize %v0, %p0 : tensor<?xf64>, tensor<4xf64>
    %a = tam.bspline %x, %p0 {intervals = 2, degree = 3}
        : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
    %o = tam.offset %n : tensor<?x1xf64, #tam.dense>
    %a1 = tam.gram %a, %a into %a0 : tensor<?x5xf64, #tam.banded<4>>,
        tensor<?x5xf64, #tam.banded<4>>
        -> tensor<5x5xf64, #tam.sums<upper_panels, 4>>
    %b1 = tam.rhs %a, %y0 into %b0 : tensor<?x5xf64, #tam.banded<4>>,
        tensor<?xf64> -> tensor<5xf64, #tam.sums<panels, 4>>
    %c1 = tam.gram %o, %a into %c0 : tensor<?x1xf64, #tam.dense>,
        tensor<?x5xf64, #tam.banded<4>>
        -> tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
    tam.yield %a1, %b1, %c1 : tensor<5x5xf64, #tam.sums<upper_panels, 4>>,
        tensor<5xf64, #tam.sums<panels, 4>>,
        tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
  } : tensor<5x5xf64, #tam.sums<upper_panels, 4>>,
      tensor<5xf64, #tam.sums<panels, 4>>,
      tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
  return %r#0, %r#1, %r#2 : tensor<5x5xf64, #tam.sums<upper_panels, 4>>,
      tensor<5xf64, #tam.sums<panels, 4>>,
      tensor<1x5xf64, #tam.sums<transposed_panels, 4>>
}
