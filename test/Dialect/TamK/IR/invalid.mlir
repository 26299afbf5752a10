// One test per constraint; the comment above a test names the constraint.
//
// RUN: tam-opt %s -split-input-file -verify-diagnostics

// plan_c3
// expected-error @+1 {{'tamk.plan' belongs on a function, as a #tamk.plan}}
module attributes {tamk.plan = #tamk.plan<arena_bytes = 0>} {}

// -----

// plan_c3
// expected-error @+1 {{'tamk.plan' belongs on a function, as a #tamk.plan}}
func.func private @f() attributes {tamk.plan = 64}

// -----

// expected-error @+1 {{unknown attribute 'tamk.paln' of the tamk dialect}}
func.func private @f() attributes {tamk.paln = {}}

// -----

// launch_c1
func.func @f(%rows: index, %out: memref<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected a kernel of the runtime, got 'offsets'}}
  tamk.launch "offsets" scalars(%rows : index) outs(%out : memref<?x1xf64>)
  return
}

// -----

// launch_c2: an input too few.
func.func @f(%v: memref<?xf64>, %rows: index, %out: memref<?xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 2 inputs of 'normalize', got 1 and absent 0}}
  tamk.launch "normalize" ins(%v : memref<?xf64>) scalars(%rows : index)
      outs(%out : memref<?xf64>)
  return
}

// -----

// launch_c2: an input too many.
func.func @f(%v: memref<?xf64>, %rows: index, %out: memref<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 0 inputs of 'offset', got 1 and absent 0}}
  tamk.launch "offset" ins(%v : memref<?xf64>) scalars(%rows : index)
      outs(%out : memref<?x1xf64>)
  return
}

// -----

// launch_c2: an optional input is given and listed as absent.
func.func @f(%a: memref<?x3xf64>, %w: memref<?xf64>, %i: index,
             %sums: memref<9xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 2 inputs of 'gram_dense', got 2 and absent 1}}
  tamk.launch "gram_dense" ins(%a, %w : memref<?x3xf64>, memref<?xf64>)
      absent [1] scalars(%i, %i : index, index)
      outs(%sums : memref<9xf64>)
  return
}

// -----

// launch_c2: an optional input is missing and not listed as absent.
func.func @f(%a: memref<?x3xf64>, %i: index, %sums: memref<9xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 2 inputs of 'gram_dense', got 1 and absent 0}}
  tamk.launch "gram_dense" ins(%a : memref<?x3xf64>)
      scalars(%i, %i : index, index) outs(%sums : memref<9xf64>)
  return
}

// -----

// launch_c2: only an optional input can be absent.
func.func @f(%w: memref<?xf64>, %i: index, %sums: memref<9xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 2 inputs of 'gram_dense', got 1 and absent 1}}
  tamk.launch "gram_dense" ins(%w : memref<?xf64>) absent [0]
      scalars(%i, %i : index, index) outs(%sums : memref<9xf64>)
  return
}

// -----

// launch_c2: absent is a position among the kernel's inputs.
func.func @f(%a: memref<?x3xf64>, %w: memref<?xf64>, %i: index,
             %sums: memref<9xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 2 inputs of 'gram_dense', got 2 and absent 1}}
  tamk.launch "gram_dense" ins(%a, %w : memref<?x3xf64>, memref<?xf64>)
      absent [7] scalars(%i, %i : index, index)
      outs(%sums : memref<9xf64>)
  return
}

// -----

// launch_c2: nothing is absent twice.
func.func @f(%a: memref<?x3xf64>, %i: index, %sums: memref<9xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 2 inputs of 'gram_dense', got 1 and absent 2}}
  tamk.launch "gram_dense" ins(%a : memref<?x3xf64>) absent [1, 1]
      scalars(%i, %i : index, index) outs(%sums : memref<9xf64>)
  return
}

// -----

// launch_c2: scalars.
func.func @f(%i: index, %out: memref<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 1 scalars of 'offset', got 2}}
  tamk.launch "offset" scalars(%i, %i : index, index)
      outs(%out : memref<?x1xf64>)
  return
}

// -----

// launch_c2: no scalars.
func.func @f(%out: memref<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 1 scalars of 'offset', got 0}}
  tamk.launch "offset" outs(%out : memref<?x1xf64>)
  return
}

// -----

// launch_c2: destinations.
func.func @f(%x: memref<?xf64>, %p: memref<4xf64>, %i: index,
             %v: memref<?x4xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 2 destinations of 'bspline', got 1}}
  tamk.launch "bspline" ins(%x, %p : memref<?xf64>, memref<4xf64>)
      scalars(%i, %i, %i, %i : index, index, index, index)
      outs(%v : memref<?x4xf64>)
  return
}

// -----

