// A remark for each function that allocates: bytes of its arenas, the bound,
// and the most bytes that its allocations had at one time before.
//
// RUN: tam-opt %s --plan-memory -verify-diagnostics -o %t

func.func private @use(memref<8xf64>)

// Each is freed when the next is made.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 64 bytes, lower bound 64, before 64}}
func.func @freed() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  memref.dealloc %a : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  memref.dealloc %b : memref<8xf64>
  return
}

// Never freed: all exist at the end.
// expected-remark @+1 {{planned 2 of 2 allocations: peak 64 bytes, lower bound 64, before 128}}
func.func @kept() {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  %b = memref.alloc() : memref<8xf64>
  call @use(%b) : (memref<8xf64>) -> ()
  return
}

// Refused allocations are not part of the peak.
// expected-remark @+1 {{planned 1 of 2 allocations: peak 64 bytes, lower bound 64, before 128}}
func.func @refused() -> memref<8xf64> {
  %a = memref.alloc() : memref<8xf64>
  call @use(%a) : (memref<8xf64>) -> ()
  // expected-remark @+1 {{not planned: it leaves its region by 'func.return'}}
  %b = memref.alloc() : memref<8xf64>
  return %b : memref<8xf64>
}

func.func @nothing() {
  return
}
