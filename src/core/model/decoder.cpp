#include "model/decoder.h"

#include "base/scope.h"

namespace hexapla::model {

bool is_causal(const Config& c) {
  HEXAPLA_CHECK(c.decoder_mask == "causal" || c.decoder_mask == "none", "there is no mask '", c.decoder_mask, "'");
  return c.decoder_mask == "causal";
}

TargetMixing make_target_mixing(const Config& c) {
  if (c.decoder_mixing == "ssru") return SimpleRecurrence(c.d_model);
  HEXAPLA_CHECK(c.decoder_mixing == "attention", "the decoder cannot mix by '", c.decoder_mixing, "'");
  return SelfAttention(make_heads(c), c.d_model, is_causal(c));
}

Tensor DecoderLayer::forward(Context& cx, Tensor x, Offsets rows, Tensor memory, Offsets memory_rows, Saved& s) const {
  {
    Scope scope(name_of(mixing));
    Tensor r = model::forward(mixing, cx, x, rows, s.mixing);
    observe(cx, "output", r, rows);
    x = model::forward(self_norm, cx, {x, r, self_dropout}, rows, s.norm1);
  }
  {
    Scope scope("cross_attention");
    Tensor r = cross_attention.forward(cx, x, rows, memory, memory_rows, s.cross);
    observe(cx, "output", r, rows);
    x = model::forward(cross_norm, cx, {x, r, cross_dropout}, rows, s.norm2);
  }
  Scope scope("feed_forward");
  Tensor r = model::forward(feed_forward, cx, x, rows, s.ffn);
  observe(cx, "output", r, rows);
  return model::forward(feed_forward_norm, cx, {x, r, feed_forward_dropout}, rows, s.norm3);
}

void DecoderLayer::backward(Context& cx, const Saved& s, Tensor d, Tensor d_memory) const {
  Arena::Frame frame(cx.arena);
  {
    Scope scope("feed_forward");
    Tensor dr = model::backward(feed_forward_norm, cx, s.norm3, feed_forward_dropout, d);
    show_residual_gradient(cx, d, dr);
    model::backward(feed_forward, cx, s.ffn, dr, d);
  }
  {
    Scope scope("cross_attention");
    Tensor dr = model::backward(cross_norm, cx, s.norm2, cross_dropout, d);
    show_residual_gradient(cx, d, dr);
    cross_attention.backward(cx, s.cross, dr, d, d_memory);
  }
  Scope scope(name_of(mixing));
  Tensor dr = model::backward(self_norm, cx, s.norm1, self_dropout, d);
  show_residual_gradient(cx, d, dr);
  model::backward(mixing, cx, s.mixing, dr, d);
}

Tensor DecoderLayer::step(Context& cx, Tensor x, const StepInput& in, const LayerCache& cache,
                          Offsets memory_rows) const {
  Normalized n;
  AnyFeedForwardSaved f;
  x = model::forward(self_norm, cx, {x, model::step(mixing, cx, x, cache.self, in.cache_rows, in.rows)}, {}, n);
  x = model::forward(cross_norm, cx, {x, cross_attention.step(cx, x, in.hypotheses, cache.cross, memory_rows)}, {}, n);
  return model::forward(feed_forward_norm, cx, {x, model::forward(feed_forward, cx, x, {}, f)}, {}, n);
}

Tensor PreNormDecoderLayer::forward(Context& cx, Tensor x, Offsets rows, Tensor memory, Offsets memory_rows,
                                    Saved& s) const {
  {
    Scope scope(name_of(mixing));
    Tensor n = model::forward(self_norm, cx, {x}, rows, s.norm1);
    Tensor r = model::forward(mixing, cx, n, rows, s.mixing);
    observe(cx, "output", r, rows);
    x = add(cx, x, self_dropout.forward(cx, r));
    observe(cx, "sum", x, rows);
  }
  {
    Scope scope("cross_attention");
    Tensor n = model::forward(cross_norm, cx, {x}, rows, s.norm2);
    Tensor r = cross_attention.forward(cx, n, rows, memory, memory_rows, s.cross);
    observe(cx, "output", r, rows);
    x = add(cx, x, cross_dropout.forward(cx, r));
    observe(cx, "sum", x, rows);
  }
  Scope scope("feed_forward");
  Tensor n = model::forward(feed_forward_norm, cx, {x}, rows, s.norm3);
  Tensor r = model::forward(feed_forward, cx, n, rows, s.ffn);
  observe(cx, "output", r, rows);
  x = add(cx, x, feed_forward_dropout.forward(cx, r));
  observe(cx, "sum", x, rows);
  return x;
}

void PreNormDecoderLayer::backward(Context& cx, const Saved& s, Tensor d, Tensor d_memory) const {
  Arena::Frame frame(cx.arena);
  Tensor dn = cx.scratch(d.shape);
  {
    Scope scope("feed_forward");
    fill(cx, dn, 0);
    Tensor dr = feed_forward_dropout.backward(cx, d);
    show_residual_gradient(cx, d, dr);
    model::backward(feed_forward, cx, s.ffn, dr, dn);
    model::backward(feed_forward_norm, cx, s.norm3, {}, dn);
    add_to(cx, d, dn);
  }
  {
    Scope scope("cross_attention");
    fill(cx, dn, 0);
    Tensor dr = cross_dropout.backward(cx, d);
    show_residual_gradient(cx, d, dr);
    cross_attention.backward(cx, s.cross, dr, dn, d_memory);
    model::backward(cross_norm, cx, s.norm2, {}, dn);
    add_to(cx, d, dn);
  }
  Scope scope(name_of(mixing));
  fill(cx, dn, 0);
  Tensor dr = self_dropout.backward(cx, d);
  show_residual_gradient(cx, d, dr);
  model::backward(mixing, cx, s.mixing, dr, dn);
  model::backward(self_norm, cx, s.norm1, {}, dn);
  add_to(cx, d, dn);
}

Tensor PreNormDecoderLayer::step(Context& cx, Tensor x, const StepInput& in, const LayerCache& cache,
                                 Offsets memory_rows) const {
  Normalized n;
  AnyFeedForwardSaved f;
  Tensor y = model::forward(self_norm, cx, {x}, {}, n);
  x = add(cx, x, model::step(mixing, cx, y, cache.self, in.cache_rows, in.rows));
  y = model::forward(cross_norm, cx, {x}, {}, n);
  x = add(cx, x, cross_attention.step(cx, y, in.hypotheses, cache.cross, memory_rows));
  y = model::forward(feed_forward_norm, cx, {x}, {}, n);
  return add(cx, x, model::forward(feed_forward, cx, y, {}, f));
}

Decoder::Decoder(const Config& c) : input(make_input(c)) {
  if (c.norm_position == "pre") {
    layers = std::vector<PreNormDecoderLayer>(c.dec_layers, PreNormDecoderLayer(c));
  } else {
    HEXAPLA_CHECK(c.norm_position == "post" || c.norm_position == "post-last", "there is no norm position '",
                  c.norm_position, "'");
    layers = std::vector<DecoderLayer>(c.dec_layers, DecoderLayer(c));
  }
  if (c.has_last_norm()) last_norm = make_norm(c);
}

Tensor Decoder::forward(Context& cx, const Embedding& e, Tensor ids, Offsets rows, const Memory& memory,
                        Saved& s) const {
  Scope scope("decoder");
  Tensor x = input.forward(cx, e, ids, positions(cx, rows), rows, s.input);
  std::visit(
      [&](const auto& stack) {
        s.layers.resize(stack.size());
        for (size_t i = 0; i < stack.size(); ++i) {
          Scope layer("layers", int(i));
          x = stack[i].forward(cx, x, rows, memory.values, memory.rows, s.layers[i]);
        }
      },
      layers);
  return last_norm ? model::forward(*last_norm, cx, {x}, rows, s.last_norm) : x;
}

void Decoder::backward(Context& cx, const Embedding& e, const Saved& s, Tensor d, Tensor d_memory) const {
  Scope scope("decoder");
  if (last_norm) model::backward(*last_norm, cx, s.last_norm, {}, d);
  std::visit(
      [&](const auto& stack) {
        for (size_t i = stack.size(); i-- > 0;) {
          Scope layer("layers", int(i));
          stack[i].backward(cx, s.layers[i], d, d_memory);
          if (cx.listener) cx.listener->final_from(GradientListener::Stack::decoder, static_cast<int>(i));
        }
      },
      layers);
  input.backward(cx, e, s.input, d);
}

Tensor Decoder::guide(Context& cx, const Guide& g, Saved& s) const {
  HEXAPLA_CHECK(g.layer >= 0 && g.layer < int64_t(s.layers.size()), "guided alignment: there is no decoder layer ",
                g.layer, " of ", s.layers.size());
  CrossAttention::Saved& cross = s.layers[g.layer].cross;
  cross.guide = &g;
  return std::visit([&](const auto& stack) { return stack[g.layer].cross_attention.guide_loss(cx, cross, g); }, layers);
}

AttentionWeights Decoder::cross_attention_weights(Context& cx, int64_t layer, const Saved& s, size_t b) const {
  HEXAPLA_CHECK(layer >= 0 && layer < int64_t(s.layers.size()), "attention weights: there is no decoder layer ", layer,
                " of ", s.layers.size());
  return std::visit(
      [&](const auto& stack) { return stack[layer].cross_attention.weights(cx, s.layers[layer].cross, b); }, layers);
}

std::vector<LayerCache> Decoder::allocate_cache(Context& cx, int64_t memory_rows, int64_t rows) const {
  std::vector<LayerCache> caches;
  std::visit(
      [&](const auto& stack) {
        for (const DecoderLayer& layer : stack)
          caches.push_back({cx.keep({rows, cache_width(layer.mixing)}),
                            cx.keep({memory_rows, layer.cross_attention.cache_width()})});
      },
      layers);
  return caches;
}

void Decoder::project_cross(Context& cx, const Memory& memory, std::span<const int64_t> first_rows,
                            std::span<const LayerCache> cache) const {
  std::visit(
      [&](const auto& stack) {
        for (size_t i = 0; i < stack.size(); ++i) {
          const Arena::Mark before = cx.arena.mark();
          const Tensor all = stack[i].cross_attention.project_cross(cx, memory.values);
          for (size_t b = 0; b < first_rows.size(); ++b) {
            const int64_t first = memory.rows[b], n = memory.rows[b + 1] - first;
            copy(cx, all.slice(first, n), cache[i].cross.slice(first_rows[b], n));
          }
          cx.arena.rewind(before);
        }
      },
      layers);
}

Tensor Decoder::step(Context& cx, const Embedding& e, const StepInput& in, std::span<const LayerCache> cache,
                     Offsets memory_rows) const {
  Scope scope("decoder");
  Input::Saved saved;
  Tensor x = input.forward(cx, e, in.ids, in.positions, in.hypotheses, saved);
  std::visit(
      [&](const auto& stack) {
        for (size_t i = 0; i < stack.size(); ++i) x = stack[i].step(cx, x, in, cache[i], memory_rows);
      },
      layers);
  Normalized n;
  return last_norm ? model::forward(*last_norm, cx, {x}, in.hypotheses, n) : x;
}

}  // namespace hexapla::model
