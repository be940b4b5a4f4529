#pragma once
// How a model is meant to be used: the part of its file besides configuration, weights and
// vocabularies (which include the languages, the start of a translation, the end of a source and
// the normalization). Everything that derives a model from another passes all of it on
// (docs/adr/0018-the-model-file.md).
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"

namespace hexapla::model {

struct Usage {
  // Search options by name, with values as users write them (decode/options/named/search_defaults.h);
  // absent ones have the general defaults.
  std::map<std::string, std::string> search{};
  // The decoder layer, from 0, and the head whose attention over the encoder gives word alignments;
  // without a head: the mean over all of them.
  std::optional<int64_t> alignment_layer{}, alignment_head{};
  // Tokens per line of the training data, without </s>: the quantiles kLengthShares, in ascending
  // order. Empty: unknown.
  std::vector<int64_t> source_lengths{}, target_lengths{};
  // The fraction of these lines whose source has several sentences.
  std::optional<double> several_sentences{};

  bool operator==(const Usage&) const = default;
  bool empty() const { return *this == Usage(); }

  // Calls f(name, field) for every field. A new field added here is handled everywhere.
  template <class Self, class F>
  static void visit(Self& usage, F&& f) {
    f("search", usage.search);
    f("alignment-layer", usage.alignment_layer);
    f("alignment-head", usage.alignment_head);
    f("source-lengths", usage.source_lengths);
    f("target-lengths", usage.target_lengths);
    f("several-sentences", usage.several_sentences);
  }

  std::string to_json() const;  // without unset fields
  // DataError naming the file: not a usage record, or a field unknown to this version.
  static Usage from_json(const std::string& json, const std::string& file);
};

// The quantiles at which lengths are stored: median, 90 %, 99 %, maximum.
inline constexpr double kLengthShares[] = {0.5, 0.9, 0.99, 1};

// DataError naming the file: a layer or head that models of this configuration do not have.
void check(const Usage& usage, const Config& config, const std::string& file);

// The fields and options that both agree on: the record of an average of models.
Usage common(const Usage& a, const Usage& b);

}  // namespace hexapla::model
