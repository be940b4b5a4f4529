#pragma once
// What config.json and generation_config.json of transformers' encoder-decoder models have in common.
#include <map>
#include <string>

#include "convert/json_file.h"
#include "model/config.h"

namespace hexapla::convert {

// Two numbers that a configuration of theirs may have apart, and of ours has once. DataError: they differ.
int64_t same_on_both_sides(const JsonFile& json, const std::string& encoder, const std::string& decoder,
                           const Range<int64_t>& allowed);

// Layers, widths, heads, dropouts, activation (`activation` where the file says none), biases in attention, and an
// epsilon of 1e-5. Not: vocabularies, ties, positions, where norms stand, biases of the generator, scales. DataError
// naming file and key.
model::Config hugging_face_config(const JsonFile& json, const std::string& activation);

// How transformers searches with the model: options of decoding by their names. json: generation_config.json, or
// config.json where an old version wrote it all there.
std::map<std::string, std::string> hugging_face_search(const JsonFile& json);

// generation_config.json where the folder has one, else config.json.
JsonFile generation_in(const std::string& folder);

}  // namespace hexapla::convert
