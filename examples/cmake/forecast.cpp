//===- forecast.cpp - a program that calls a model ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: forecast TRAIN.csv NEW.csv
//
// Fits the model to the rows of the first file and prints predictions for those
// of the second. Both have complete rows as examples/airpassengers writes them.
//
//===----------------------------------------------------------------------===//

#include "passengers.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// The columns of a file.
struct Table {
  std::vector<double> timeOfYear, lag, target;

  passengers_data data() const {
    passengers_data result = {};
    result.rows = target.size();
    result.date = nullptr; // rows are in order
    result.time_of_year = timeOfYear.data();
    result.lag_log_passengers = lag.data();
    result.log_passengers = target.data();
    return result;
  }
};

/// Reads time,value,date,log_passengers,lag,month,year,time_of_year.
bool read(const char *path, Table &table) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line))
    return false;
  while (std::getline(file, line)) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');)
      fields.push_back(field);
    if (fields.size() != 8)
      return false;
    table.target.push_back(std::strtod(fields[3].c_str(), nullptr));
    table.lag.push_back(std::strtod(fields[4].c_str(), nullptr));
    table.timeOfYear.push_back(std::strtod(fields[7].c_str(), nullptr));
  }
  return true;
}

int fail(const char *what, const tamrt_embed_error &error) {
  std::cerr << what << ": " << passengers_status_string(error.status) << '\n';
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  Table train, rows;
  if (argc != 3 || !read(argv[1], train) || !read(argv[2], rows)) {
    std::cerr << "usage: forecast TRAIN.csv NEW.csv\n";
    return 2;
  }
  const passengers_data seen = train.data(), next = rows.data();

  std::vector<char> weights(passengers_weights_size(1));
  std::vector<char> arena(passengers_fit_arena_size(seen.rows, 1));
  tamrt_embed_error error;
  if (passengers_fit(&seen, weights.data(), weights.size(), arena.data(),
                     arena.size(), &error))
    return fail("fit", error);

  std::vector<double> predictions(next.rows);
  arena.resize(passengers_predict_arena_size(next.rows));
  if (passengers_predict(&next, weights.data(), weights.size(), arena.data(),
                         arena.size(), predictions.data(), &error))
    return fail("predict", error);
  for (double prediction : predictions)
    std::printf("%.17g\n", prediction);
}
