// Without a requested number of rows, steps whose sums are large compared with
// the temporaries get rungs of up to a segment. 40 bytes a row: 2048 rows take
// a quarter of 327,680 bytes, 4096 of 655,360.
//
// RUN: tam-opt %s --tamk-specialize-rungs | FileCheck %s

// CHECK-NOT: @few_4096
// CHECK-NOT: @few_2048
// CHECK: func.func @few_1024(
func.func @few(%capacity: index {tam.slot = #tam.slot<capacity>},
               %a: memref<40959xf64> {tam.slot = #tam.slot<state>}) {
  %x = memref.alloc(%capacity) : memref<?x5xf64>
  return
}

// CHECK-NOT: @some_4096
// CHECK: func.func @some_2048(
// CHECK: func.func @some_1024(
func.func @some(%capacity: index {tam.slot = #tam.slot<capacity>},
                %a: memref<20480xf64> {tam.slot = #tam.slot<state>},
                %b: memref<20480xf64> {tam.slot = #tam.slot<state, 163840>}) {
  %x = memref.alloc(%capacity) : memref<?x4xf64>
  %k = memref.alloc(%capacity) : memref<?x2xi32>
  return
}

// CHECK-NOT: @many_8192
// CHECK: func.func @many_4096(
func.func @many(%capacity: index {tam.slot = #tam.slot<capacity>},
                %a: memref<1000000xf64> {tam.slot = #tam.slot<state>}) {
  %x = memref.alloc(%capacity) : memref<?x5xf64>
  return
}

// Other arguments of a step are not sums.
//
// CHECK-NOT: @table_2048
// CHECK: func.func @table_1024(
func.func @table(%capacity: index {tam.slot = #tam.slot<capacity>},
                 %a: memref<1000000xf64> {tam.slot = #tam.slot<table>}) {
  %x = memref.alloc(%capacity) : memref<?x5xf64>
  return
}
