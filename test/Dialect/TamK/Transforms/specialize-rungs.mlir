// A step with a capacity is cloned once per rung, capacity replaced by the
// rung's rows; other functions stay.
//
// RUN: tam-opt %s --tamk-specialize-rungs=chunk-rows=5 -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s

// The option overrides the model's chunk_rows. 5, 2, 1: half of an odd number
// is rounded down.
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 1, chunk_rows = 64>} {

// CHECK-LABEL: func.func @predict_5(
// CHECK-SAME: %[[ROWS:[^:]*]]: index {tam.slot = #tam.slot<rows>},
// CHECK-SAME: %[[V:[^:]*]]: memref<?xf64> {tam.slot = #tam.slot<column>},
// CHECK-SAME: %[[OUT:[^:]*]]: memref<?x1xf64> {tam.slot = #tam.slot<output>})
// CHECK-SAME: attributes {tam.step = #tam.step<predict, 5>}
// CHECK: %[[P:.*]] = memref.alloc() : memref<4xf64>
// The alignment of an allocation stays.
// CHECK: %[[X:.*]] = memref.alloc() {alignment = 64 : i64} : memref<5xf64>
// A launch takes a buffer of any size: no cast.
// CHECK-NOT: memref.cast
// CHECK: tamk.launch "normalize" ins(%[[V]], %[[P]] : memref<?xf64>, memref<4xf64>) scalars(%[[ROWS]] : index) outs(%[[X]] : memref<5xf64>)
// CHECK: tamk.launch "chebyshev" ins(%[[X]] : memref<5xf64>) {{.*}} outs(%[[OUT]] : memref<?x1xf64>)
// CHECK-LABEL: func.func @predict_2(
// CHECK-SAME: attributes {tam.step = #tam.step<predict, 2>}
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<2xf64>
// CHECK-LABEL: func.func @predict_1(
// CHECK-SAME: attributes {tam.step = #tam.step<predict, 1>}
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<1xf64>
// CHECK-NOT: func.func @predict
func.func @predict(%rows: index {tam.slot = #tam.slot<rows>},
                   %v: memref<?xf64> {tam.slot = #tam.slot<column>},
                   %capacity: index {tam.slot = #tam.slot<capacity>},
                   %out: memref<?x1xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<predict>} {
  %c1 = arith.constant 1 : i64
  %p = memref.alloc() : memref<4xf64>
  %x = memref.alloc(%capacity) {alignment = 64 : i64} : memref<?xf64>
  tamk.launch "normalize" ins(%v, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%x : memref<?xf64>)
  tamk.launch "chebyshev" ins(%x : memref<?xf64>)
      scalars(%rows, %c1, %c1 : index, i64, i64) outs(%out : memref<?x1xf64>)
  return
}

// CHECK-LABEL: func.func @fit_finish(
// CHECK-SAME: attributes {tam.step = #tam.step<fit_finish>}
func.func @fit_finish(%rows: index {tam.slot = #tam.slot<rows>})
    attributes {tam.step = #tam.step<fit_finish>} {
  return
}

}

// -----

// A size that is the minimum of functions of the capacity: for 5 rows the
// constant, for fewer the function.
//
// CHECK-LABEL: func.func @workspace_5(
// CHECK-NOT: affine.min
// CHECK: memref.alloc() : memref<16xf64>
// CHECK-LABEL: func.func @workspace_2(
// CHECK: memref.alloc() : memref<13xf64>
// CHECK-LABEL: func.func @workspace_1(
// CHECK: memref.alloc() : memref<10xf64>
func.func @workspace(%capacity: index {tam.slot = #tam.slot<capacity>},
                     %rows: index {tam.slot = #tam.slot<rows>}) {
  %size = affine.min affine_map<()[s0] -> (s0 * 3 + 7, 16)>()[%capacity]
  %space = memref.alloc(%size) : memref<?xf64>
  tamk.launch "offset" scalars(%rows : index) outs(%space : memref<?xf64>)
  return
}

// -----

func.func @other(%capacity: index {tam.slot = #tam.slot<capacity>},
                 %rows: index {tam.slot = #tam.slot<rows>}) {
  %size = affine.min affine_map<()[s0, s1] -> (s0, s1)>()[%capacity, %rows]
  // expected-error @+1 {{expected 'capacity' rows}}
  %space = memref.alloc(%size) : memref<?xf64>
  tamk.launch "offset" scalars(%rows : index) outs(%space : memref<?xf64>)
  return
}

// -----

// Users other than launches get the dynamic type through a cast.
//
// CHECK-LABEL: func.func @f_5()
// CHECK: %[[X:.*]] = memref.alloc() : memref<5x3xf64>
// CHECK: %[[CAST:.*]] = memref.cast %[[X]] : memref<5x3xf64> to memref<?x3xf64>
// CHECK: memref.dim %[[CAST]], %{{.*}} : memref<?x3xf64>
func.func @f(%capacity: index {tam.slot = #tam.slot<capacity>}) {
  %c0 = arith.constant 0 : index
  %x = memref.alloc(%capacity) : memref<?x3xf64>
  %n = memref.dim %x, %c0 : memref<?x3xf64>
  return
}

// -----

func.func @f(%capacity: index {tam.slot = #tam.slot<capacity>}, %n: index) {
  // expected-error @+1 {{'memref.alloc' op expected 'capacity' rows}}
  %x = memref.alloc(%n) : memref<?xf64>
  return
}

// -----

// A capacity that is used in a computation cannot be replaced.
// expected-error @+1 {{'func.func' op expected 'capacity' only as a buffer's size}}
func.func @f(%rows: index {tam.slot = #tam.slot<rows>},
             %capacity: index {tam.slot = #tam.slot<capacity>},
             %out: memref<?x1xf64> {tam.slot = #tam.slot<output>}) {
  tamk.launch "offset" scalars(%capacity : index) outs(%out : memref<?x1xf64>)
  return
}

// -----

func.func private @f_2()

// The name of a rung is taken.
// expected-error @+1 {{'func.func' op expected no other symbol 'f_2'}}
func.func @f(%capacity: index {tam.slot = #tam.slot<capacity>}) {
  %x = memref.alloc(%capacity) : memref<?xf64>
  return
}
