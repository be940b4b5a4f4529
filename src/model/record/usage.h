#pragma once
// How a model is meant to be used: what its file says beside the configuration, the vocabularies (which have the
// languages, the start of a translation, the end of a source and the normalization) and the weights. Whatever makes a
// model from a model hands all of it on (docs/adr/0088-a-usage-record.md).
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"

namespace hexapla::model {

struct Usage {
  // Options of a search by name, with values as users write them (decode/models/search_defaults.h); those that are
  // absent are as for any model.
  std::map<std::string, std::string> search{};
  // The decoder layer, from 0, whose attention over the encoder follows the words, and its head; no head: the mean over
  // all of them.
  std::optional<int64_t> alignment_layer{}, alignment_head{};
  // Tokens of the lines that the model was trained on, </s> not counted: at the shares kLengthShares of the lines,
  // from the shortest to the longest. Empty: not known.
  std::vector<int64_t> source_lengths{}, target_lengths{};
  // The share of these lines whose source has several sentences.
  std::optional<double> several_sentences{};

  bool operator==(const Usage&) const = default;
  bool empty() const { return *this == Usage(); }

  // f(name, field) for each of them. One that is new is kept by everything that goes through here.
  template <class Self, class F>
  static void visit(Self& usage, F&& f) {
    f("search", usage.search);
    f("alignment-layer", usage.alignment_layer);
    f("alignment-head", usage.alignment_head);
    f("source-lengths", usage.source_lengths);
    f("target-lengths", usage.target_lengths);
    f("several-sentences", usage.several_sentences);
  }

  std::string to_json() const;  // without fields that are not set
  // DataError naming the file: no such record, or a field that this version does not know.
  static Usage from_json(const std::string& json, const std::string& file);
};

// The shares at which lengths are kept: the median, nine of ten lines, 99 of 100, all.
inline constexpr double kLengthShares[] = {0.5, 0.9, 0.99, 1};

// DataError naming the file: a layer or head that models of this configuration have not.
void check(const Usage& usage, const Config& config, const std::string& file);

// The fields and options on which both agree: the record of a mean of models.
Usage common(const Usage& a, const Usage& b);

}  // namespace hexapla::model
