// The model as one constant of type tamrt_model. abi.h documents the fields;
// this test checks them in LLVM IR.
//
// RUN: tam-opt %s --convert-tamk-to-llvm --export-model=version=1.2 \
// RUN:   | mlir-translate --mlir-to-llvmir | FileCheck %s
// RUN: tam-opt %s --convert-tamk-to-llvm \
// RUN:   --export-model="main=false symbol=my_model" \
// RUN:   | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LIBRARY
// RUN: tam-opt %s --convert-tamk-to-llvm --export-model=prefix=house \
// RUN:   | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=PREFIX
// RUN: tam-opt %s --convert-tamk-to-llvm --export-model \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: tam-opt %s --convert-tamk-to-llvm=table-operands=0 --export-model \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: tam-opt %s --convert-tamk-to-llvm=table-operands=0 --export-model \
// RUN:   | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=TABLE

// The description and the steps' attributes are removed.
// PLAIN-NOT: tam.model
// PLAIN-NOT: tam.step
// PLAIN-NOT: tamk.plan
// PLAIN-NOT: tamk.cpu_code
// PLAIN-NOT: tamk.table
// PLAIN-NOT: tamk.runs_table

// Steps whose functions read their tables: two launches, one of a generated
// kernel.
// TABLE-DAG: @predict_8_launches = internal constant {{.*}} { i64 2, i64 4, ptr @predict_8_code, ptr @predict_8_offsets, ptr null, ptr null, i64 0, ptr @tam_generated }
// TABLE-DAG: @predict_8_code = internal constant [10 x i64] [i64 0, i64 4, i64 10, i64 3, i64 7, i64 13, i64 -1, i64 2, i64 3, i64 13]
// TABLE-DAG: @predict_8_offsets = internal constant [1 x i64] zeroinitializer
// TABLE-DAG: @tam_generated = internal constant [1 x ptr] [ptr @own_launch]
// TABLE-DAG: @tam_steps = {{.*}} { i32 0, i32 1, i32 0, i32 1, {{.*}} ptr @fit_init_launches }, {{.*}} { i32 3, i32 1, i32 1, i32 1, {{.*}} ptr @predict_8_launches }
// What nothing else aliases is an argument; the rest is read from the list.
// TABLE: define internal void @own_list(ptr %[[CTX:.*]], ptr %[[ARGUMENTS:.*]], ptr noalias %[[X:.*]]) {
// TABLE-NEXT: %[[P:.*]] = load ptr, ptr %[[ARGUMENTS]]
// TABLE-NEXT: call void @own(ptr %[[CTX]], ptr %[[P]], ptr %[[X]])
// TABLE: define internal void @own_launch(ptr %[[CTX:.*]], ptr %[[ARGUMENTS:.*]]) {
// TABLE-NEXT: %[[PLACE:.*]] = getelementptr i8, ptr %[[ARGUMENTS]], i32 8
// TABLE-NEXT: %[[X:.*]] = load ptr, ptr %[[PLACE]]
// TABLE-NEXT: call void @own_list(ptr %[[CTX]], ptr %[[ARGUMENTS]], ptr %[[X]])

// PREFIX: @tam_model = internal constant
// PREFIX-NOT: @main
// PREFIX: define i64 @house_weights_size(i64 %[[GROUPS:.*]]) {
// PREFIX-NEXT: %[[SIZE:.*]] = call i64 @tamrt_embed_weights_size(ptr @tam_model, i64 %[[GROUPS]])
// PREFIX-NEXT: ret i64 %[[SIZE]]
// PREFIX: define i32 @house_fit(ptr {{.*}}, ptr {{.*}}, i64 {{.*}}, ptr {{.*}}, i64 {{.*}}, ptr {{.*}}) {
// PREFIX-NEXT: call i32 @tamrt_embed_fit(ptr @tam_model, ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, ptr %{{.*}})

// LIBRARY: @my_model = constant
// LIBRARY-NOT: tamrt_main
// LIBRARY-NOT: @main

