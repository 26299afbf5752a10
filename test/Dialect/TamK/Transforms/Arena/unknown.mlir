// RUN: not tam-opt %s --plan-memory=arena=stack 2>&1 | FileCheck %s
// CHECK: Cannot find option named 'stack'
func.func private @f()
