#pragma once
// For tests that need a model file, whatever it translates.
#include <string>

#include "model/parameters/parameters.h"
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::api::test {

// Saves an untrained model with one encoder layer, two decoder layers and three heads.
inline void save_untrained_model(const std::string& path, const text::Vocabulary& vocabulary,
                                 const std::string& encoder_mixing = "attention") {
  model::Config c;
  c.source_vocab = c.target_vocab = vocabulary.size();
  c.enc_layers = 1;
  c.dec_layers = 2;
  c.d_model = 12;
  c.d_ff = 16;
  c.heads = 3;
  c.encoder_mixing = c.encoder_mixing.parse("encoder-mixing", encoder_mixing);
  c.resolve();
  model::Transformer net(c);
  const model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
  model::initialize(net, 3);
  model::save_model(path, net, {vocabulary.bytes(), vocabulary.bytes()}, {});
}

}  // namespace hexapla::api::test
