// Operands count in each of the three rungs of a step, but in a prediction
// once.
//
// RUN: tam-opt %s --tamk-specialize-rungs="chunk-rows=4 share-launches=12" \
// RUN:   | FileCheck %s --check-prefix=SHARED
// RUN: tam-opt %s --tamk-specialize-rungs="chunk-rows=4 share-launches=13" \
// RUN:   | FileCheck %s --check-prefix=CODE
// RUN: tam-opt %s --tamk-specialize-rungs=chunk-rows=4 \
// RUN:   --plan-memory="strict report=false" \
// RUN:   --convert-tamk-to-llvm=table-operands=12 \
// RUN:   | FileCheck %s --check-prefix=TABLES

// SHARED-LABEL: func.func @predict_1(
// SHARED: tamk.launch "normalize"
// CODE-LABEL: func.func @predict_1(
// TABLES-LABEL: llvm.func internal @predict_1(
// TABLES: llvm.call @tamrt_normalize(
func.func @predict(%rows: index {tam.slot = #tam.slot<rows>},
                   %v: memref<?xf64> {tam.slot = #tam.slot<column>},
                   %capacity: index {tam.slot = #tam.slot<capacity>})
    attributes {tam.step = #tam.step<predict>} {
  %x = memref.alloc(%capacity) : memref<?xf64>
  tamk.launch "normalize" ins(%v, %v : memref<?xf64>, memref<?xf64>)
      scalars(%rows : index) outs(%x : memref<?xf64>)
  return
}

// SHARED-LABEL: func.func @terms_1()
// SHARED-SAME: tamk.launches_of = "terms_4"
// CODE-LABEL: func.func @terms_1(
// CODE: tamk.launch "normalize"
// TABLES-LABEL: llvm.func internal @terms_1(
// TABLES-NOT: llvm.call @tamrt_normalize(
// TABLES: llvm.call @tamrt_run_launches(
func.func @terms(%rows: index {tam.slot = #tam.slot<rows>},
                 %v: memref<?xf64> {tam.slot = #tam.slot<column>},
                 %capacity: index {tam.slot = #tam.slot<capacity>})
    attributes {tam.step = #tam.step<terms>} {
  %x = memref.alloc(%capacity) : memref<?xf64>
  tamk.launch "normalize" ins(%v, %v : memref<?xf64>, memref<?xf64>)
      scalars(%rows : index) outs(%x : memref<?xf64>)
  return
}
