#include "train/plan/options/text_options.h"

#include "base/error.h"
#include "text/vocabulary/normalization.h"

namespace hexapla::train {
namespace {

void check_weights(const std::vector<double>& weights, size_t sets) {
  if (weights.empty()) return;
  if (weights.size() != sets)
    throw UsageError(cat("`train-weights` has ", weights.size(), " numbers, but `train-sets` has ", sets,
                         sets == 1 ? " set" : " sets", ": give one weight per set"));
}

}  // namespace

void TextOptions::check(size_t sets) const {
  check_weights(train_weights, sets);
  if (!vocabs.empty() && vocabs.size() != 2)
    throw UsageError(cat("`vocabs` takes two SentencePiece models, of source and target, but got ", vocabs.size()));
  for (const auto& [option, name] : {std::pair{"source", source_normalization}, {"target", target_normalization}})
    if (!text::is_normalization(name))
      throw UsageError(cat("`", option, "-normalization` is '", name, "', but must be ", text::normalization_names()));
}

}  // namespace hexapla::train
