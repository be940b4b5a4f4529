#pragma once
// Chooses the parts of a model that stay in f32 because 8-bit integers would cost too much quality.
#include <functional>
#include <string>
#include <vector>

#include "model/transformer.h"

namespace hexapla::model {

// The quantizable parts (layers, tables and the generator) as prefixes of parameter names,
// "encoder.layers.0.", in the order of the model.
std::vector<std::string> quantizable_parts(model::Transformer& net);

// UsageError if the model has nothing to quantize under one of these prefixes; lists those that
// exist.
void check_kept(model::Transformer& net, const std::vector<std::string>& kept);

struct MixedPrecisionSearch {
  double whole;     // score of the model in f32
  double max_drop;  // accepted loss of score
  // Returns the score of the model with these parts in f32 and the rest as integers.
  std::function<double(const std::vector<std::string>& kept)> measure;
  // Called for each part that was tried, and for each part that is kept from then on, with the
  // score.
  std::function<void(const std::string& part, double score, bool kept)> watch = [](const std::string&, double, bool) {};
};
// Returns parts to f32, each time the one that gives the highest score, until the loss is at most
// max_drop or nothing is left as integers. now: the score with `kept`. Returns the parts that stay
// in f32, `kept` first.
std::vector<std::string> parts_to_keep(const MixedPrecisionSearch& search, std::vector<std::string> parts,
                                       std::vector<std::string> kept, double now);

}  // namespace hexapla::model
