#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decode/options/named/decoding_options.h"

namespace hexapla::api {

struct QuantizeOptions {
  std::string model, output;
  std::vector<std::string> valid_sets;  // source and target text; none: the loss is not measured
  std::vector<std::string> keep;        // parts to keep in f32, as prefixes of their names
  double max_drop = 0.3;                // in BLEU
  std::string tokenize = "auto";        // BLEU's
  decode::DecodingOptions search;
  std::function<bool(const std::string& option)> given;  // whether a search option was given
};

struct QuantizeWatch {
  std::function<void(const std::string&)> say;                      // receives a result as text
  std::function<void(int64_t line, const std::string& what)> warn;  // line of the source text, from 0
};

struct Quantized {
  double megabytes = 0, megabytes_before = 0;
  std::vector<std::string> kept;  // parts in f32
};

// Writes a model file, or the model of a training folder, in 8-bit integers. Given a text for
// measuring BLEU, returns parts to f32, most sensitive first, until the loss is within the limit.
// DataError: already quantized. UsageError: no such part or tokenizer.
Quantized quantize(const QuantizeOptions& options, const QuantizeWatch& watch);

}  // namespace hexapla::api
