// The cases of upstream's pass static-memory-planner-analysis (LLVM 23), as
// programs that compute something: docs/planning-pass.md compares them one by
// one. The program prints the same before and after planning, and every use
// finds its bytes.
//
// RUN: %lower %s | %run-main > %t.before
// RUN: %plugin-opt %s -verify-diagnostics \
// RUN:   --pass-pipeline="builtin.module(plan-memory{arena=alloc},check-plan)" \
// RUN:   | %lower | %run-main > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.after

func.func private @printF64(f64)
func.func private @printNewline()

// Writes a number, and reads and prints it.
func.func private @put(%m: memref<?xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  memref.store %v, %m[%c0] : memref<?xf64>
  return
}
func.func private @show(%m: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<?xf64>
  call @printF64(%v) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

// 1. One after the other: the same bytes.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @sequence() {
  %a = memref.alloc() : memref<128xf64>
  %v1 = arith.constant 1.0 : f64
  %m1 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m1, %v1) : (memref<?xf64>, f64) -> ()
  %m2 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m2) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<128xf64>
  %b = memref.alloc() : memref<64xf64>
  %v3 = arith.constant 2.0 : f64
  %m3 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @put(%m3, %v3) : (memref<?xf64>, f64) -> ()
  %m4 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @show(%m4) : (memref<?xf64>) -> ()
  memref.dealloc %b : memref<64xf64>
  return
}

// 2. Freed in the order of allocation.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 1536 bytes, lower bound 1536, before 1536}}
func.func private @in_order() {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<64xf64>
  %v5 = arith.constant 3.0 : f64
  %m5 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m5, %v5) : (memref<?xf64>, f64) -> ()
  %v6 = arith.constant 4.0 : f64
  %m6 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @put(%m6, %v6) : (memref<?xf64>, f64) -> ()
  %m7 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m7) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<128xf64>
  %m8 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @show(%m8) : (memref<?xf64>) -> ()
  memref.dealloc %b : memref<64xf64>
  return
}

// 3. The third takes the place of the first.
// expected-remark @+1 {{planned 3 of 3 allocations: peak 1536 bytes, lower bound 1536, before 1536}}
func.func private @interleaved() {
  %a = memref.alloc() : memref<128xf64>
  %v9 = arith.constant 5.0 : f64
  %m9 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m9, %v9) : (memref<?xf64>, f64) -> ()
  %b = memref.alloc() : memref<64xf64>
  %v10 = arith.constant 6.0 : f64
  %m10 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @put(%m10, %v10) : (memref<?xf64>, f64) -> ()
  %m11 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m11) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<128xf64>
  %d = memref.alloc() : memref<32xf64>
  %v12 = arith.constant 7.0 : f64
  %m12 = memref.cast %d : memref<32xf64> to memref<?xf64>
  func.call @put(%m12, %v12) : (memref<?xf64>, f64) -> ()
  %m13 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @show(%m13) : (memref<?xf64>) -> ()
  memref.dealloc %b : memref<64xf64>
  %m14 = memref.cast %d : memref<32xf64> to memref<?xf64>
  func.call @show(%m14) : (memref<?xf64>) -> ()
  memref.dealloc %d : memref<32xf64>
  return
}

// 4. A dynamic size stays, as dynamic=symbolic was not asked for.
// expected-remark @+1 {{planned 0 of 1 allocations: peak 0 bytes, lower bound 0, before 0}}
func.func private @dynamic(%n: index) {
  // expected-remark @+1 {{not planned: its size is not static}}
  %a = memref.alloc(%n) : memref<?xf64>
  %v = arith.constant 8.0 : f64
  call @put(%a, %v) : (memref<?xf64>, f64) -> ()
  call @show(%a) : (memref<?xf64>) -> ()
  return
}

// 5. Never freed: planned all the same.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @never_freed() {
  %a = memref.alloc() : memref<128xf64>
  %v16 = arith.constant 9.0 : f64
  %m16 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m16, %v16) : (memref<?xf64>, f64) -> ()
  %m17 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m17) : (memref<?xf64>) -> ()
  return
}

// 6. Freed in a branch alone.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @freed_in_branch(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %v18 = arith.constant 10.0 : f64
  %m18 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m18, %v18) : (memref<?xf64>, f64) -> ()
  %m19 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m19) : (memref<?xf64>) -> ()
  scf.if %p {
    memref.dealloc %a : memref<128xf64>
  }
  return
}

