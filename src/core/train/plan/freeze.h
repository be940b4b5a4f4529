#pragma once
#include <set>
#include <string>

#include "model/parameters/parameters.h"
#include "model/transformer.h"

namespace hexapla::train {

// Names of the parameters that `parts` selects: dotted prefixes separated by commas, where *
// matches any one step: "encoder,embeddings", "decoder.layers.*.cross_attention". UsageError: an
// unknown part (the message lists the known ones), or nothing left to train.
std::set<std::string> frozen_parameters(model::Transformer& model, const std::string& parts);

// Freezes the running statistics of norms whose parameters are all frozen.
void freeze_statistics(model::Transformer& model, const std::set<std::string>& frozen);

}  // namespace hexapla::train
