#include "decode/options/attention_head.h"

#include "base/error.h"

namespace hexapla::decode {

void check(const AttentionHead& a, const model::Config& c) {
  if (a.layer < 0 || a.layer >= c.dec_layers)
    throw UsageError(
        cat("`alignment-layer` ", a.layer, " is out of range; the model's decoder has layers 0 to ", c.dec_layers - 1));
  if (a.head != AttentionHead::kMean && (a.head < 0 || a.head >= c.heads))
    throw UsageError(cat("`alignment-head` ", a.head, " is out of range; the model's layers have heads 0 to ",
                         c.heads - 1, ", or give mean"));
}

}  // namespace hexapla::decode
