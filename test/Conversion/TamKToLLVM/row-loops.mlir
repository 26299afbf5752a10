// Row loops become functions of the LLVM dialect: buffers become addresses.
//
// RUN: tam-opt %s --convert-tamk-to-llvm | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @table(dense<[1.000000e+00, 2.000000e+00]>{{.*}}) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<2 x f64>
// CHECK-DAG: llvm.func @tamrt_offset(!llvm.ptr, i64, !llvm.ptr)
// CHECK-NOT: module @row_loops

// A helper has one version.
//
// CHECK: llvm.func internal @helper(%{{.*}}: !llvm.ptr, %{{.*}}: i64) attributes {no_inline} {

// The code for all machines, with the context as first argument. LLVM makes its
// versions.
//
// CHECK-LABEL: llvm.func internal @rows_0(
// CHECK-SAME: %[[CONTEXT:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: !llvm.ptr, %[[ROWS:[^:]*]]: i64, %[[SUMS:[^:]*]]: !llvm.ptr {llvm.noalias}) attributes {passthrough = ["tamk.versions"]} {
// CHECK-DAG: %[[C3:.*]] = llvm.mlir.constant(3 : index) : i64
// CHECK-DAG: %[[SCRATCH:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
// CHECK-DAG: %[[TABLE:.*]] = llvm.mlir.addressof @table
// CHECK: %[[PART:.*]] = llvm.getelementptr %[[X]][%[[ROWS]]] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK: llvm.call @tamrt_offset(%[[CONTEXT]], %[[ROWS]], %[[PART]])
// CHECK: llvm.call @helper(%[[CONTEXT]], %[[ROWS]])
// CHECK: %[[SAME:.*]] = llvm.intr.launder.invariant.group %[[SUMS]]
// What varies is added first, then what is known.
// CHECK: %[[VARIES:.*]] = llvm.getelementptr %[[SAME]][%[[ROWS]]] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK: %[[KNOWN:.*]] = llvm.mlir.constant(3 : i64) : i64
// CHECK: %[[WORD:.*]] = llvm.getelementptr %[[VARIES]][%[[KNOWN]]] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK: %[[OLD:.*]] = llvm.load %[[WORD]] {alignment = 32 : i64} : !llvm.ptr -> vector<4xf64>
// Nothing is contracted.
// CHECK: %[[SQUARE:.*]] = llvm.fmul %[[OLD]], %[[OLD]] : vector<4xf64>
// CHECK: %[[NEW:.*]] = llvm.fadd %[[OLD]], %[[SQUARE]] : vector<4xf64>
// CHECK: llvm.store %[[NEW]], %{{.*}} {alignment = 32 : i64} : vector<4xf64>, !llvm.ptr
// CHECK: llvm.cond_br %{{.*}} weights([1, 100]), ^{{.*}}, ^{{.*}}
// CHECK: llvm.return

// What runs once has one version.
//
// CHECK: llvm.func internal @rows_1(%{{.*}}) {
module {
  module @row_loops {
    memref.global "private" constant @table : memref<2xf64> =
        dense<[1.0, 2.0]> {alignment = 64 : i64}
    func.func private @helper(%rows: index) attributes {no_inline} {
      return
    }
    func.func private @rows_0(%x: memref<?xf64>, %rows: index,
                              %sums: memref<8xf64> {llvm.noalias})
        attributes {tamk.kernel} {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %memory = memref.alloca() {alignment = 64 : i64} : memref<64xi8>
      %scratch = memref.view %memory[%c0][] : memref<64xi8> to memref<8xf64>
      %table = memref.get_global @table : memref<2xf64>
      %first = memref.load %table[%c0] : memref<2xf64>
      memref.store %first, %scratch[%rows] : memref<8xf64>
      %part = memref.subview %x[%rows] [%rows] [1]
          : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
      tamk.launch "offset" scalars(%rows : index)
          outs(%part : memref<?xf64, strided<[1], offset: ?>>)
      call @helper(%rows) : (index) -> ()
      %same = tamk.launder %sums : memref<8xf64>
      %place = arith.addi %rows, %c3 : index
      %old = vector.load %same[%place] {alignment = 32 : i64}
          : memref<8xf64>, vector<4xf64>
      %square = arith.mulf %old, %old : vector<4xf64>
      %new = arith.addf %old, %square : vector<4xf64>
      vector.store %new, %same[%place] {alignment = 32 : i64}
          : memref<8xf64>, vector<4xf64>
      %is = arith.cmpi slt, %rows, %c3 : index
      %value = scf.if %is -> f64 {
        %other = memref.load %scratch[%c0] : memref<8xf64>
        scf.yield %other : f64
      } else {
        scf.yield %first : f64
      } {tamk.rarity = 100 : i32}
      memref.prefetch %x[%place], read, locality<3>, data : memref<?xf64>
      memref.store %value, %scratch[%c0] : memref<8xf64>
      return
    }
    func.func private @rows_1(%rows: index, %sums: memref<1xf64>)
        attributes {tamk.kernel, tamk.baseline} {
      return
    }
  }
}
