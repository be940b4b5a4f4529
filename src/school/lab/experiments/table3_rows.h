#pragma once
// Rows of the paper's Table 3, relative to any base model; with the paper's base they are the
// paper's rows.
#include <functional>
#include <string>
#include <vector>

#include "train/plan/options/options.h"

namespace hexapla::lab {

struct Table3Row {
  std::string name;    // of its folder, such as "A-heads-1"
  std::string change;  // "h = 1"
  double paper = 0;    // perplexity in the paper, from one training
  double paper_bleu = 0;
  std::function<void(train::TrainOptions&)> make;
};
constexpr double kPaperBase = 4.92, kPaperBleu = 25.8;

// The base comes first; rows that coincide with a small base are listed once.
std::vector<Table3Row> table3_rows(const train::TrainOptions& base);
// Multiply-adds per target token with as many source tokens, excluding attention's own products:
// compares the cost of trainings on the same text.
double work_per_token(const train::TrainOptions& o);

}  // namespace hexapla::lab
