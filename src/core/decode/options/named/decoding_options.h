#pragma once
// Decoding options. Each is declared once, in a row, with the condition under which it has an
// effect; command line, requests and messages follow from that. They are converted to
// TranslateOptions.
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/option_row.h"
#include "decode/options/option_ranges.h"
#include "decode/options/translate_options.h"

namespace hexapla::decode {

struct DecodingOptions {
  int64_t beam_size = 4, n_best = 1;
  bool distinct = false;
  Word<"off", "chrf", "bleu"> mbr = "off";
  int64_t candidates = 32;
  double length_penalty = 0.6;
  Word<"paper", "power"> length_normalization = "paper";
  double word_penalty = 0, coverage_penalty = 0;
  int64_t extra_length = 50, longest = 0;
  double longest_ratio = 0;
  int64_t min_length = 0;
  double repetition_penalty = 1;
  int64_t no_repeat_ngram = 0, max_repetition = 0;
  Word<"keep", "forbid", "copy"> unk = "keep";
  Word<"full", "outscored", "never", "shrinking"> stop_when = "full";
  int64_t max_length = 512;
  Word<"auto", "split", "keep"> sentences = "auto";
  Word<"split", "refuse", "truncate"> long_input = "split";
  Word<"auto", "keep"> letter_case = "auto";
  Word<"auto", "none"> protect = "auto";
  std::vector<std::string> protect_pattern;
  int64_t batch_sentences = 64, batch_tokens = 4096;
  Word<"f32", "bf16", "int8"> precision = "f32";
  bool sample = false;
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;
  uint64_t seed = 1;
  int64_t familiar = 0;  // not an option: Parting::familiar, from the model's record (search_defaults.h)

  OptionRows rows();             // all
  OptionRows rows_of_search();   // of a search for the best translation: without n-best and sampling
  OptionRows rows_of_scoring();  // of given pairs: normalization, batches, precision, protected text
  // Those of a single request: without batches and precision, which all requests share, and without patterns, which
  // are the operator's.
  OptionRows rows_of_request();

  TranslateOptions translate_options() const;  // UsageError as check(TranslateOptions)

 private:
  OptionRows rows_of_beam();
  OptionRows rows_of_lengths();
  OptionRows rows_of_sampling();
  OptionRows rows_of_text();
  OptionRows rows_of_speed();
};

}  // namespace hexapla::decode
