// A step becomes a function with the signature of tamrt_step_function; slots
// become loads and offsets from its parameters, launches calls.
//
// RUN: tam-opt %s --convert-tamk-to-llvm | FileCheck %s

// A literal of a table may have any bits.
//
// RUN: sed -e 's/scale = arith.constant 2.0/scale = arith.constant -0.0/' \
// RUN:   -e 's/mode = arith.constant 1 /mode = arith.constant 0x7fffffffffffffff /' \
// RUN:   %s | tam-opt --convert-tamk-to-llvm \
// RUN:   | FileCheck %s --check-prefix=LITERALS
// LITERALS: @tam_literals(dense<[-9223372036854775808, 9223372036854775807]>

// Kernels are declared once each, with the context first; a list is a pointer
// and a count.
//
// CHECK-DAG: llvm.func @tamrt_normalize(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
// CHECK-DAG: llvm.func @tamrt_linear(!llvm.ptr, !llvm.ptr, i64, f64, i64, !llvm.ptr)
// CHECK-DAG: llvm.func @tamrt_predict_dense(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64, !llvm.ptr)
// CHECK-DAG: llvm.func @tamrt_rhs_dense(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr)
// CHECK-DAG: llvm.func @tamrt_assemble_vector(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr)

// The elements of all constants are one array of bytes, each constant aligned.
//
// CHECK-DAG: llvm.mlir.global internal constant @tam_constants({{.*}} : tensor<96xi8>) {{{.*}}alignment = 64 : i64} : !llvm.array<96 x i8>
memref.global "private" constant @ones : memref<3xf64> = dense<1.0>
memref.global "private" constant @table : memref<2x2xi64> =
    dense<[[1, 0], [2, 1]]>

