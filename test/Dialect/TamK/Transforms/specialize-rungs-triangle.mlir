// A step that reads the triangle of a matrix has the largest and the smallest
// rung: rows take less memory than the triangle.
//
// RUN: tam-opt %s --tamk-specialize-rungs | FileCheck %s
// RUN: tam-opt %s --tamk-specialize-rungs=chunk-rows=5 \
// RUN:   | FileCheck %s --check-prefix=FIVE
// RUN: tam-opt %s --tamk-specialize-rungs=chunk-rows=1 \
// RUN:   | FileCheck %s --check-prefix=ONE

// CHECK: func.func @variances_64(
// CHECK-SAME: attributes {tam.step = #tam.step<variances, 64>}
// CHECK: memref.alloc() : memref<64xf64>
// CHECK: func.func @variances_1(
// CHECK-SAME: attributes {tam.step = #tam.step<variances, 1>}
// CHECK: memref.alloc() : memref<1xf64>
// CHECK-NOT: @variances

// FIVE: func.func @variances_5(
// FIVE: func.func @variances_1(
// FIVE-NOT: @variances

// ONE: func.func @variances_1(
// ONE-NOT: @variances
func.func @variances(%rows: index {tam.slot = #tam.slot<rows>},
                     %v: memref<1xf64> {tam.slot = #tam.slot<coefficients>},
                     %x: memref<?xf64> {tam.slot = #tam.slot<column>},
                     %p: memref<4xf64> {tam.slot = #tam.slot<parameters>},
                     %capacity: index {tam.slot = #tam.slot<capacity>})
    attributes {tam.step = #tam.step<variances>} {
  %space = memref.alloc(%capacity) : memref<?xf64>
  tamk.launch "normalize" ins(%x, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%space : memref<?xf64>)
  return
}
