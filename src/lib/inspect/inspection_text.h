#pragma once
// Shows an inspection as text and pictures, for a terminal or a file.
#include <string>
#include <vector>

#include "decode/opened/open_model.h"
#include "inspect/files/inspection_file.h"
#include "inspect/recorder.h"

namespace hexapla::api {

// One of the three uses of attention, section 3.2.3, in one layer.
struct AttentionPlace {
  std::string title, stack, sublayer, rows, columns;
  int64_t layer = 0;
  std::string scope() const;  // "decoder.layers.1.cross_attention"
};
// kind: encoder, decoder or cross; layer: from 0, or last. UsageError: the model has none there.
AttentionPlace find_attention(const std::string& kind, const std::string& layer, const model::Config& config);

struct InspectedPair {
  const decode::OpenModel& model;
  const inspect::Pair& pair;
  const inspect::Inspection& seen;
  inspect::Side source, target;
};

// How attention is drawn in a terminal.
struct Drawing {
  std::string head;  // from 0, all, or mean; UsageError by check_head()
  int width = 80;    // columns
  bool color = false;
};
void check_head(const std::string& head, int64_t count);  // "" is valid

std::string vocabulary_text(const text::Vocabulary& vocabulary);
// The tokens of both sides, with the probabilities of the target tokens.
std::string tokens_text(const InspectedPair& shown, int width);
std::string attention_text(const InspectedPair& shown, const AttentionPlace& place, const Drawing& drawing);
// Both sources as a padded batch: tokens, padding mask, and the encoder's attention in this layer.
std::string padded_text(const InspectedPair& shown, const text::Ids& second, const std::string& layer,
                        const Drawing& drawing);
std::string attention_svg(const InspectedPair& shown, const AttentionPlace& place, const std::string& head);

}  // namespace hexapla::api
