#pragma once
// The measurements of `hexapla bench`. All use as many threads as use_threads() sets.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decode/text/translator.h"
#include "model/config.h"

namespace hexapla::api {

using Tell = std::function<void(const std::string& lines)>;

// Every kind of op at training shapes, against the arithmetic or memory limit of this machine.
struct OpsBench {
  std::string preset = "tiny", precision = "auto";
  int64_t rows = 2048, vocabulary = 10000;
};
void bench_ops(const OpsBench& options, const Tell& tell);

// Training on random ids, like Learner.
struct TrainBench {
  std::string preset = "tiny", lengths = "wmt", precision = "auto", device = "cpu";
  int64_t vocabulary = 10000, tokens = 2048;
  double seconds = 10, dropout = 0.1;
  std::string batches_file;  // JSON file to write the batches to; "": none
};
struct MeasuredTraining {
  double tokens_per_second = 0, products_share = 0;  // medians over the steps
  size_t steps = 0;
  std::string precision, products;  // resolved precision; implementation of products
};
MeasuredTraining bench_train(const TrainBench& options);

// Translation of random ids with a trained or untrained model, or of a text.
struct TranslateBench {
  std::string model, text, output, shortlist;
  std::string preset = "base", precision = "f32", device = "cpu";
  bool precision_given = false;
  int64_t vocabulary = 32000, sentences = 64, length = 30, batch = 32;
  int beam = 4, rounds = 3;
};
struct MeasuredTranslation {
  double seconds = 0, rate = 0;  // medians over the rounds; rate: lines of text or random tokens per second
  std::string products;
};
MeasuredTranslation bench_translate(const TranslateBench& options, const decode::LineWarning& warn);
void write_untrained(const TranslateBench& options, const std::string& path);

}  // namespace hexapla::api
