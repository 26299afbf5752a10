// The description of a model and of its variants, as text and as bytecode.
//
// RUN: tam-opt %s | tam-opt | FileCheck %s
// RUN: tam-opt %s -emit-bytecode | tam-opt | FileCheck %s

// The bytecode has the parameters, not the text.
// RUN: tam-opt %s -emit-bytecode | not grep -aE 'rule = |state_bytes = '

// What equals the default is not printed.
// CHECK: module attributes {tam.by_levels = #tam.variant<by_levels = [0], state_bytes = 128, accumulators = [<kind = fit_chunk, offset = 0, count = 3, unit = 2.500000e-01>, <kind = fit_chunk, offset = 64, count = 1>]>,
// CHECK-SAME: tam.model = #tam.model<name = "load", formula = "y ~ f(\22hour\22)", terms = "[{}]", spec = "a: [1, 2]\0Ab: <\C3\A9>", spec_hash = "abc", target = "y", group = "g", date = "d", weights = "w", device = "cuda:1", columns = 6, carry_bytes = 64, solver = cg, chunk_rows = 8, rows_per_group = 600,
// CHECK-SAME: oracle = <rule = plan, device_share = 5.000000e-01, ram_share = 2.500000e-01, sliding_device_share = 1.250000e-01, sliding_ram_share = 6.250000e-02, direct_limit = 9, estimate_factor = 2.000000e+00>,
// CHECK-SAME: placement = <sums = device, solve = cpu, predict = device>,
// CHECK-SAME: adapt = <window = 365, update = 2, horizon = 1, corrects = true>,
// CHECK-SAME: inputs = [<column = "hour", rule = period, lo = -0.000000e+00, hi = 2.400000e+01, grid = <levels = 24, first = 1.000000e-01, step = 0.30000000000000004>>, <column = "shop", rule = levels, levels = 5, unseen = mean>],
// CHECK-SAME: effects = [<name = "offset", term = "offset", first = 0, columns = 1>, <name = "hour", term = "f(hour)", first = 1, columns = 5>],
// CHECK-SAME: strengths = [<name = "hour", effect = 1, ap = -2.000000e+00, value = 1.000000e-02, limit = 9.100000e+00>],
// CHECK-SAME: tables = [<name = "a", type = tensor<2x1xi32>, given = dense<{{\[\[}}1], [2]]> : tensor<2x1xi32>>, <name = "b", type = tensor<3xf64>>],
// CHECK-SAME: learners = [<kind = flat_trees, choice = 1, sizes = [2, 4], number = 5.000000e-01, seed = 4294967295, effect = 1, inputs = [1, 0], first_table = 0, table_count = 2>, <kind = range, sizes = [0, 0], effect = 0, inputs = [], first_table = 0, table_count = 0>]>,
// CHECK-SAME: tam.plain = #tam.variant<>,
// CHECK-SAME: tam.small_blocks = #tam.variant<factored = [0, 1], cg_state_bytes = 128>}
module attributes {
  tam.model = #tam.model<
    name = "load", formula = "y ~ f(\22hour\22)", terms = "[{}]",
    spec = "a: [1, 2]\0Ab: <\C3\A9>",
    spec_hash = "abc", target = "y", group = "g", date = "d", weights = "w",
    device = "cuda:1", columns = 6, carry_bytes = 64, solver = cg,
    chunk_rows = 8, rows_per_group = 600,
    oracle = <rule = plan, device_share = 0.5, ram_share = 0.25,
              sliding_device_share = 0.125, sliding_ram_share = 0.0625,
              direct_limit = 9, estimate_factor = 2.0>,
    placement = #tam.placement<sums = device, solve = cpu, predict = device>,
    adapt = #tam.adapt<window = 365, update = 2, horizon = 1, corrects = true>,
    inputs = [<column = "hour", rule = period, unseen = edge, lo = -0.0,
               hi = 24.0,
               grid = <levels = 24, first = 0.1, step = 0.30000000000000004>>,
              #tam.input<column = "shop", rule = levels, levels = 5,
                         unseen = mean, lo = 0.0>],
    effects = [<name = "offset", term = "offset", first = 0, columns = 1>,
               <name = "hour", term = "f(hour)", first = 1, columns = 5>],
    strengths = [<name = "hour", effect = 1, ap = -2.0, value = 0.01, limit = 9.1>],
    tables = [<name = "a", type = tensor<2x1xi32>,
               given = dense<[[1], [2]]> : tensor<2x1xi32>>,
              <name = "b", type = tensor<3xf64>>],
    learners = [<kind = flat_trees, choice = 1, sizes = [2, 4], number = 0.5,
                 seed = 4294967295, effect = 1, inputs = [1, 0],
                 first_table = 0, table_count = 2>,
                <kind = range, choice = 0, sizes = [0, 0], effect = 0,
                 inputs = [], first_table = 0, table_count = 0>]>,
  tam.plain = #tam.variant<>,
  tam.by_levels = #tam.variant<by_levels = [0], state_bytes = 128,
      accumulators = [
        <kind = fit_chunk, offset = 0, count = 3, unit = 0.25>,
        <kind = fit_chunk, offset = 64, count = 1>]>,
  tam.small_blocks = #tam.variant<factored = [0, 1], cg_state_bytes = 128>} {}