// 7. Three after each other.
// expected-remark @+1 {{planned 3 of 3 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @three() {
  %a = memref.alloc() : memref<128xf64>
  %v20 = arith.constant 11.0 : f64
  %m20 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m20, %v20) : (memref<?xf64>, f64) -> ()
  %m21 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m21) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<128xf64>
  %b = memref.alloc() : memref<64xf64>
  %v22 = arith.constant 12.0 : f64
  %m22 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @put(%m22, %v22) : (memref<?xf64>, f64) -> ()
  %m23 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @show(%m23) : (memref<?xf64>) -> ()
  memref.dealloc %b : memref<64xf64>
  %d = memref.alloc() : memref<256xf64>
  %v24 = arith.constant 13.0 : f64
  %m24 = memref.cast %d : memref<256xf64> to memref<?xf64>
  func.call @put(%m24, %v24) : (memref<?xf64>, f64) -> ()
  %m25 = memref.cast %d : memref<256xf64> to memref<?xf64>
  func.call @show(%m25) : (memref<?xf64>) -> ()
  memref.dealloc %d : memref<256xf64>
  return
}

// 8. Alignments of their own: padding counts.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 88 bytes, lower bound 88, before 48}}
func.func private @aligned() {
  %a = memref.alloc() {alignment = 256 : i64} : memref<3xf64>
  %b = memref.alloc() {alignment = 64 : i64} : memref<3xf64>
  %v26 = arith.constant 14.0 : f64
  %m26 = memref.cast %a : memref<3xf64> to memref<?xf64>
  func.call @put(%m26, %v26) : (memref<?xf64>, f64) -> ()
  %v27 = arith.constant 15.0 : f64
  %m27 = memref.cast %b : memref<3xf64> to memref<?xf64>
  func.call @put(%m27, %v27) : (memref<?xf64>, f64) -> ()
  %m28 = memref.cast %a : memref<3xf64> to memref<?xf64>
  func.call @show(%m28) : (memref<?xf64>) -> ()
  %m29 = memref.cast %b : memref<3xf64> to memref<?xf64>
  func.call @show(%m29) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<3xf64>
  memref.dealloc %b : memref<3xf64>
  return
}

// 9. A choice decides what is freed.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @choice_freed(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<128xf64>
  %v30 = arith.constant 16.0 : f64
  %m30 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m30, %v30) : (memref<?xf64>, f64) -> ()
  %v31 = arith.constant 17.0 : f64
  %m31 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @put(%m31, %v31) : (memref<?xf64>, f64) -> ()
  %r = arith.select %p, %a, %b : memref<128xf64>
  %m32 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m32) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  return
}

// 10. Two choices free both.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @two_choices(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<128xf64>
  %v33 = arith.constant 18.0 : f64
  %m33 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m33, %v33) : (memref<?xf64>, f64) -> ()
  %v34 = arith.constant 19.0 : f64
  %m34 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @put(%m34, %v34) : (memref<?xf64>, f64) -> ()
  %r = arith.select %p, %a, %b : memref<128xf64>
  %m35 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m35) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  %s = arith.select %p, %b, %a : memref<128xf64>
  %m36 = memref.cast %s : memref<128xf64> to memref<?xf64>
  func.call @show(%m36) : (memref<?xf64>) -> ()
  memref.dealloc %s : memref<128xf64>
  return
}

// 11. Each freed under a condition.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @conditions(%p: i1, %q: i1) {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<128xf64>
  %v37 = arith.constant 20.0 : f64
  %m37 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m37, %v37) : (memref<?xf64>, f64) -> ()
  %v38 = arith.constant 21.0 : f64
  %m38 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @put(%m38, %v38) : (memref<?xf64>, f64) -> ()
  %m39 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m39) : (memref<?xf64>) -> ()
  %m40 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @show(%m40) : (memref<?xf64>) -> ()
  scf.if %p {
    memref.dealloc %a : memref<128xf64>
  }
  scf.if %q {
    memref.dealloc %b : memref<128xf64>
  }
  return
}

// 12. Results of branches are freed.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @results(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<128xf64>
  %v41 = arith.constant 22.0 : f64
  %m41 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m41, %v41) : (memref<?xf64>, f64) -> ()
  %v42 = arith.constant 23.0 : f64
  %m42 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @put(%m42, %v42) : (memref<?xf64>, f64) -> ()
  %r = scf.if %p -> memref<128xf64> {
    scf.yield %a : memref<128xf64>
  } else {
    scf.yield %b : memref<128xf64>
  }
  %s = scf.if %p -> memref<128xf64> {
    scf.yield %b : memref<128xf64>
  } else {
    scf.yield %a : memref<128xf64>
  }
  %m43 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m43) : (memref<?xf64>) -> ()
  %m44 = memref.cast %s : memref<128xf64> to memref<?xf64>
  func.call @show(%m44) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  memref.dealloc %s : memref<128xf64>
  return
}

