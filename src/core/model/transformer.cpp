#include "model/transformer.h"

#include "backend/on_host.h"
#include "base/scope.h"
#include "ops/selected.h"

namespace hexapla::model {
namespace {

// Ids of a vocabulary for the ops, which can check them in host memory alone. InternalError
Tensor ids_of(Context& cx, std::span<const int32_t> ids, int64_t vocabulary) {
  if (!cx.backend.host_memory())
    for (const int32_t id : ids)
      HEXAPLA_CHECK(id >= 0 && id < vocabulary, "id ", id, " lies outside of a vocabulary of ", vocabulary, " pieces");
  return cx.on_device(ids);
}

double sum(Tensor x) {
  double total = 0;
  if (x.dtype == DType::f64)
    for (double v : x.values<double>()) total += v;
  else
    for (float v : x.values<float>()) total += v;
  return total;
}

double sum(Context& cx, Tensor x) { return sum(*OnHost(cx.backend, x)); }

LossSums sums(Context& cx, const Loss& loss) { return {sum(cx, loss.loss), sum(cx, loss.nll), loss.loss.size()}; }

// Adds the guide's losses to the sums. Call after the forward pass; backward then follows the
// guide.
void add_guide(Context& cx, const Decoder& decoder, const Guide& guide, Decoder::Saved& s, LossSums& sums) {
  if (!guide) return;
  sums.alignment = sum(cx, decoder.guide(cx, guide, s));
  for (size_t t = 0; t + 1 < guide.links.size(); ++t) sums.linked += guide.links[t] < guide.links[t + 1];
}

// The same for the balancing loss of the experts; scale: of the gradients.
void add_balance(Transformer::Saved& s, double scale, LossSums& sums) {
  const auto tokens = static_cast<double>(sums.tokens);
  for (auto& layer : s.encoder.layers) sums.balancing += tokens * balance(layer.ffn, tokens * scale);
  for (auto& layer : s.decoder.layers) sums.balancing += tokens * balance(layer.ffn, tokens * scale);
}

}  // namespace

template Leaves leaves_of(Transformer& module);

Transformer::Transformer(const Transformer&) = default;
Transformer::Transformer(Transformer&&) noexcept = default;
Transformer& Transformer::operator=(Transformer&&) noexcept = default;
Transformer::~Transformer() = default;

Transformer::Transformer(const Config& c) : config(c), encoder(c), decoder(c) {
  embeddings.push_back(make_embedding(c, c.source_vocab));
  HEXAPLA_CHECK(c.tied == "all" || c.tied == "decoder" || c.tied == "none", "embeddings cannot be tied '", c.tied, "'");
  if (c.tied != "all") embeddings.push_back(make_embedding(c, c.target_vocab));
  if (c.tied == "none")
    generator.weight = Parameter{{c.d_model, c.target_vocab}, Init::xavier(c.d_model, c.target_vocab), {}, {}};
  if (c.generator_bias) generator.bias = Parameter{{c.target_vocab}, Init::zeros(), {}, {}};
  uint32_t number = 0;
  for_each<Dropout>(*this, [&](const std::string&, Dropout& d) { d.number = ++number; });
}

Weight Transformer::generator_weight() const {
  return generator.weight ? generator.weight->as_weight() : target_embedding().table.as_transposed_weight();
}
Tensor Transformer::generator_gradient() const {
  return generator.weight ? generator.weight->grad : target_embedding().table.grad.transposed();
}
LossInput Transformer::loss_input(Context& cx, Tensor x, std::span<const int32_t> labels, double smoothing,
                                  double scale) const {
  return {x,
          generator_weight(),
          generator.bias ? generator.bias->value : Tensor(),
          ids_of(cx, labels, config.target_vocab),
          smoothing,
          scale};
}

Tensor Transformer::encode(Context& cx, std::span<const int32_t> source, Offsets rows, Saved& s) const {
  return encoder.forward(cx, source_embedding(), ids_of(cx, source, config.source_vocab), rows, s.encoder);
}

Tensor Transformer::decode(Context& cx, Decoder::Memory memory, std::span<const int32_t> target, Offsets rows,
                           Saved& s) const {
  return decoder.forward(cx, target_embedding(), ids_of(cx, target, config.target_vocab), rows, memory, s.decoder);
}

Tensor Transformer::logits(Context& cx, Tensor x) const {
  Scope scope("generator");
  return linear(cx, x, generator_weight(), generator.bias ? generator.bias->value : Tensor());
}

Transformer::Passed Transformer::forward(Context& cx, const BatchView& b, Saved& s) const {
  Tensor memory = encode(cx, b.source, b.source_rows, s);
  return {memory, decode(cx, {memory, b.source_rows}, b.target_in, b.target_rows, s)};
}

Tensor Transformer::log_probabilities(Context& cx, const BatchView& b, Saved& s) const {
  Tensor z = logits(cx, forward(cx, b, s).x);
  Scope scope("generator");
  observe(cx, "logits", z, b.target_rows);
  return log_softmax(cx, z);
}

LossSums Transformer::loss(Context& cx, const BatchView& b, double smoothing, Saved& s) const {
  Tensor x = forward(cx, b, s).x;
  LossSums all = sums(cx, cross_entropy(cx, loss_input(cx, x, b.target_out, smoothing, 1)));
  add_guide(cx, decoder, b.guide, s.decoder, all);
  add_balance(s, 0, all);
  return all;
}

LossSums Transformer::loss_and_gradient(Context& cx, const BatchView& b, double smoothing, double scale,
                                        Saved& s) const {
  auto [memory, x] = forward(cx, b, s);

  Arena::Frame frame(cx.arena);
  auto [loss, d] = cross_entropy_with_gradient(cx, loss_input(cx, x, b.target_out, smoothing, scale),
                                               generator_gradient(), generator.bias ? generator.bias->grad : Tensor());
  LossSums all = sums(cx, loss);
  add_guide(cx, decoder, b.guide, s.decoder, all);
  add_balance(s, scale, all);
  Tensor d_memory = cx.scratch(memory.shape);
  fill(cx, d_memory, 0);
  decoder.backward(cx, target_embedding(), s.decoder, d, d_memory);
  encoder.backward(cx, source_embedding(), s.encoder, d_memory);
  return all;
}

Tensor Transformer::step(Context& cx, const StepInput& in, std::span<const LayerCache> cache,
                         Offsets memory_rows) const {
  return logits(cx, decoder.step(cx, target_embedding(), in, cache, memory_rows));
}

Tensor Transformer::step(Context& cx, const StepInput& in, std::span<const LayerCache> cache, Offsets memory_rows,
                         std::span<const std::span<const int32_t>> pieces) const {
  const Tensor x = decoder.step(cx, target_embedding(), in, cache, memory_rows);
  Scope scope("generator");
  OutputTable table{generator_weight()};
  if (generator.bias) table.bias = generator.bias->value;
  if (const Parameter& tied = target_embedding().table; !generator.weight)
    table.integers = tied.integers, table.scales = tied.scales;
  return linear_selected(cx, x, table, {in.hypotheses, pieces});
}

}  // namespace hexapla::model