// launch_c3: an input's element type.
func.func @f(%v: memref<?xi32>, %p: memref<4xf64>, %rows: index,
             %out: memref<?xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 'f64' for 'v', got 'memref<?xi32>'}}
  tamk.launch "normalize" ins(%v, %p : memref<?xi32>, memref<4xf64>)
      scalars(%rows : index) outs(%out : memref<?xf64>)
  return
}

// -----

// launch_c3: a list's element type.
func.func @f(%t: memref<2xi64>, %b: memref<2x1xi64>, %n: i64,
             %out: memref<1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 'f64' for 'blocks', got 'memref<2x1xi64>'}}
  tamk.launch "assemble_vector" ins(%t, %b : memref<2xi64>, memref<2x1xi64>)
      scalars(%n : i64) outs(%out : memref<1xf64>)
  return
}

// -----

// launch_c3: a destination's element type.
func.func @f(%x: memref<?xf64>, %p: memref<4xf64>, %i: index,
             %v: memref<?x4xf64>, %s: memref<?xi64>) {
  // expected-error @+1 {{'tamk.launch' op expected 'i32' for 'start', got 'memref<?xi64>'}}
  tamk.launch "bspline" ins(%x, %p : memref<?xf64>, memref<4xf64>)
      scalars(%i, %i, %i, %i : index, index, index, index)
      outs(%v, %s : memref<?x4xf64>, memref<?xi64>)
  return
}

// -----

// launch_c3: a number where a count is expected.
func.func @f(%rows: f64, %out: memref<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 'i64' for 'rows', got 'f64'}}
  tamk.launch "offset" scalars(%rows : f64) outs(%out : memref<?x1xf64>)
  return
}

// -----

// launch_c3: a count where a number is expected.
func.func @f(%x: memref<?xf64>, %i: index, %out: memref<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 'f64' for 'scale', got 'index'}}
  tamk.launch "linear" ins(%x : memref<?xf64>)
      scalars(%i, %i, %i : index, index, index) outs(%out : memref<?x1xf64>)
  return
}

// -----

// launch_c4: a tensor and a memref.
func.func @f(%v: tensor<?xf64>, %p: memref<4xf64>, %rows: index,
             %out: memref<?xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected tensors or memrefs, got both}}
  tamk.launch "normalize" ins(%v, %p : tensor<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%out : memref<?xf64>)
  return
}

// -----

// launch_c4: no result on tensors.
func.func @f(%rows: index, %out: tensor<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 1 results of the destinations' types, got 0}}
  tamk.launch "offset" scalars(%rows : index) outs(%out : tensor<?x1xf64>)
  return
}

// -----

// launch_c4: a result of another type.
func.func @f(%rows: index, %out: tensor<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected result 0 of 'tensor<?x1xf64>', got 'tensor<4x1xf64>'}}
  %0 = tamk.launch "offset" scalars(%rows : index)
      outs(%out : tensor<?x1xf64>) -> tensor<4x1xf64>
  return
}

// -----

// launch_c4: a result on memrefs.
func.func @f(%rows: index, %out: memref<?x1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected 0 results of the destinations' types, got 1}}
  %0 = tamk.launch "offset" scalars(%rows : index)
      outs(%out : memref<?x1xf64>) -> tensor<?x1xf64>
  return
}

// -----

// launch_c5: an input.
func.func @f(%v: memref<?xf64, strided<[2]>>, %p: memref<4xf64>, %rows: index,
             %out: memref<?xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected the identity layout, got 'memref<?xf64, strided<[2]>>'}}
  tamk.launch "normalize"
      ins(%v, %p : memref<?xf64, strided<[2]>>, memref<4xf64>)
      scalars(%rows : index) outs(%out : memref<?xf64>)
  return
}

// -----

// launch_c5: a destination at an offset.
func.func @f(%rows: index, %out: memref<?x1xf64, strided<[1, 1], offset: 8>>) {
  // expected-error @+1 {{'tamk.launch' op expected the identity layout, got 'memref<?x1xf64, strided<[1, 1], offset: 8>>'}}
  tamk.launch "offset" scalars(%rows : index)
      outs(%out : memref<?x1xf64, strided<[1, 1], offset: 8>>)
  return
}

// -----

func.func @f(%rows: index, %out: memref<?x1xf32>) {
  // expected-error @+1 {{'tamk.launch' op operand #1 must be variadic of ranked tensor of 64-bit float or 32-bit signless integer or 64-bit signless integer values or memref of 64-bit float or 32-bit signless integer or 64-bit signless integer values, but got 'memref<?x1xf32>'}}
  tamk.launch "offset" scalars(%rows : index) outs(%out : memref<?x1xf32>)
  return
}

// -----

// launch_c5: a row loop's buffers are contiguous.
func.func private @step()
module @row_loops {
  func.func private @rows_0(%rows: index, %out: memref<?xf64, strided<[2]>>) {
    // expected-error @+1 {{'tamk.launch' op expected the identity layout, got 'memref<?xf64, strided<[2]>>'}}
    tamk.launch "offset" scalars(%rows : index)
        outs(%out : memref<?xf64, strided<[2]>>)
    return
  }
}