// 13. Allocated in a branch: planned, too.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @in_branch(%p: i1) {
  scf.if %p {
    %b = memref.alloc() : memref<128xf64>
    %v45 = arith.constant 24.0 : f64
    %m45 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @put(%m45, %v45) : (memref<?xf64>, f64) -> ()
    %m46 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @show(%m46) : (memref<?xf64>) -> ()
    memref.dealloc %b : memref<128xf64>
  }
  return
}

// 14. A result is from outside, or from the branch that frees that. Each has its
// own address, and both deallocations go.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before}}
func.func private @outside_or_inside(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %v47 = arith.constant 25.0 : f64
  %m47 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m47, %v47) : (memref<?xf64>, f64) -> ()
  %r = scf.if %p -> memref<128xf64> {
    %m48 = memref.cast %a : memref<128xf64> to memref<?xf64>
    func.call @show(%m48) : (memref<?xf64>) -> ()
    memref.dealloc %a : memref<128xf64>
    %b = memref.alloc() : memref<128xf64>
    %v49 = arith.constant 26.0 : f64
    %m49 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @put(%m49, %v49) : (memref<?xf64>, f64) -> ()
    scf.yield %b : memref<128xf64>
  } else {
    scf.yield %a : memref<128xf64>
  }
  %m50 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m50) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  return
}

// 15. Allocated in a loop: one address for all iterations.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<128xf64>
    %v51 = arith.constant 27.0 : f64
    %m51 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @put(%m51, %v51) : (memref<?xf64>, f64) -> ()
    %m52 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @show(%m52) : (memref<?xf64>) -> ()
    memref.dealloc %b : memref<128xf64>
  }
  return
}

// 16. Each iteration frees that of the one before, and allocates its own.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before}}
func.func private @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<128xf64>
  %v53 = arith.constant 28.0 : f64
  %m53 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m53, %v53) : (memref<?xf64>, f64) -> ()
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<128xf64>) {
    %m54 = memref.cast %x : memref<128xf64> to memref<?xf64>
    func.call @show(%m54) : (memref<?xf64>) -> ()
    memref.dealloc %x : memref<128xf64>
    %b = memref.alloc() : memref<128xf64>
    %v55 = arith.constant 29.0 : f64
    %m55 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @put(%m55, %v55) : (memref<?xf64>, f64) -> ()
    scf.yield %b : memref<128xf64>
  }
  %m56 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m56) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  return
}

// 17. That of the iteration before is never freed.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before}}
func.func private @carried_and_lost(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<128xf64>
  %v57 = arith.constant 30.0 : f64
  %m57 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m57, %v57) : (memref<?xf64>, f64) -> ()
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<128xf64>) {
    %b = memref.alloc() : memref<128xf64>
    %v58 = arith.constant 31.0 : f64
    %m58 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @put(%m58, %v58) : (memref<?xf64>, f64) -> ()
    scf.yield %b : memref<128xf64>
  }
  %m59 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m59) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  return
}

// 18. The loop frees that from outside by its own name, in its only iteration.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before}}
func.func private @freed_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<128xf64>
  %v60 = arith.constant 32.0 : f64
  %m60 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m60, %v60) : (memref<?xf64>, f64) -> ()
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<128xf64>) {
    %m61 = memref.cast %a : memref<128xf64> to memref<?xf64>
    func.call @show(%m61) : (memref<?xf64>) -> ()
    memref.dealloc %a : memref<128xf64>
    %b = memref.alloc() : memref<128xf64>
    %v62 = arith.constant 33.0 : f64
    %m62 = memref.cast %b : memref<128xf64> to memref<?xf64>
    func.call @put(%m62, %v62) : (memref<?xf64>, f64) -> ()
    scf.yield %b : memref<128xf64>
  }
  %m63 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m63) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  return
}

// 19. A static and a dynamic size.
// expected-remark @+1 {{planned 1 of 2 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @mixed_sizes(%n: index) {
  %a = memref.alloc() : memref<128xf64>
  // expected-remark @+1 {{not planned: its size is not static}}
  %b = memref.alloc(%n) : memref<?xf64>
  %v64 = arith.constant 34.0 : f64
  %m64 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m64, %v64) : (memref<?xf64>, f64) -> ()
  %w = arith.constant 35.0 : f64
  call @put(%b, %w) : (memref<?xf64>, f64) -> ()
  %m65 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m65) : (memref<?xf64>) -> ()
  call @show(%b) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<128xf64>
  return
}

