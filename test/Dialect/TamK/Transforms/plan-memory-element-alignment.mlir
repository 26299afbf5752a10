// Numbers lie where code that was not told of an alignment expects them, also
// with a smaller `alignment`; so does the arena.
//
// RUN: tam-opt %s --plan-memory="alignment=2 arena=alloc strict report=false strategy=naive" \
// RUN:   | FileCheck %s

func.func private @use(memref<3xi8>)

// Each is 8 bytes behind the beginning of the one before, or more.
//
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: alignment = 8,
// CHECK: memref.alloc() {alignment = 8 : i64} : memref<44xi8>
// CHECK-DAG: %[[AT_F64:.*]] = arith.constant 8 : index
// CHECK-DAG: memref.view %{{.*}}[%[[AT_F64]]][] {{.*}} to memref<1xf64>
// CHECK-DAG: %[[AT_PAIR:.*]] = arith.constant 20 : index
// CHECK-DAG: memref.view %{{.*}}[%[[AT_PAIR]]][] {{.*}} to memref<1xcomplex<f32>>
// CHECK-DAG: %[[AT_VECTOR:.*]] = arith.constant 32 : index
// CHECK-DAG: memref.view %{{.*}}[%[[AT_VECTOR]]][] {{.*}} to memref<vector<i64>>
func.func @numbers(%b: i8, %v: f64, %z: complex<f32>, %w: vector<i64>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<3xi8>
  %d = memref.alloc() : memref<1xf64>
  %s = memref.alloc() : memref<1xi8>
  %p = memref.alloc() : memref<1xcomplex<f32>>
  %q = memref.alloc() : memref<vector<i64>>
  %t = memref.alloc() : memref<3xi8>
  call @use(%a) : (memref<3xi8>) -> ()
  memref.store %v, %d[%c0] : memref<1xf64>
  memref.store %b, %s[%c0] : memref<1xi8>
  memref.store %z, %p[%c0] : memref<1xcomplex<f32>>
  memref.store %w, %q[] : memref<vector<i64>>
  call @use(%t) : (memref<3xi8>) -> ()
  return
}
