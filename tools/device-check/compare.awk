# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -v tolerance=1e-9 -f compare.awk EXPECTED.csv GOT.csv
# Compares two tables: numbers within the tolerance times the largest number
# of the expected table, all else equal. Prints the largest difference, over that
# number, or what is wrong. Exit status 1: they differ.

BEGIN { FS = "," }
FNR == 1 { ++file }
function isNumber(text) {
  return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
}
function wrong(what) {
  print what
  isWrong = 1
  exit 1
}
file == 1 { expected[FNR] = $0; rows = FNR; next }
{
  count = split(expected[FNR], own, ",")
  if (FNR > rows || count != NF)
    wrong("line " FNR ": expected " count " fields, got " NF)
  for (i = 1; i <= NF; ++i) {
    if ($i == own[i] && !isNumber($i))
      continue
    if (!isNumber($i) || !isNumber(own[i]))
      wrong("line " FNR ", field " i ": expected " own[i] ", got " $i)
    size = own[i] < 0 ? -own[i] : own[i] + 0
    if (size > scale)
      scale = size
    far = own[i] - $i
    far = far < 0 ? -far : far
    if (far > most) {
      most = far
      where = "line " FNR ", field " i ": expected " own[i] ", got " $i
    }
  }
  lines = FNR
}
END {
  if (isWrong)
    exit 1
  if (lines != rows) {
    print "expected " rows " lines, got " lines + 0
    exit 1
  }
  if (most > tolerance * scale) {
    print where
    exit 1
  }
  print (scale > 0 ? most / scale : 0)
}
