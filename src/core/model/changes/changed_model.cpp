#include "model/changes/changed_model.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace hexapla::model {
namespace {

[[noreturn]] void no_part(const char* change, const std::string& why) {
  throw UsageError(cat("`", change, "` false changes nothing: ", why, "; leave it out"), change, "false");
}

Config changed_config(const Config& c, const Changes& changes) {
  Config config = c;
  if (!changes.scale && c.score != "scaled-dot") no_part("scale", cat("the model's score is ", c.score));
  if (!changes.mask && c.decoder_mixing != "attention") no_part("mask", "the decoder has no self-attention");
  if (!changes.mask && c.decoder_mask == "none") no_part("mask", "the model has no mask");
  if (!changes.positions && c.positions == "none") no_part("positions", "the model has no positions");
  if (!changes.scale) config.score = "dot";
  if (!changes.mask) config.decoder_mask = "none";
  if (!changes.positions) config.positions = "none", config.first_position = 0;
  config.resolve();
  return config;
}

int64_t checked_number(const char* what, int64_t number, int64_t most) {
  if (number >= 1 && number <= most) return number - 1;
  throw UsageError(cat("the model has no ", what, " ", number, ": they count from 1 to ", most), "heads", cat(number));
}

// The name of the output projection of the attention that has the head.
std::string output_of(const Config& c, const RemovedHead& head) {
  const bool in_encoder = head.attention == "encoder";
  if (!in_encoder && head.attention != "decoder" && head.attention != "cross")
    throw UsageError(cat("\"", head.attention, "\" is no attention; give encoder, decoder or cross"), "heads",
                     head.attention);
  if (head.attention != "cross" && !(in_encoder ? c.encoder_mixing == "attention" : c.decoder_mixing == "attention"))
    throw UsageError(cat("the model's ", head.attention, " has no self-attention"), "heads", head.attention);
  const int64_t layer = checked_number("layer", head.layer, in_encoder ? c.enc_layers : c.dec_layers);
  return cat(in_encoder ? "encoder" : "decoder", ".layers.", layer,
             head.attention == "cross" ? ".cross_attention" : ".self_attention", ".output.weight");
}

// W^O is [h d_v, d_model].
void remove_head(const Config& c, const RemovedHead& head, LoadedModel& to) {
  const std::string name = output_of(c, head);
  const int64_t index = checked_number("head", head.head, c.heads);
  for_each<Parameter>(*to.net, [&](const std::string& own, Parameter& p) {
    if (own != name) return;
    const Tensor rows = p.value.slice(index * c.d_v, c.d_v);
    std::fill_n(rows.data<float>(), rows.size(), 0.f);
  });
}

std::set<std::string> written(const Config& c, const Changes& changes) {
  std::set<std::string> names;
  for (const RemovedHead& head : changes.removed_heads) names.insert(output_of(c, head));
  return names;
}

}  // namespace

LoadedModel changed_model(const LoadedModel& model, const Changes& changes) {
  LoadedModel to{.config = changed_config(model.config, changes),
                 .net = nullptr,
                 .parameters = nullptr,
                 .memory = {},
                 .source_vocabulary = model.source_vocabulary,
                 .target_vocabulary = model.target_vocabulary,
                 .usage = model.usage,
                 .metadata = model.metadata,
                 .history = model.history,
                 .stored = model.stored};
  to.net = std::make_unique<Transformer>(to.config);
  const std::set<std::string> own = written(model.config, changes);
  std::map<std::string, Tensor> numbers;
  for_each<Parameter>(*model.net, [&](const std::string& name, Parameter& p) { numbers[name] = p.value; });
  for_each<Buffer>(*model.net, [&](const std::string& name, Buffer& b) { numbers[name] = b.value; });
  for_each<Parameter>(*to.net, [&](const std::string& name, Parameter& p) {
    p.value = numbers.at(name);
    if (!own.contains(name)) return;
    const Tensor from = std::exchange(p.value, to.room(p.shape, DType::f32));
    std::copy_n(from.data<float>(), from.size(), p.value.data<float>());
  });
  for_each<Buffer>(*to.net, [&](const std::string& name, Buffer& b) { b.value = numbers.at(name); });
  for (const RemovedHead& head : changes.removed_heads) remove_head(to.config, head, to);
  return to;
}

}  // namespace hexapla::model
