// With share-launches, the rungs of a step of so many operands but the largest
// have buffers alone. Their plans and their tables are those of rungs with
// launches.
//
// RUN: tam-opt %s --tamk-specialize-rungs="chunk-rows=4 share-launches=8" \
// RUN:   -o %t.shared
// RUN: FileCheck %s --input-file=%t.shared
// RUN: tam-opt %s --tamk-specialize-rungs="chunk-rows=4 share-launches=9" \
// RUN:   -o %t.rungs
// RUN: tam-opt %s --tamk-specialize-rungs=chunk-rows=4 | diff %t.rungs -
// RUN: FileCheck %s --check-prefix=WHOLE --input-file=%t.rungs
//
// RUN: tam-opt %t.shared --plan-memory="strict report=false" -o %t.planned
// RUN: FileCheck %s --check-prefix=PLANNED --input-file=%t.planned
// RUN: tam-opt %t.planned --convert-tamk-to-llvm=table-operands=0 -o %t.tables
// RUN: FileCheck %s --check-prefix=TABLES --input-file=%t.tables
// RUN: tam-opt %t.rungs --plan-memory="strict report=false" \
// RUN:   --convert-tamk-to-llvm=table-operands=0 | diff %t.tables -
//
// The code of a step needs its launches, and so does a plan for any order.
//
// RUN: not tam-opt %t.planned --convert-tamk-to-llvm=table-operands=9 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CODE
// CODE: error: 'func.func' op expected launches of its own, as its function is code
// RUN: not tam-opt %t.planned --convert-tamk-to-emitc 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CPP
// CPP: error: 'func.func' op expected a step with launches of its own
// RUN: not tam-opt %t.shared --plan-memory="strict reuse=branch-safe" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAFE
// SAFE: error: 'func.func' op expected launches of its own with the option 'reuse' or 'spaces'
//
// The step with the launches has to be there, planned, and have the buffers.
//
// RUN: sed 's/_of = "predict_4"/_of = "gone"/' %t.shared > %t.gone
// RUN: not tam-opt %t.gone --plan-memory="strict report=false" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GONE
// GONE: error: 'func.func' op expected a planned step 'gone' of 2 buffers before it
// RUN: sed '/@predict_2/,/}/{/memref<2xf64>/d}' %t.shared > %t.fewer
// RUN: not tam-opt %t.fewer --plan-memory="strict report=false" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FEWER
// FEWER: error: 'func.func' op expected a planned step 'predict_4' of 1 buffers before it
// RUN: sed 's/_of = "predict_4"/_of = "other"/' %t.planned \
// RUN:   | not tam-opt --convert-tamk-to-llvm=table-operands=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ORDER
// ORDER: error: 'func.func' op expected to follow the rungs of 'other'

// A buffer without a use has no row in the plan.
//
// CHECK-LABEL: func.func @predict_4(
// CHECK-NOT: memref<7xf64>
// CHECK: memref.alloc() : memref<4xf64>
// CHECK-NOT: memref<7xf64>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4xf64>
// CHECK: tamk.launch "normalize"
// CHECK: tamk.launch "normalize"
// CHECK-LABEL: func.func @predict_2()
// CHECK-SAME: attributes {tam.step = #tam.step<predict, 2>, tamk.launches_of = "predict_4"} {
// CHECK-NEXT: memref.alloc() : memref<4xf64>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<2xf64>
// CHECK-NEXT: return
// CHECK-LABEL: func.func @predict_1()
// CHECK-SAME: tamk.launches_of = "predict_4"
// CHECK-NEXT: memref.alloc() : memref<4xf64>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1xf64>
// CHECK-NEXT: return
// CHECK-LABEL: func.func @other()
//
// WHOLE-LABEL: func.func @predict_2(
// WHOLE: tamk.launch "normalize"
// WHOLE-LABEL: func.func @predict_1(
// WHOLE: tamk.launch "normalize"
// WHOLE-NOT: tamk.launches_of
//
// Both buffers live from the first to the second launch.
//
// PLANNED-LABEL: func.func @predict_1(
// PLANNED-SAME: %[[ARENA:.*]]: memref<128xi8> {tam.slot = #tam.slot<arena>})
// PLANNED-SAME: tamk.plan = #tamk.plan<arena_bytes = 128, {{.*}}length = 2,
// PLANNED-SAME: name = "x", op = "normalize"
// PLANNED: memref.view %[[ARENA]]
// PLANNED: memref.view %[[ARENA]]
//
// TABLES: @predict_1_offsets(
// TABLES: @predict_2_offsets(
// TABLES: @predict_4_offsets(
// TABLES: @predict_4_code(
// TABLES-NOT: _code(
// TABLES: llvm.func internal @predict_1(
func.func @predict(%rows: index {tam.slot = #tam.slot<rows>},
                   %v: memref<?xf64> {tam.slot = #tam.slot<column>},
                   %capacity: index {tam.slot = #tam.slot<capacity>},
                   %out: memref<?xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<predict>} {
  %unused = memref.alloc() : memref<7xf64>
  %p = memref.alloc() : memref<4xf64>
  %x = memref.alloc(%capacity) {alignment = 64 : i64} : memref<?xf64>
  tamk.launch "normalize" ins(%v, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%x : memref<?xf64>)
  tamk.launch "normalize" ins(%x, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%out : memref<?xf64>)
  return
}

// A function that is no step with a capacity is as it was.
func.func @other() attributes {tam.step = #tam.step<fit_finish>} {
  return
}
