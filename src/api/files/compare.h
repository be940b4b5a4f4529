#pragma once
#include <functional>
#include <string>
#include <vector>

#include "decode/options/named/decoding_options.h"
#include "inspect/report/comparison.h"

namespace hexapla::api {

struct CompareOptions {
  std::string first, second;            // as open_any_model()
  std::string text;                     // file to translate; "": made-up lines of the first model's pieces
  std::vector<std::string> references;  // files with translations of the text, for BLEU
  int64_t lines = 100;                  // made-up ones
  uint64_t seed = 1;
  int64_t beam_size = 0;  // 0: each model's own
  decode::BeamOptions search;
  std::function<bool(const std::string& option)> given;  // whether one of `searched` was given, not the model's

  // The search options that apply to both models.
  static const std::vector<std::string>& searched();
};

// Translates the same text with both models, and compares; both see the whole text. UsageError: references without a
// text. DataError: files that are empty or have different numbers of lines, and as open_any_model().
inspect::Comparison compare(const CompareOptions& options, const inspect::ModelNote& note);

}  // namespace hexapla::api