// CHECK-LABEL: llvm.func internal @predict_8(
// CHECK-SAME: %[[CONTEXT:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[ARENA:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias},
// CHECK-SAME: %[[STATE:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias},
// CHECK-SAME: %[[CARRY:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias},
// CHECK-SAME: %[[PARAMETERS:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[TABLES:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[COEFFICIENTS:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[COLUMNS:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[OUTPUT:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[ROWS:[^:]*]]: i64, %[[FIRST:[^:]*]]: i64, %[[GROUP_ROWS:[^:]*]]: i64)
// CHECK-SAME: attributes {no_inline, optimize_none, tam.step = #tam.step<predict, 8>, tamk.plan = #tamk.plan<arena_bytes = 128>
func.func @predict_8(%rows: index {tam.slot = #tam.slot<rows>},
                     %v: memref<?xf64> {tam.slot = #tam.slot<column, 2>},
                     %p: memref<4xf64> {tam.slot = #tam.slot<parameters, 32>},
                     %b: memref<1xf64> {tam.slot = #tam.slot<coefficients, 8>},
                     %out: memref<?xf64> {tam.slot = #tam.slot<output>},
                     %unused: memref<?xf64> {tam.slot = #tam.slot<column, 5>},
                     %arena: memref<128xi8> {tam.slot = #tam.slot<arena>})
    attributes {tam.step = #tam.step<predict, 8>,
                tamk.plan = #tamk.plan<arena_bytes = 128>} {
  // The third of the pointers to columns.
  // CHECK: %[[V_AT:.*]] = llvm.getelementptr %[[COLUMNS]][16] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: %[[V:.*]] = llvm.load %[[V_AT]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[P:.*]] = llvm.getelementptr %[[PARAMETERS]][32] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: %[[B:.*]] = llvm.getelementptr %[[COEFFICIENTS]][8] : (!llvm.ptr) -> !llvm.ptr, i8
  // What is not used is not loaded.
  // CHECK-NOT: %[[COLUMNS]][40]
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[SCALE:.*]] = llvm.mlir.constant(2.000000e+00 : f64) : f64
  %scale = arith.constant 2.0 : f64
  // CHECK: %[[MODE:.*]] = llvm.mlir.constant(1 : i64) : i64
  %mode = arith.constant 1 : i64
  // CHECK: %[[X_OFFSET:.*]] = llvm.mlir.constant(0 : i64) : i64
  // CHECK: %[[X:.*]] = llvm.getelementptr %[[ARENA]][%[[X_OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %x = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf64>
  // CHECK: %[[L_OFFSET:.*]] = llvm.mlir.constant(64 : i64) : i64
  // CHECK: %[[L:.*]] = llvm.getelementptr %[[ARENA]][%[[L_OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %l = memref.view %arena[%c64][] : memref<128xi8> to memref<8x1xf64>
  // CHECK: llvm.call @tamrt_normalize(%[[CONTEXT]], %[[V]], %[[P]], %[[ROWS]], %[[X]])
  tamk.launch "normalize" ins(%v, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%x : memref<8xf64>)
  // A cast is the same pointer.
  %cast = memref.cast %x : memref<8xf64> to memref<?xf64>
  // CHECK: llvm.call @tamrt_linear(%[[CONTEXT]], %[[X]], %[[ROWS]], %[[SCALE]], %[[MODE]], %[[L]])
  tamk.launch "linear" ins(%cast : memref<?xf64>)
      scalars(%rows, %scale, %mode : index, f64, i64) outs(%l : memref<8x1xf64>)
  // CHECK: llvm.call @tamrt_predict_dense(%[[CONTEXT]], %[[L]], %[[B]], %[[ROWS]], %[[MODE]], %[[MODE]], %[[MODE]], %[[MODE]], %[[OUTPUT]])
  tamk.launch "predict_dense" ins(%l, %b : memref<8x1xf64>, memref<1xf64>)
      scalars(%rows, %mode, %mode, %mode, %mode : index, i64, i64, i64, i64)
      outs(%out : memref<?xf64>)
  // CHECK-NEXT: llvm.return
  return
}

// An absent optional input is null. An offset of 0 is the parameter itself.
//
// CHECK-LABEL: llvm.func internal @fit_chunk_8(
// CHECK-SAME: %[[CONTEXT:[^:]*]]: !llvm.ptr, %[[ARENA:[^:]*]]: !llvm.ptr {{{[^}]*}}}, %[[STATE:[^:]*]]: !llvm.ptr {{{[^}]*}}},
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr {{{[^}]*}}}, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr,
// CHECK-SAME: %[[COLUMNS:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[ROWS:[^:]*]]: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64)
func.func @fit_chunk_8(%rows: index {tam.slot = #tam.slot<rows>},
                       %y: memref<?xf64> {tam.slot = #tam.slot<column>},
                       %s: memref<1xf64> {tam.slot = #tam.slot<state>},
                       %t: memref<1xf64> {tam.slot = #tam.slot<state, 64>},
                       %a: memref<8x1xf64> {tam.slot = #tam.slot<output>}) {
  // CHECK: %[[Y:.*]] = llvm.load %[[COLUMNS]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[T:.*]] = llvm.getelementptr %[[STATE]][64]
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64) : i64
  %c1 = arith.constant 1 : i64
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.call @tamrt_rhs_dense(%[[CONTEXT]], %{{.*}}, %[[Y]], %[[NULL]], %[[ROWS]], %[[ONE]], %[[STATE]])
  tamk.launch "rhs_dense" ins(%a, %y : memref<8x1xf64>, memref<?xf64>)
      absent [2] scalars(%rows, %c1 : index, i64)
      outs(%s : memref<1xf64>)
  // CHECK: llvm.call @tamrt_rhs_dense(%[[CONTEXT]], %{{.*}}, %[[Y]], %[[Y]], %[[ROWS]], %[[ONE]], %[[T]])
  tamk.launch "rhs_dense"
      ins(%a, %y, %y : memref<8x1xf64>, memref<?xf64>, memref<?xf64>)
      scalars(%rows, %c1 : index, i64)
      outs(%t : memref<1xf64>)
  return
}

// A list of inputs is an array of pointers on the stack.
//
// CHECK-LABEL: llvm.func internal @fit_finish(
// CHECK-SAME: %[[CONTEXT:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {{{[^}]*}}}, %[[STATE:[^:]*]]: !llvm.ptr {{{[^}]*}}},
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr {{{[^}]*}}}, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr,
// CHECK-SAME: %[[OUTPUT:[^:]*]]: !llvm.ptr,
func.func @fit_finish(%s: memref<1xf64> {tam.slot = #tam.slot<state>},
                      %t: memref<1xf64> {tam.slot = #tam.slot<state, 64>},
                      %b: memref<2xf64> {tam.slot = #tam.slot<output>}) {
  // CHECK: %[[T:.*]] = llvm.getelementptr %[[STATE]][64]
  // CHECK: %[[N:.*]] = llvm.mlir.constant(2 : i64) : i64
  %n = arith.constant 2 : i64
  // CHECK: %[[CONSTANTS:.*]] = llvm.mlir.addressof @tam_constants : !llvm.ptr
  // CHECK: %[[TABLE:.*]] = llvm.getelementptr %[[CONSTANTS]][64]
  %table = memref.get_global @table : memref<2x2xi64>
  %flat = memref.cast %table : memref<2x2xi64> to memref<?x2xi64>
  // CHECK: %[[LIST:.*]] = llvm.alloca %{{.*}} x !llvm.ptr : (i64) -> !llvm.ptr
  // CHECK: llvm.store %[[STATE]], %[[LIST]] : !llvm.ptr, !llvm.ptr
  // CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[LIST]][8]
  // CHECK: llvm.store %[[T]], %[[NEXT]] : !llvm.ptr, !llvm.ptr
  // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(2 : i64) : i64
  // CHECK: llvm.call @tamrt_assemble_vector(%[[CONTEXT]], %[[TABLE]], %[[LIST]], %[[COUNT]], %[[N]], %[[OUTPUT]])
  tamk.launch "assemble_vector"
      ins(%flat, %s, %t : memref<?x2xi64>, memref<1xf64>, memref<1xf64>)
      scalars(%n : i64) outs(%b : memref<2xf64>)
  return
}

// Tables are accessed through the list of pointers to them, the carry like the
// state, and the rows of the whole group are an integer.
//
// CHECK-LABEL: llvm.func internal @fit_chunk_16(
// CHECK-SAME: %[[CONTEXT:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {{{[^}]*}}}, %{{[^:]*}}: !llvm.ptr {{{[^}]*}}},
// CHECK-SAME: %[[CARRY:[^:]*]]: !llvm.ptr {{{[^}]*}}}, %{{[^:]*}}: !llvm.ptr,
// CHECK-SAME: %[[TABLES:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[OUTPUT:[^:]*]]: !llvm.ptr,
// CHECK-SAME: %[[ROWS:[^:]*]]: i64, %[[FIRST:[^:]*]]: i64, %[[GROUP_ROWS:[^:]*]]: i64)
func.func @fit_chunk_16(%rows: index {tam.slot = #tam.slot<rows>},
                        %first: index {tam.slot = #tam.slot<first>},
                        %all: index {tam.slot = #tam.slot<group_rows>},
                        %range: memref<2xf64> {tam.slot = #tam.slot<table, 3>},
                        %x: memref<?xf64> {tam.slot = #tam.slot<column>},
                        %c: memref<18xf64> {tam.slot = #tam.slot<carry, 64>},
                        %out: memref<16x3xf64> {tam.slot = #tam.slot<output>}) {
  // CHECK: %[[RANGE_AT:.*]] = llvm.getelementptr %[[TABLES]][24] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: %[[RANGE:.*]] = llvm.load %[[RANGE_AT]] : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
  // CHECK: %[[C:.*]] = llvm.getelementptr %[[CARRY]][64] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: %[[WINDOW:.*]] = llvm.mlir.constant(16 : i64) : i64
  %window = arith.constant 16 : i64
  // CHECK: llvm.call @tamrt_pid(%[[CONTEXT]], %[[X]], %[[ROWS]], %[[FIRST]], %[[GROUP_ROWS]], %[[WINDOW]], %[[C]], %[[OUTPUT]])
  tamk.launch "pid" ins(%x : memref<?xf64>)
      scalars(%rows, %first, %all, %window : index, index, index, i64)
      outs(%c, %out : memref<18xf64>, memref<16x3xf64>)
  // CHECK: llvm.call @tamrt_normalize(%[[CONTEXT]], %[[X]], %[[RANGE]], %[[ROWS]], %[[OUTPUT]])
  tamk.launch "normalize" ins(%x, %range : memref<?xf64>, memref<2xf64>)
      scalars(%rows : index) outs(%out : memref<16x3xf64>)
  return
}

// A step that launches generated kernels runs for a row, too: it is optimised.
//
// CHECK-LABEL: llvm.func internal @predict_1(
// CHECK-NOT: optimize_none
// CHECK-SAME: attributes {tam.step = #tam.step<predict, 1>, tamk.cpu_code,
// CHECK: llvm.call @kernel(
module @row_loops {
  func.func private @kernel(%rows: index, %out: memref<?xf64>)
      attributes {tamk.kernel} {
    return
  }
}
func.func @predict_1(%rows: index {tam.slot = #tam.slot<rows>},
                     %out: memref<?xf64> {tam.slot = #tam.slot<output>})
    attributes {tam.step = #tam.step<predict, 1>,
                tamk.plan = #tamk.plan<arena_bytes = 0>} {
  tamk.launch "kernel" scalars(%rows : index) outs(%out : memref<?xf64>)
      {generated}
  return
}

// CHECK-NOT: func.func
// CHECK-NOT: memref.global
