// RUN: tam-opt %s -plan-memory="arena=alloc" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LEFT
// RUN: not tam-opt %s -plan-memory="arena=alloc strict" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STRICT
// RUN: tam-opt %s -o - \
// RUN:   -pass-pipeline="builtin.module(builtin.module(plan-memory{arena=alloc strict}))" \
// RUN:   | FileCheck %s

// A pass on a module leaves the modules in it alone, and says so.

module {
  module {
    // CHECK: memref.alloc() {{.*}} : memref<64xi8>
    func.func @inner(%v: f64) {
      // LEFT: :[[#@LINE+2]]:{{.*}}: remark: not planned: it is inside 'builtin.module', and only the functions of the module itself are planned
      // STRICT: :[[#@LINE+1]]:{{.*}}: error: cannot plan this allocation: it is inside 'builtin.module'
      %a = memref.alloc() : memref<8xf64>
      %c0 = arith.constant 0 : index
      memref.store %v, %a[%c0] : memref<8xf64>
      return
    }
  }
}
