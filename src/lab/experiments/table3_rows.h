#pragma once
// The rows of the paper's Table 3, relative to any base model; of the paper's base they are its own.
#include <functional>
#include <string>
#include <vector>

#include "train/options/options.h"

namespace hexapla::lab {

struct Table3Row {
  std::string name;    // "A-heads-1", of its folder
  std::string change;  // "h = 1"
  double paper = 0;    // its perplexity in the paper, one training's
  double paper_bleu = 0;
  std::function<void(train::TrainOptions&)> make;
};
constexpr double kPaperBase = 4.92, kPaperBleu = 25.8;

// The base first, and no row twice where a small base makes two of them the same.
std::vector<Table3Row> table3_rows(const train::TrainOptions& base);
// Multiply-adds of one target token with as many source tokens, and without attention's own products: what a training
// costs beside another of the same text.
double work_per_token(const train::TrainOptions& o);

}  // namespace hexapla::lab
