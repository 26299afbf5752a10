// The function generated for sums that are computed together, and its launch.
//
// RUN: tam-opt %s --convert-tam-to-tamk -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

// The context, the column, its parameters, the target, rows, sums.
//
// CHECK-LABEL: llvm.func internal @rows_0(
// CHECK-SAME: %[[CONTEXT:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %[[SUMS:[^:]*]]: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr)
// CHECK-SAME: attributes {{.*}}tamk.kernel
// All scratch is one allocation.
// CHECK: llvm.alloca
// CHECK-NOT: llvm.alloca
// All accumulators are addressed from the first: they are in the state.
// CHECK: llvm.getelementptr %[[SUMS]][%{{.*}}] : (!llvm.ptr, i64)
// CHECK: llvm.call @tamrt_normalize(%[[CONTEXT]],
// CHECK: llvm.call @tamrt_bspline(%[[CONTEXT]],
// CHECK-NOT: llvm.call
// The sums of the band with itself have four words, those with the target one,
// and those with the intercept, which is no factor, one.
// CHECK-COUNT-4: llvm.fmul {{.*}} : vector<4xf64>
// CHECK: llvm.fmul {{.*}} : vector<4xf64>
// CHECK-NOT: llvm.fmul
// CHECK-NOT: llvm.call

// CHECK-LABEL: func.func @fit_chunk(
// CHECK: tamk.launch "rows_0" ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?xf64>, tensor<4xf64>, tensor<?xf64>)
// CHECK-SAME: scalars(%{{.*}} : index)
// CHECK-SAME: source "tam.rows" {generated}
// CHECK-SAME: -> tensor<25xf64>, tensor<5xf64>, tensor<5xf64>
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
// the target and with the intercept, in the kernel's own memory: they are
// copied there at its start, and back at its end.
//
// CHECK-LABEL: llvm.func internal @rows_0_copy(
// CHECK: llvm.func internal @rows_0(
// CHECK: llvm.call @rows_0_copy(%[[OWN:[0-9]+]], %{{[0-9]+}}, %[[TOGETHER:[0-9]+]],
// CHECK: llvm.call @rows_0_copy
// CHECK: llvm.call @tamrt_bspline(
// CHECK-NOT: llvm.call
// CHECK: llvm.call @rows_0_copy(%[[TOGETHER]], %{{[0-9]+}}, %[[OWN]],
// CHECK: llvm.call @rows_0_copy
// CHECK-NOT: llvm.call
// CHECK: llvm.fmul {{.*}} : vector<8xf64>
// CHECK: llvm.store {{.*}} {alignment = 32 : i64} : vector<8xf64>, !llvm.ptr
// CHECK: llvm.fmul {{.*}} : vector<4xf64>
// CHECK: llvm.store {{.*}} {alignment = 32 : i64} : vector<4xf64>, !llvm.ptr
// CHECK: llvm.fmul {{.*}} : vector<8xf64>
// CHECK: llvm.store {{.*}} {alignment = 64 : i64} : vector<8xf64>, !llvm.ptr
// CHECK-NOT: llvm.fmul
// CHECK-NOT: llvm.call
// CHECK: tamk.launch "rows_0"
// CHECK-SAME: -> tensor<24xf64>, tensor<8xf64>, tensor<8xf64>
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

// -----

// The runtime has no kernel that adds to panels.
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %capacity: index {tam.slot = #tam.slot<capacity>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %s0: tensor<5xf64, #tam.sums<panels, 4>> {tam.slot = #tam.slot<state>})
    -> (tensor<5xf64, #tam.sums<panels, 4>> {tam.slot = #tam.slot<state>}) {
  %a = tam.bspline %v, %p {intervals = 2, degree = 3}
      : tensor<?xf64>, tensor<4xf64> -> tensor<?x5xf64, #tam.banded<4>>
  // expected-error @+2 {{'tam.rhs' op expected sums in panels only in a tam.rows}}
  // expected-error @+1 {{failed to legalize operation 'tam.rhs'}}
  %b = tam.rhs %a, %v into %s0 : tensor<?x5xf64, #tam.banded<4>>,
      tensor<?xf64> -> tensor<5xf64, #tam.sums<panels, 4>>
  return %b : tensor<5xf64, #tam.sums<panels, 4>>
}

// -----

// The kernel's calls are checked against kernels.def.
llvm.func @tamrt_normalize(!llvm.ptr)
func.func @fit_chunk(
    %rows: index {tam.slot = #tam.slot<rows>},
    %v: tensor<?xf64> {tam.slot = #tam.slot<column>},
    %p: tensor<4xf64> {tam.slot = #tam.slot<parameters>},
    %s0: tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>})
    -> (tensor<1xf64, #tam.sums<full>> {tam.slot = #tam.slot<state>}) {
  // expected-error @+1 {{'llvm.call' op incorrect number of operands (5) for callee (expecting: 1)}}
  %r = tam.rows(%v, %p : tensor<?xf64>, tensor<4xf64>)
      into(%s0 : tensor<1xf64, #tam.sums<full>>) {
  ^bb0(%v0: tensor<?xf64>, %p0: tensor<4xf64>,
       %a0: tensor<1xf64, #tam.sums<full>>):
    %x = tam.normalize %v0, %p0 : tensor<?xf64>, tensor<4xf64>
    %l = tam.linear %x {scale = 1.0 : f64} : tensor<?xf64>
        -> tensor<?x1xf64, #tam.dense>
    %a1 = tam.rhs %l, %v0 into %a0 : tensor<?x1xf64, #tam.dense>,
        tensor<?xf64> -> tensor<1xf64, #tam.sums<full>>
    tam.yield %a1 : tensor<1xf64, #tam.sums<full>>
  } : tensor<1xf64, #tam.sums<full>>
  return %r : tensor<1xf64, #tam.sums<full>>
}
