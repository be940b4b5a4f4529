#pragma once
// Where word alignments come from, and their text.
#include <string>

#include "decode/opened/open_model.h"

namespace hexapla::api {

// The attention of a layer, a number from 0, and a head, a number from 0 or "mean". Default, "": the model's guided
// head if it has one, else the mean over the heads of decode::default_alignment_layer(). UsageError: no such layer or
// head.
decode::AttentionHead attention_of(const decode::OpenModel& model, const std::string& layer, const std::string& head);

// kind: hard, soft, or a threshold. UsageError: anything else.
void check_alignment_kind(const std::string& kind);
std::string alignment_text(const decode::SoftAlignment& soft, const std::string& kind);

}  // namespace hexapla::api
