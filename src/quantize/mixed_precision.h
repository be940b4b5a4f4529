#pragma once
// Which parts of a model stay in f32 where 8-bit integers would cost too much.
#include <functional>
#include <string>
#include <vector>

#include "model/transformer.h"

namespace hexapla::quantize {

// Layers, tables and the generator, as the beginnings of the names of their parameters: "encoder.layers.0.". Only what
// can be quantized, in the order of the model.
std::vector<std::string> quantizable_parts(model::Transformer& net);

// UsageError where the model has nothing to quantize under one of these beginnings of names; it lists what there is.
void check_kept(model::Transformer& net, const std::vector<std::string>& kept);

struct MixedPrecisionSearch {
  double whole;     // the score of the model in f32
  double max_drop;  // that may be lost of it
  // The score of the model with these parts in f32 and the rest in integers.
  std::function<double(const std::vector<std::string>& kept)> measure;
  // Told of each part that was tried, and of each that is kept from then on, with the score.
  std::function<void(const std::string& part, double score, bool kept)> watch = [](const std::string&, double, bool) {};
};
// Parts go back to f32, each time the one with which the score is the highest, until no more than max_drop is lost or
// nothing is left in integers. now: the score with `kept`. -> what stays in f32, `kept` first
std::vector<std::string> parts_to_keep(const MixedPrecisionSearch& search, std::vector<std::string> parts,
                                       std::vector<std::string> kept, double now);

}  // namespace hexapla::quantize
