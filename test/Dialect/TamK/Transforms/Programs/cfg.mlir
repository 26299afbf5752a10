// Buffers that several blocks of a function use, or pass to each other. The
// program prints the same before and after planning, and every use finds its
// bytes.
//
// RUN: %lower %s | %run-main > %t.before
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc},check-plan)" \
// RUN:   | %lower | %run-main > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.after

func.func private @printF64(f64)
func.func private @printNewline()

func.func private @show(%m: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<8xf64>
  call @printF64(%v) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

// %a is needed in ^right and not in ^left, where %s takes its bytes.
// expected-remark @+2 {{planned 3 of 3 allocations: peak 128 bytes, lower bound 128, before 128}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @diamond(%c: i1) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  cf.cond_br %c, ^left, ^right
^left:
  %s = memref.alloc() : memref<8xf64>
  memref.store %one, %s[%c0] : memref<8xf64>
  call @show(%s) : (memref<8xf64>) -> ()
  memref.dealloc %s : memref<8xf64>
  cf.br ^end
^right:
  %t = memref.alloc() : memref<8xf64>
  memref.store %one, %t[%c0] : memref<8xf64>
  call @show(%t) : (memref<8xf64>) -> ()
  call @show(%a) : (memref<8xf64>) -> ()
  memref.dealloc %t : memref<8xf64>
  cf.br ^end
^end:
  memref.dealloc %a : memref<8xf64>
  return
}

// Either reaches ^join, so that both are needed there.
// expected-remark @+2 {{planned 3 of 3 allocations: peak 192 bytes, lower bound 192, before 192}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @join(%c: i1) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  cf.cond_br %c, ^left, ^right
^left:
  %a = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  cf.br ^join(%a : memref<8xf64>)
^right:
  %b = memref.alloc() : memref<8xf64>
  memref.store %two, %b[%c0] : memref<8xf64>
  cf.br ^join(%b : memref<8xf64>)
^join(%x: memref<8xf64>):
  %s = memref.alloc() : memref<8xf64>
  memref.store %two, %s[%c0] : memref<8xf64>
  call @show(%x) : (memref<8xf64>) -> ()
  call @show(%s) : (memref<8xf64>) -> ()
  memref.dealloc %x : memref<8xf64>
  memref.dealloc %s : memref<8xf64>
  return
}

// Blocks exchange two buffers (ping-pong). %s lies in no place of theirs.
// expected-remark @+2 {{planned 3 of 3 allocations: peak 192 bytes, lower bound 192, before 192}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @exchange() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  memref.store %one, %b[%c0] : memref<8xf64>
  cf.br ^loop(%c0, %a, %b : index, memref<8xf64>, memref<8xf64>)
^loop(%i: index, %x: memref<8xf64>, %y: memref<8xf64>):
  %more = arith.cmpi ult, %i, %c3 : index
  cf.cond_br %more, ^body, ^end
^body:
  %s = memref.alloc() : memref<8xf64>
  %v = memref.load %x[%c0] : memref<8xf64>
  %w = memref.load %y[%c0] : memref<8xf64>
  %sum = arith.addf %v, %w : f64
  memref.store %sum, %s[%c0] : memref<8xf64>
  %r = memref.load %s[%c0] : memref<8xf64>
  memref.store %r, %x[%c0] : memref<8xf64>
  memref.dealloc %s : memref<8xf64>
  %next = arith.addi %i, %c1 : index
  cf.br ^loop(%next, %y, %x : index, memref<8xf64>, memref<8xf64>)
^end:
  call @show(%x) : (memref<8xf64>) -> ()
  call @show(%y) : (memref<8xf64>) -> ()
  memref.dealloc %x : memref<8xf64>
  memref.dealloc %y : memref<8xf64>
  return
}

// Each round passes on what it allocates, and reads that of the round before
// only before: one address for all rounds, beside the first.
// expected-remark @+2 {{planned 2 of 2 allocations: peak 128 bytes, lower bound 128, before 128}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @carry() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  cf.br ^loop(%c0, %a : index, memref<8xf64>)
^loop(%i: index, %x: memref<8xf64>):
  %more = arith.cmpi ult, %i, %c3 : index
  cf.cond_br %more, ^body, ^end
