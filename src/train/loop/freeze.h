#pragma once
#include <set>
#include <string>

#include "model/transformer.h"
#include "model/weights/parameters.h"

namespace hexapla::train {

// The names of the parameters that `parts` means: dotted beginnings of names, separated by commas, where * stands for
// any one step: "encoder,embeddings", "decoder.layers.*.cross_attention". UsageError: a part that is not there (the
// message lists those that are), or nothing would be left to train.
std::set<std::string> frozen_parameters(model::Transformer& model, const std::string& parts);

// Freezes the running statistics of the norms all of whose parameters are among these.
void freeze_statistics(model::Transformer& model, const std::set<std::string>& frozen);

}  // namespace hexapla::train
