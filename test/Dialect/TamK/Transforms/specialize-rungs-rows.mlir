// The rungs are those of the option, else of the model, else of 1024.
//
// RUN: tam-opt %s --tamk-specialize-rungs | FileCheck %s
// RUN: tam-opt %s --tamk-specialize-rungs=chunk-rows=2 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// RUN: sed -e 's/, chunk_rows = 8//' %s | tam-opt --tamk-specialize-rungs \
// RUN:   | FileCheck %s --check-prefix=DEFAULT
// RUN: sed -e 's/chunk_rows = 8/chunk_rows = 9000000000/' %s \
// RUN:   | tam-opt --tamk-specialize-rungs | FileCheck %s --check-prefix=ALL
// RUN: not tam-opt %s --tamk-specialize-rungs=chunk-rows=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE

// CHECK: func.func @f_8()
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: func.func @f_4()
// CHECK: func.func @f_2()
// CHECK: func.func @f_1()
// CHECK-NOT: func.func

// OPTION-NOT: func.func @f_8
// OPTION: func.func @f_2()
// OPTION: func.func @f_1()
// OPTION-NOT: func.func

// DEFAULT: func.func @f_1024()
// DEFAULT: func.func @f_512()
// DEFAULT: func.func @f_1()
// DEFAULT-NOT: func.func

// More rows than 2^20 count as 2^20: a chunk ends with its group.
// ALL-NOT: func.func @f_9000000000
// ALL: func.func @f_1048576()
// ALL: func.func @f_524288()

// NEGATIVE: error: expected a chunk of at least one row, got -1

module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 1, chunk_rows = 8>} {
  func.func @f(%capacity: index {tam.slot = #tam.slot<capacity>}) {
    return
  }
}