module attributes {tam.model = #tam.model<
    name = "m", formula = "y ~ l(a)", terms = "[1]", spec = "s", spec_hash = "abc",
    target = "y", weights = "w", device = "cuda:1", columns = 2, carry_bytes = 192,
    oracle = <rule = estimate, ram_share = 0.5, direct_limit = 99>,
    placement = <sums = device, solve = cpu, predict = device>,
    adapt = <window = 365, update = 2, horizon = 3, corrects = true>,
    inputs = [<column = "a", rule = codes, levels = 7, unseen = zero, lo = 0.5,
               hi = 2.5>],
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>,
               <name = "a", term = "l(a)", first = 1, columns = 1>],
    strengths = [<name = "a", effect = 1, ap = -2.0, value = 0.01, limit = 9.1>],
    tables = [<name = "a.features", type = tensor<5x2xi32>>,
              <name = "a.gamma", type = tensor<1xf64>>],
    learners = [<kind = oblivious_trees, choice = 1, sizes = [5, 2],
                 number = 0.5, seed = 42, effect = 1, inputs = [0],
                 first_table = 0, table_count = 2>]>,
    tam.plain = #tam.variant<factored = [1], state_bytes = 576,
        cg_state_bytes = 320, accumulators = [
            <kind = fit_chunk, offset = 64, count = 3, unit = 0.25>]>} {

// Equal texts share one global.
// CHECK-DAG: @[[A:tam_text_[0-9]+]] = internal constant [2 x i8] c"a\00"
// CHECK-DAG: @[[OFFSET:tam_text_[0-9]+]] = internal constant [7 x i8] c"offset\00"
// CHECK-DAG: @[[TERM:tam_text_[0-9]+]] = internal constant [5 x i8] c"l(a)\00"
// CHECK-DAG: @[[X:tam_text_[0-9]+]] = internal constant [2 x i8] c"x\00"
// CHECK-DAG: @[[OP:tam_text_[0-9]+]] = internal constant [14 x i8] c"tam.normalize\00"
// CHECK-DAG: @[[STEP:tam_text_[0-9]+]] = internal constant [10 x i8] c"predict_8\00"
// CHECK-DAG: @[[TREE:tam_text_[0-9]+]] = internal constant [5 x i8] c"tree\00"
// CHECK-DAG: @[[NAME:tam_text_[0-9]+]] = internal constant [2 x i8] c"m\00"
// CHECK-DAG: @[[FORMULA:tam_text_[0-9]+]] = internal constant [9 x i8] c"y ~ l(a)\00"
// CHECK-DAG: @[[TERMS:tam_text_[0-9]+]] = internal constant [4 x i8] c"[1]\00"
// CHECK-DAG: @[[SPEC:tam_text_[0-9]+]] = internal constant [2 x i8] c"s\00"
// CHECK-DAG: @[[HASH:tam_text_[0-9]+]] = internal constant [4 x i8] c"abc\00"
// CHECK-DAG: @[[Y:tam_text_[0-9]+]] = internal constant [2 x i8] c"y\00"
// CHECK-DAG: @[[W:tam_text_[0-9]+]] = internal constant [2 x i8] c"w\00"
// CHECK-DAG: @[[DIRECT:tam_text_[0-9]+]] = internal constant [7 x i8] c"direct\00"
// CHECK-DAG: @[[DEVICE:tam_text_[0-9]+]] = internal constant [7 x i8] c"cuda:1\00"
// CHECK-DAG: @[[VERSION:tam_text_[0-9]+]] = internal constant [4 x i8] c"1.2\00"
// CHECK-DAG: @[[LLVM:tam_text_[0-9]+]] = internal constant {{.*}} c"22.{{.*}}\00"

// What buffers name, then: name, op and term as places there, bytes, offset,
// first, last
// CHECK-DAG: @tam_plan_texts = internal constant {{.*}} { ptr @[[X]] }, { ptr } { ptr @[[OP]] }, { ptr } { ptr @[[TERM]] }]
// CHECK-DAG: @tam_buffers_predict_8 = internal constant [7 x i64] [i64 0, i64 1, i64 2, i64 64, i64 0, i64 0, i64 1]
// column, rule, levels, unseen, reserved, lo, hi
// CHECK-DAG: @tam_inputs = internal constant {{.*}} { ptr @[[A]], i32 1, i32 7, i32 2, i32 0, double 5.000000e-01, double 2.500000e+00 }]
// kind, reserved, offset, count, unit
// CHECK-DAG: @tam_accumulators = internal constant {{.*}} { i32 1, i32 0, i64 64, i64 3, double 2.500000e-01 }]
// name, is_integer, rank, shape, given
// CHECK-DAG: @[[FEATURES:tam_text_[0-9]+]] = internal constant [11 x i8] c"a.features\00"
// CHECK-DAG: @tam_tables = internal constant {{.*}} { ptr @[[FEATURES]], i32 1, i32 2, i64 5, i64 2, ptr null }, {{.*}} { ptr @{{.*}}, i32 0, i32 1, i64 1, i64 1, ptr null }]
// kind, choice, sizes, number, seed, effect, inputs, tables
// CHECK-DAG: @tam_learners = internal constant {{.*}} { i32 3, i32 1, i64 5, i64 2, double 5.000000e-01, i32 42, i32 1, i64 1, ptr @[[INPUTS:.*]], i64 0, i64 2 }]
// name, term, first column, columns, factored, reserved
// CHECK-DAG: @tam_effects = internal constant {{.*}} { ptr @[[OFFSET]], ptr @[[OFFSET]], i64 0, i64 1, i32 0, i32 0 }, {{.*}} { ptr @[[A]], ptr @[[TERM]], i64 1, i64 1, i32 1, i32 0 }]
// name, effect, ap, strength
// CHECK-DAG: @tam_penalties = internal constant {{.*}} { ptr @[[A]], i64 1, double -2.000000e+00, double 1.000000e-02, double 9.100000e+00 }]
// rule, reserved, shares, limit, factor: settings that the spec does not have
// are 0.
// CHECK-DAG: @tam_oracle = internal constant {{.*}} { i32 1, i32 0, double 0.000000e+00, double 5.000000e-01, double 0.000000e+00, double 0.000000e+00, i64 99, double 0.000000e+00 }]
// window, update, horizon, corrects, reserved, model
// CHECK-DAG: @tam_window_model = external constant i8
// CHECK-DAG: @tam_adapt = internal constant {{.*}} { i64 365, i64 2, i64 3, i32 1, i32 0, ptr @tam_window_model }]
// sums, solve, predict, reserved
// CHECK-DAG: @tam_placement = internal constant {{.*}} { i32 0, i32 1, i32 0, i32 0 }]
// kind, launches, code of the CPU (of the step that calls a function of the
// module), whether the function reads the table, name, rung, arena, lower bound,
// naive, strategy, function, buffers, table; a step without buffers has none of
// them.
// CHECK-DAG: @tam_steps = internal constant [2 x {{.*}} { i32 0, i32 1, i32 0, i32 0, ptr @{{.*}}, i64 0, i64 0, i64 0, i64 0, ptr @[[TREE]], ptr @fit_init, i64 0, ptr null, ptr @fit_init_launches }, {{.*}} { i32 3, i32 1, i32 1, i32 0, ptr @[[STEP]], i64 8, i64 128, i64 64, i64 192, ptr @[[TREE]], ptr @predict_8, i64 1, ptr @tam_buffers_predict_8, ptr @predict_8_launches }]
// The columns and the device are null if the spec does not have them; for
// `auto` the direct solver was chosen.
// CHECK: @tam_model = constant {{.*}} { i32 {{[0-9]+}}, i32 0, ptr @[[NAME]], ptr @[[FORMULA]], ptr @[[TERMS]], ptr @[[SPEC]], ptr @[[HASH]], ptr @[[Y]], ptr null, ptr null, ptr @[[W]], ptr @[[DIRECT]], ptr @[[DEVICE]], ptr @[[VERSION]], ptr @[[LLVM]], i64 2, i64 576, i64 192, i64 320, i64 1, ptr @tam_accumulators, ptr @tam_oracle, ptr @tam_placement, i64 1, ptr @tam_inputs, i64 2, ptr @tam_tables, i64 1, ptr @tam_learners, i64 2, ptr @tam_effects, i64 1, ptr @tam_penalties, ptr @tam_plan_texts, i64 2, ptr @tam_steps, ptr null, ptr null, ptr @tam_adapt, ptr null }

func.func @fit_init(%s: memref<2xf64> {tam.slot = #tam.slot<state>})
    attributes {tam.step = #tam.step<fit_init>,
                tamk.plan = #tamk.plan<arena_bytes = 0, length = 1,
                                       strategy = "tree">} {
  %n = arith.constant 2 : i64
  tamk.launch "zero" scalars(%n : i64) outs(%s : memref<2xf64>)
  return
}

func.func @predict_8(%rows: index {tam.slot = #tam.slot<rows>},
                     %v: memref<?xf64> {tam.slot = #tam.slot<column>},
                     %p: memref<4xf64> {tam.slot = #tam.slot<parameters>},
                     %arena: memref<128xi8> {tam.slot = #tam.slot<arena>})
    attributes {tam.step = #tam.step<predict, 8>,
                tamk.plan = #tamk.plan<
                  arena_bytes = 128, lower_bound_bytes = 64, naive_bytes = 192,
                  length = 1, strategy = "tree", buffers = [
                    <name = "x", op = "tam.normalize", term = "l(a)",
                     bytes = 64, offset = 0, first = 0, last = 1>]>} {
  %c0 = arith.constant 0 : index
  %x = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf64>
  tamk.launch "normalize" ins(%v, %p : memref<?xf64>, memref<4xf64>)
      scalars(%rows : index) outs(%x : memref<8xf64>)
  tamk.launch "own" ins(%p : memref<4xf64>) outs(%x : memref<8xf64>)
      {generated}
  return
}

module @row_loops {
  func.func private @own(%p: memref<4xf64>,
                         %x: memref<8xf64> {llvm.noalias}) {
    return
  }
}

}

// CHECK: define i32 @main(i32 %[[ARGC:.*]], ptr %[[ARGV:.*]]) {
// CHECK-NEXT: %[[STATUS:.*]] = call i32 @tamrt_main(ptr @tam_model, i32 %[[ARGC]], ptr %[[ARGV]])
// CHECK-NEXT: ret i32 %[[STATUS]]
