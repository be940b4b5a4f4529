#pragma once
#include <cstdint>

#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

struct FeedForwardWidths {
  int64_t encoder = 0, decoder = 0;  // of the widest layer
};
// Our models have one width of feed-forward networks. Fills narrower layers of PyTorch's form with
// zeros, which changes no result, sets config.d_ff, and adds a note. recorded: what `file` says; 0:
// nothing. DataError: the tensors have other widths.
void widen_feed_forwards(ForeignModel& m, const FeedForwardWidths& recorded = {}, const std::string& file = "");

}  // namespace hexapla::convert
