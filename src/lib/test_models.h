#pragma once
// For tests of the public API: made-up text and models.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "base/compute/random.h"
#include "decode/options/named/search_defaults.h"
#include "model/weights/model_file.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::api::test {

inline const std::vector<std::string> kWords{"a",    "dog",  "cat", "bird", "runs", "sleeps",
                                             "fast", "here", "and", "two",  "big",  "red"};

inline std::vector<std::string> made_up_lines(int n, uint64_t seed) {
  Random random(seed);
  std::vector<std::string> lines(n);
  for (std::string& line : lines)
    for (uint32_t i = 0, length = 1 + random.below(9); i < length; ++i)
      line += (i > 0 ? " " : "") + kWords[random.below(static_cast<uint32_t>(kWords.size()))];
  return lines;
}

inline text::Vocabulary small_vocabulary() { return text::Vocabulary::train(made_up_lines(300, 1), {.size = 40}); }

// The same with pieces for English, German and French. opening: the one that starts a text,
// ">>de<<", or "".
inline text::Vocabulary vocabulary_of_languages(const std::string& opening) {
  text::PieceModel pieces = text::PieceModel::parse(small_vocabulary().bytes(), "a test");
  for (const char* language : {">>en<<", ">>de<<", ">>fr_XX<<"})
    pieces.pieces.push_back({language, 0, text::PieceModel::Type::control});
  pieces.opening = opening;
  return text::Vocabulary::parse(pieces.serialized(), "a test");
}

// Saves a model with random weights. -> its path
inline std::string save_random(const text::Vocabulary& source, const text::Vocabulary& target, const std::string& name,
                               uint64_t seed = 5) {
  model::Config c = model::Config::preset("tiny");
  c.source_vocab = source.size(), c.target_vocab = target.size();
  c.enc_layers = c.dec_layers = 1;
  c.resolve();
  model::Transformer model(c);
  const model::Parameters parameters(model, DType::f32, model::Parameters::Use::inference);
  model::initialize(model, seed);
  const std::string file = testing::TempDir() + "hexapla_api_test" + name + std::to_string(getpid()) + ".safetensors";
  model::save_model(file, model, {source.bytes(), target.bytes()}, {});
  return file;
}

// The path of a model with random weights.
inline const std::string& model_file() {
  static const std::string path = save_random(small_vocabulary(), small_vocabulary(), "");
  return path;
}
// The path of another one with the same vocabulary.
inline const std::string& second_model_file() {
  static const std::string path = save_random(small_vocabulary(), small_vocabulary(), "second", 6);
  return path;
}
// The path of a multilingual model, which translates from English to German by default.
inline const std::string& multilingual_file() {
  static const std::string path =
      save_random(vocabulary_of_languages(">>en<<"), vocabulary_of_languages(">>de<<"), "many");
  return path;
}

// Saves model_file()'s model with recorded search defaults.
inline void save_recorded(const std::string& file, const std::map<std::string, std::string>& search) {
  const model::LoadedModel m = model::load_model(model_file());
  model::save_model(file, *m.net, {m.source_vocabulary, m.target_vocabulary, {search}}, {});
}

}  // namespace hexapla::api::test