^body:
  %v = memref.load %x[%c0] : memref<8xf64>
  memref.dealloc %x : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  %sum = arith.addf %v, %one : f64
  memref.store %sum, %b[%c0] : memref<8xf64>
  %next = arith.addi %i, %c1 : index
  cf.br ^loop(%next, %b : index, memref<8xf64>)
^end:
  call @show(%x) : (memref<8xf64>) -> ()
  memref.dealloc %x : memref<8xf64>
  return
}

// ^loop may show %b of an earlier round, but ^fresh has no use for that: its
// bytes hold %s.
// expected-remark @+2 {{planned 3 of 3 allocations: peak 128 bytes, lower bound 128, before 192}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @stale() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  cf.br ^loop(%c0, %a : index, memref<8xf64>)
^loop(%i: index, %x: memref<8xf64>):
  call @show(%x) : (memref<8xf64>) -> ()
  %bit = arith.remui %i, %c2 : index
  %even = arith.cmpi eq, %bit, %c0 : index
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %i, %c6 : index
  cf.cond_br %even, ^fresh, ^same
^fresh:
  %s = memref.alloc() : memref<8xf64>
  memref.store %one, %s[%c0] : memref<8xf64>
  call @show(%s) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64>
  %v = memref.load %s[%c0] : memref<8xf64>
  %sum = arith.addf %v, %one : f64
  memref.store %sum, %b[%c0] : memref<8xf64>
  memref.dealloc %s : memref<8xf64>
  cf.cond_br %more, ^loop(%next, %b : index, memref<8xf64>), ^end
^same:
  cf.cond_br %more, ^loop(%next, %a : index, memref<8xf64>), ^end
^end:
  return
}

// Both branches of an op end in one buffer, which another block uses.
// expected-remark @+2 {{planned 2 of 2 allocations: peak 128 bytes, lower bound 128, before 128}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @results(%c: i1) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %r = scf.if %c -> memref<8xf64> {
    %a = memref.alloc() : memref<8xf64>
    memref.store %one, %a[%c0] : memref<8xf64>
    scf.yield %a : memref<8xf64>
  } else {
    %b = memref.alloc() : memref<8xf64>
    memref.store %two, %b[%c0] : memref<8xf64>
    scf.yield %b : memref<8xf64>
  }
  cf.br ^end
^end:
  call @show(%r) : (memref<8xf64>) -> ()
  memref.dealloc %r : memref<8xf64>
  return
}

// The next one is there while this one is still used.
// expected-remark @+2 {{planned 1 of 2 allocations: peak 64 bytes, lower bound 64, before 128}}
// expected-note @+1 {{hidden dependencies were not looked for: the function has several blocks}}
func.func private @beside() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<8xf64>
  memref.store %one, %a[%c0] : memref<8xf64>
  cf.br ^loop(%c0, %a : index, memref<8xf64>)
^loop(%i: index, %x: memref<8xf64>):
  // expected-remark @+1 {{not planned: it may be used after the function has allocated it again}}
  %b = memref.alloc() : memref<8xf64>
  %v = memref.load %x[%c0] : memref<8xf64>
  memref.dealloc %x : memref<8xf64>
  %sum = arith.addf %v, %one : f64
  memref.store %sum, %b[%c0] : memref<8xf64>
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %i, %c3 : index
  cf.cond_br %more, ^loop(%next, %b : index, memref<8xf64>), ^end
^end:
  call @show(%b) : (memref<8xf64>) -> ()
  memref.dealloc %b : memref<8xf64>
  return
}

// CHECK: 1
// CHECK-NEXT: 1
// CHECK-NEXT: 1
// CHECK-NEXT: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 2
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// CHECK-NEXT: 5
// CHECK-NEXT: 4
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  call @diamond(%true) : (i1) -> ()
  call @diamond(%false) : (i1) -> ()
  call @join(%true) : (i1) -> ()
  call @join(%false) : (i1) -> ()
  call @exchange() : () -> ()
  call @carry() : () -> ()
  call @stale() : () -> ()
  call @results(%true) : (i1) -> ()
  call @beside() : () -> ()
  return
}