// 20. Both branches free it.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @freed_in_both(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %v66 = arith.constant 36.0 : f64
  %m66 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m66, %v66) : (memref<?xf64>, f64) -> ()
  scf.if %p {
    %m67 = memref.cast %a : memref<128xf64> to memref<?xf64>
    func.call @show(%m67) : (memref<?xf64>) -> ()
    memref.dealloc %a : memref<128xf64>
  } else {
    memref.dealloc %a : memref<128xf64>
  }
  return
}

// 21. Freed three branches deep.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @deep(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %v68 = arith.constant 37.0 : f64
  %m68 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m68, %v68) : (memref<?xf64>, f64) -> ()
  scf.if %p {
    scf.if %p {
      scf.if %p {
        %m69 = memref.cast %a : memref<128xf64> to memref<?xf64>
        func.call @show(%m69) : (memref<?xf64>) -> ()
        memref.dealloc %a : memref<128xf64>
      }
    }
  }
  return
}

// 22. A result of a result.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @chained(%p: i1, %q: i1) {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<128xf64>
  %v70 = arith.constant 38.0 : f64
  %m70 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m70, %v70) : (memref<?xf64>, f64) -> ()
  %v71 = arith.constant 39.0 : f64
  %m71 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @put(%m71, %v71) : (memref<?xf64>, f64) -> ()
  %r = scf.if %p -> memref<128xf64> {
    scf.yield %a : memref<128xf64>
  } else {
    scf.yield %b : memref<128xf64>
  }
  %s = scf.if %q -> memref<128xf64> {
    scf.yield %r : memref<128xf64>
  } else {
    scf.yield %a : memref<128xf64>
  }
  %m72 = memref.cast %s : memref<128xf64> to memref<?xf64>
  func.call @show(%m72) : (memref<?xf64>) -> ()
  memref.dealloc %s : memref<128xf64>
  return
}

// 23. A choice becomes a result.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @choice_to_result(%p: i1, %q: i1) {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<128xf64>
  %v73 = arith.constant 40.0 : f64
  %m73 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m73, %v73) : (memref<?xf64>, f64) -> ()
  %v74 = arith.constant 41.0 : f64
  %m74 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @put(%m74, %v74) : (memref<?xf64>, f64) -> ()
  %s = arith.select %p, %a, %b : memref<128xf64>
  %r = scf.if %q -> memref<128xf64> {
    scf.yield %s : memref<128xf64>
  } else {
    scf.yield %a : memref<128xf64>
  }
  %m75 = memref.cast %r : memref<128xf64> to memref<?xf64>
  func.call @show(%m75) : (memref<?xf64>) -> ()
  memref.dealloc %r : memref<128xf64>
  return
}

// 24. One freed in a branch, one beside it.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 1536 bytes, lower bound 1536, before 1536}}
func.func private @freed_apart(%p: i1) {
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<64xf64>
  %v76 = arith.constant 42.0 : f64
  %m76 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m76, %v76) : (memref<?xf64>, f64) -> ()
  %v77 = arith.constant 43.0 : f64
  %m77 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @put(%m77, %v77) : (memref<?xf64>, f64) -> ()
  %m78 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @show(%m78) : (memref<?xf64>) -> ()
  scf.if %p {
    memref.dealloc %a : memref<128xf64>
  }
  %m79 = memref.cast %b : memref<64xf64> to memref<?xf64>
  func.call @show(%m79) : (memref<?xf64>) -> ()
  memref.dealloc %b : memref<64xf64>
  return
}

// 25. Freed in a branch of an else.
// expected-remark @+1 {{planned 1 of 1 allocations: peak 1024 bytes, lower bound 1024, before 1024}}
func.func private @freed_in_else(%p: i1, %q: i1) {
  %a = memref.alloc() : memref<128xf64>
  %v80 = arith.constant 44.0 : f64
  %m80 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m80, %v80) : (memref<?xf64>, f64) -> ()
  scf.if %p {
  } else {
    scf.if %q {
      %m81 = memref.cast %a : memref<128xf64> to memref<?xf64>
      func.call @show(%m81) : (memref<?xf64>) -> ()
      memref.dealloc %a : memref<128xf64>
    }
  }
  return
}

