// A step becomes a C++ function that declares each buffer at its offset.
//
// RUN: tam-opt %s --convert-tamk-to-emitc=version=9.9.9 | FileCheck %s

// CHECK: emitc.include <"tamrt/abi.h">
// CHECK: emitc.verbatim "alignas(TAMRT_ALIGNMENT) static const int64_t table[] = {\0A    1, -2};"
// CHECK: emitc.verbatim "\0A// Arena: 128 bytes, planned by 'naive'."
// CHECK: emitc.func @predict_8(%[[CTX:[^:]*]]: !emitc.opaque<"tamrt_context *">, {{.*}}, %{{.*}}: !emitc.opaque<"int64_t">) attributes {specifiers = ["static"]} {
// CHECK: verbatim "[[_:.*]] const auto ctx = {};" args %[[CTX]]
// CHECK: verbatim "const auto *const column_2 = static_cast<const double *>(columns[2]);"
// CHECK: verbatim "// x of tam.normalize for l(a  b): 64 bytes, launches 0 to 2"
// CHECK: verbatim "double *const x_0 = at<double>(arena, 64);"
// CHECK: literal "parameters + 4"
// CHECK: call_opaque "tamrt_normalize"(
// CHECK: literal "0.1"
// CHECK: call_opaque "tamrt_linear"(
// CHECK: verbatim "const double *const list_0[] = {values_1, x_0};"
// CHECK: literal "2"
// CHECK: call_opaque "tamrt_assemble_vector"(
// CHECK: emitc.verbatim "{{.*}}const tamrt_model tam_model = {
// CHECK: emitc.verbatim "\0Aint main(
module attributes {tam.model = #tam.model<name = "m", target = "y",
    columns = 1>} {
memref.global "private" constant @__table : memref<2xi64> = dense<[1, -2]>

func.func @predict_8(%rows: index {tam.slot = #tam.slot<rows>},
                     %v: memref<?xf64> {tam.slot = #tam.slot<column, 2>},
                     %p: memref<4xf64> {tam.slot = #tam.slot<parameters, 32>},
                     %out: memref<?xf64> {tam.slot = #tam.slot<output>},
                     %arena: memref<128xi8> {tam.slot = #tam.slot<arena>})
    attributes {tam.step = #tam.step<predict, 8>,
                tamk.plan = #tamk.plan<
                  arena_bytes = 128, strategy = "naive", buffers = [
                    <name = "x", op = "tam.normalize", term = "l(a\0A\0Ab)",
                     bytes = 64, offset = 64, first = 0, last = 2>,
                    <name = "values", op = "tam.linear",
                     bytes = 64, offset = 0, first = 1, last = 3>]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 1 : i64
  %f = arith.constant 0.1 : f64
  %table = memref.get_global @__table : memref<2xi64>
  %x = memref.view %arena[%c64][] {tamk.buffer = 0} : memref<128xi8> to memref<8xf64>
  %values = memref.view %arena[%c0][] {tamk.buffer = 1} : memref<128xi8> to memref<8x1xf64>
  tamk.launch "normalize" ins(%v, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%x : memref<8xf64>)
  tamk.launch "linear" ins(%x : memref<8xf64>)
      scalars(%rows, %f, %n : index, f64, i64) outs(%values : memref<8x1xf64>)
  tamk.launch "assemble_vector"
      ins(%table, %values, %x : memref<2xi64>, memref<8x1xf64>, memref<8xf64>)
      scalars(%n : i64) outs(%out : memref<?xf64>)
  return
}
}