// -----

// launch_c1, of a generated kernel.
func.func @f(%rows: index, %sums: memref<1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected a row loop 'rows_0'}}
  tamk.launch "rows_0" scalars(%rows, %rows : index, index)
      outs(%sums : memref<1xf64>) {generated}
  return
}

// -----

// launch_c1, of a generated kernel.
module @row_loops {
  func.func private @rows_0(index, memref<1xf64>) attributes {tamk.kernel}
}
func.func @f(%rows: index, %sums: memref<1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected a row loop of 3 arguments, got 'rows_0' of 2}}
  tamk.launch "rows_0" scalars(%rows, %rows : index, index)
      outs(%sums : memref<1xf64>) {generated}
  return
}

// -----

// launch_c6
module @row_loops {
  func.func private @rows_0(index, memref<1xf64>) attributes {tamk.kernel}
}
func.func @f(%rows: index, %sums: memref<1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected all inputs of a generated kernel}}
  tamk.launch "rows_0" absent [0] scalars(%rows : index)
      outs(%sums : memref<1xf64>) {generated}
  return
}

// -----

// expected-error @+1 {{'tamk.kernel' belongs on a function, as a unit}}
module attributes {tamk.kernel} {}

// -----

// expected-error @+1 {{'tamk.cpu_code' belongs on a function, as a unit}}
module attributes {tamk.cpu_code} {}

// -----

// expected-error @+1 {{'tamk.runs_table' belongs on a function, as a unit}}
module attributes {tamk.runs_table} {}

// -----

// expected-error @+1 {{'tamk.launches_of' belongs on a function, as a string}}
module attributes {tamk.launches_of = "step"} {}

// -----

// expected-error @+1 {{'tamk.launches_of' belongs on a function, as a string}}
llvm.func @step() attributes {tamk.launches_of = @step}

// -----

// expected-error @+1 {{'tamk.table' belongs on a function, as a symbol}}
module attributes {tamk.table = @table} {}

// -----

// expected-error @+1 {{'tamk.table' belongs on a function, as a symbol}}
llvm.func @step() attributes {tamk.table = "table"}

// -----

// launch_c7: a buffer.
module @row_loops {
  func.func private @rows_0(index, memref<1xf64>)
}
func.func @f(%x: memref<?xf64>, %sums: memref<1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected a row loop that takes 'memref<?xf64>', got 'rows_0' with 'index'}}
  tamk.launch "rows_0" ins(%x : memref<?xf64>)
      outs(%sums : memref<1xf64>) {generated}
  return
}

// -----

// launch_c7: a buffer of another size.
module @row_loops {
  func.func private @rows_0(index, memref<1xf64>)
}
func.func @f(%rows: index, %sums: memref<2xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected a row loop that takes 'memref<2xf64>', got 'rows_0' with 'memref<1xf64>'}}
  tamk.launch "rows_0" scalars(%rows : index)
      outs(%sums : memref<2xf64>) {generated}
  return
}

// -----

// launch_c7: a scalar.
module @row_loops {
  func.func private @rows_0(f64, memref<1xf64>)
}
func.func @f(%rows: index, %sums: memref<1xf64>) {
  // expected-error @+1 {{'tamk.launch' op expected a row loop that takes 'index', got 'rows_0' with 'f64'}}
  tamk.launch "rows_0" scalars(%rows : index)
      outs(%sums : memref<1xf64>) {generated}
  return
}

// -----

func.func @f(%is: i1) {
  // expected-error @+1 {{'tamk.rarity' belongs on an 'scf.if', as an i32 from 1 on}}
  scf.if %is {
  } {tamk.rarity = 0 : i32}
  return
}

// -----

// expected-error @+1 {{'tamk.rarity' belongs on an 'scf.if', as an i32 from 1 on}}
func.func private @f() attributes {tamk.rarity = 8 : i32}

// -----

// plan_c1
// expected-error @+1 {{expected no number below 0}}
func.func private @f() attributes {tamk.plan = #tamk.plan<arena_bytes = -64>}

// -----

// plan_c1
func.func private @f() attributes {
    // expected-error @+1 {{expected a power of two as the alignment, got 24}}
    tamk.plan = #tamk.plan<arena_bytes = 64, alignment = 24>}

// -----

// plan_c2
func.func private @f() attributes {
    // expected-error @+1 {{buffer 'x' ends beyond the arena's 64 bytes}}
    tamk.plan = #tamk.plan<arena_bytes = 64, buffers = [
        <name = "x", bytes = 32, offset = 40, first = 0, last = 1>]>}

// -----

// buffer_c1
func.func private @f() attributes {
    // expected-error @+1 {{expected bytes, an offset and launches in order, none below 0}}
    test.buffer = #tamk.buffer<bytes = 32, offset = 0, first = 2, last = 1>}