// 26. A loop copies one to the other.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 2048 bytes, lower bound 2048, before 2048}}
func.func private @copied_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<128xf64>
  %b = memref.alloc() : memref<128xf64>
  %v82 = arith.constant 45.0 : f64
  %m82 = memref.cast %a : memref<128xf64> to memref<?xf64>
  func.call @put(%m82, %v82) : (memref<?xf64>, f64) -> ()
  %v83 = arith.constant 46.0 : f64
  %m83 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @put(%m83, %v83) : (memref<?xf64>, f64) -> ()
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %a, %b : memref<128xf64> to memref<128xf64>
  }
  %m84 = memref.cast %b : memref<128xf64> to memref<?xf64>
  func.call @show(%m84) : (memref<?xf64>) -> ()
  memref.dealloc %a : memref<128xf64>
  memref.dealloc %b : memref<128xf64>
  return
}

// CHECK: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// CHECK-NEXT: 4
// CHECK-NEXT: 5
// CHECK-NEXT: 6
// CHECK-NEXT: 7
// CHECK-NEXT: 8
// CHECK-NEXT: 9
// CHECK-NEXT: 10
// CHECK-NEXT: 11
// CHECK-NEXT: 12
// CHECK-NEXT: 13
// CHECK-NEXT: 14
// CHECK-NEXT: 15
// CHECK-NEXT: 16
// CHECK-NEXT: 17
// CHECK-NEXT: 18
// CHECK-NEXT: 19
// CHECK-NEXT: 19
// CHECK-NEXT: 18
// CHECK-NEXT: 20
// CHECK-NEXT: 21
// CHECK-NEXT: 22
// CHECK-NEXT: 23
// CHECK-NEXT: 23
// CHECK-NEXT: 22
// CHECK-NEXT: 24
// CHECK-NEXT: 25
// CHECK-NEXT: 26
// CHECK-NEXT: 25
// CHECK-NEXT: 27
// CHECK-NEXT: 27
// CHECK-NEXT: 28
// CHECK-NEXT: 29
// CHECK-NEXT: 29
// CHECK-NEXT: 28
// CHECK-NEXT: 31
// CHECK-NEXT: 30
// CHECK-NEXT: 32
// CHECK-NEXT: 33
// CHECK-NEXT: 34
// CHECK-NEXT: 35
// CHECK-NEXT: 36
// CHECK-NEXT: 37
// CHECK-NEXT: 38
// CHECK-NEXT: 39
// CHECK-NEXT: 38
// CHECK-NEXT: 41
// CHECK-NEXT: 40
// CHECK-NEXT: 42
// CHECK-NEXT: 43
// CHECK-NEXT: 44
// CHECK-NEXT: 45
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  call @sequence() : () -> ()
  call @in_order() : () -> ()
  call @interleaved() : () -> ()
  call @dynamic(%c8) : (index) -> ()
  call @never_freed() : () -> ()
  call @freed_in_branch(%true) : (i1) -> ()
  call @three() : () -> ()
  call @aligned() : () -> ()
  call @choice_freed(%true) : (i1) -> ()
  call @choice_freed(%false) : (i1) -> ()
  call @two_choices(%true) : (i1) -> ()
  call @two_choices(%false) : (i1) -> ()
  call @conditions(%true, %true) : (i1, i1) -> ()
  call @results(%true) : (i1) -> ()
  call @results(%false) : (i1) -> ()
  call @in_branch(%true) : (i1) -> ()
  call @in_branch(%false) : (i1) -> ()
  call @outside_or_inside(%true) : (i1) -> ()
  call @outside_or_inside(%false) : (i1) -> ()
  call @in_loop(%c2) : (index) -> ()
  call @carried(%c2) : (index) -> ()
  call @carried(%c0) : (index) -> ()
  call @carried_and_lost(%c2) : (index) -> ()
  call @carried_and_lost(%c0) : (index) -> ()
  call @freed_in_loop(%c1) : (index) -> ()
  call @mixed_sizes(%c8) : (index) -> ()
  call @freed_in_both(%true) : (i1) -> ()
  call @freed_in_both(%false) : (i1) -> ()
  call @deep(%true) : (i1) -> ()
  call @chained(%true, %true) : (i1, i1) -> ()
  call @chained(%false, %true) : (i1, i1) -> ()
  call @chained(%false, %false) : (i1, i1) -> ()
  call @choice_to_result(%false, %true) : (i1, i1) -> ()
  call @choice_to_result(%false, %false) : (i1, i1) -> ()
  call @freed_apart(%true) : (i1) -> ()
  call @freed_in_else(%false, %true) : (i1, i1) -> ()
  call @copied_in_loop(%c2) : (index) -> ()
  return
}
