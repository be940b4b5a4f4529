#include "train/shards/layer_segments.h"

#include "base/error.h"

namespace hexapla::train {

LayerSegments layer_segments(const model::Transformer& model, const model::Parameters& parameters) {
  LayerSegments segments;
  std::string before;
  model::Transformer views = model;  // shares the parameters
  model::for_each<model::Parameter>(views, [&](const std::string& name, const model::Parameter& p) {
    constexpr std::string_view encoder = "encoder.layers.", decoder = "decoder.layers.";
    if (!name.starts_with(encoder) && !name.starts_with(decoder)) return;
    const std::string layer = name.substr(0, name.find('.', encoder.size()));
    if (layer == before) return;
    before = layer;
    segments.starts.push_back(parameters.offset(p));
    segments.encoder_layers += name.starts_with(encoder);
  });
  const model::Config& c = model.config;
  HEXAPLA_CHECK(segments.encoder_layers == c.enc_layers && std::ssize(segments.starts) == c.enc_layers + c.dec_layers,
                "a layer has no parameters");
  return segments;
}

}  // namespace hexapla::train
