#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "decode/options/named/decoding_options.h"
#include "inspect/report/comparison.h"

namespace hexapla::api {

struct CompareOptions {
  std::string first, second;            // as for open_any_model()
  std::string text;                     // file to translate; "": random lines of the first model's pieces
  std::vector<std::string> references;  // files with translations of the text, for BLEU
  int64_t lines = 100;                  // number of random lines
  uint64_t seed = 1;
  int64_t beam_size = 0;  // 0: each model's own
  decode::DecodingOptions search;
  std::function<bool(const std::string& option)> given;  // whether an option in `searched` was given

  // The search options that apply to both models.
  static const std::vector<std::string_view>& searched();
};

// Translates the same text with both models and compares the results; both see the whole text.
// UsageError: references without a text. DataError: files that are empty or differ in length;
// otherwise as open_any_model().
inspect::Comparison compare(const CompareOptions& options, const inspect::ModelNote& note);

}  // namespace hexapla::api
