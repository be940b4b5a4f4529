#include "decode/steps/decoder_steps.h"

#include <algorithm>

#include "backend/on_host.h"

namespace hexapla::decode {

Ragged::Ragged(std::span<const text::Ids> sentences) {
  for (const text::Ids& s : sentences) {
    HEXAPLA_CHECK(!s.empty(), "decoding: sentence ", offsets.size() - 1, " of the batch is empty, even without </s>");
    ids.insert(ids.end(), s.begin(), s.end());
    offsets.push_back(static_cast<int32_t>(ids.size()));
  }
}

namespace {

int64_t tokens_of(std::span<const text::Ids> sources) {
  int64_t n = 0;
  for (const text::Ids& s : sources) n += std::ssize(s);
  return n;
}

// Numbers per row that a layer's feed-forward network keeps besides its output. With experts, per
// choice: the dispatched row, hidden layer, output, gate, expert number, slot and token; and the
// router's probabilities.
int64_t hidden_numbers(const model::Config& c) {
  if (c.experts == 0) return 4 * c.d_ff;
  return c.experts_per_token * (2 * c.d_model + 2 * c.expert_width() + 4) + c.experts;
}

}  // namespace

DecoderSteps::DecoderSteps(Context& cx, const model::Transformer& model, int64_t memory_rows, int64_t cache_rows,
                           const Shortlist* shortlist)
    : cx_(cx), model_(model), before_(cx.arena), seen_(static_cast<size_t>(cache_rows)), shortlist_(shortlist) {
  HEXAPLA_CHECK(!cx.training, "decoding: the context is set to training, so dropout would change the translation");
  cache_ = model.decoder.allocate_cache(cx, memory_rows, cache_rows);
  step_ = cx.arena.mark();
}

DecoderSteps::DecoderSteps(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                           int64_t cache_rows)
    : DecoderSteps(cx, model, tokens_of(sources), cache_rows) {
  all_ = Ragged(sources).offsets;
  const std::vector<int64_t> first_rows(all_.begin(), all_.end() - 1);
  encode(sources, first_rows);
}

void DecoderSteps::encode(std::span<const text::Ids> sources, std::span<const int64_t> first_rows) {
  if (shortlist_)
    for (size_t i = 0; i < sources.size(); ++i) allowed_[first_rows[i]] = shortlist_->allowed(sources[i]);
  cx_.arena.rewind(step_);
  const Ragged batch(sources);
  const ForwardOnly forward_only(cx_);
  model::Transformer::Saved saved;
  const Tensor memory = model_.encode(cx_, batch.ids, batch.offsets, saved);
  model_.decoder.project_cross(cx_, {memory, batch.offsets}, first_rows, cache_);
  cx_.arena.rewind(step_);
}

// One free cache row per hypothesis, lowest first.
std::vector<int32_t> DecoderSteps::unseen_rows(std::span<Prefix* const> prefixes) {
  std::fill(seen_.begin(), seen_.end(), false);
  for (const Prefix* p : prefixes)
    for (const int32_t row : p->rows) seen_[row] = true;
  std::vector<int32_t> rows;
  rows.reserve(prefixes.size());
  for (size_t row = 0; row < seen_.size() && rows.size() < prefixes.size(); ++row)
    if (!seen_[row]) rows.push_back(static_cast<int32_t>(row));
  HEXAPLA_CHECK(rows.size() == prefixes.size(), "decoding: ", prefixes.size(),
                " hypotheses more do not fit a cache of ", seen_.size(), " rows");
  return rows;
}

void DecoderSteps::take_rows(std::span<Prefix* const> prefixes) {
  const std::vector<int32_t> rows = unseen_rows(prefixes);
  for (size_t i = 0; i < prefixes.size(); ++i) {
    Prefix& p = *prefixes[i];
    HEXAPLA_CHECK(p.ids.size() == p.rows.size() + 1, "decoding: a hypothesis of ", p.ids.size(), " ids has ",
                  p.rows.size(), " cache rows, so not exactly one id is new");
    p.rows.push_back(rows[i]);
  }
}

// All integers of a step, in one copy to the device.
model::StepInput DecoderSteps::step_input(std::span<Prefix* const> prefixes, Offsets hypotheses) {
  size_t longest = 0;
  for (const Prefix* p : prefixes) longest = std::max(longest, p->rows.size());
  const auto n = std::ssize(prefixes), width = static_cast<int64_t>(longest);
  const Tensor all = cx_.keep({(4 + width) * n}, DType::i32);
  const OnHost here = set_on_host(cx_.backend, all);
  int32_t *ids = here->data<int32_t>(), *positions = ids + n, *cache_rows = positions + n, *lengths = cache_rows + n,
          *row = lengths + n, last = 0;
  for (int64_t i = 0; i < n; ++i, row += width) {
    const Prefix& p = *prefixes[i];
    ids[i] = p.ids.back();
    last = std::max(last, positions[i] = static_cast<int32_t>(p.ids.size() - 1));
    cache_rows[i] = p.rows.back();
    lengths[i] = static_cast<int32_t>(p.rows.size());
    std::fill(std::copy(p.rows.begin(), p.rows.end(), row), row + width, 0);
  }
  here.write_back();
  const Tensor index(all.slice(4 * n, width * n).bytes, {n, width}, DType::i32);
  return {all.slice(0, n), {all.slice(n, n), last}, hypotheses, {index, all.slice(3 * n, n)}, all.slice(2 * n, n)};
}

NextLogits DecoderSteps::compute(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory) {
  const auto n = std::ssize(prefixes);
  HEXAPLA_CHECK(hypotheses.size() == memory.size() && hypotheses.back() == n, "decoding: ", n,
                " hypotheses, but the starts cover ", hypotheses.back(), " of ", hypotheses.size() - 1, " sentences");
  cx_.arena.rewind(step_);
  const model::StepInput in = step_input(prefixes, hypotheses);
  if (!shortlist_) return model_.step(cx_, in, cache_, memory);
  std::vector<std::span<const int32_t>> pieces(hypotheses.size() - 1), of_rows;
  for (size_t b = 0; b < pieces.size(); ++b) {
    if (hypotheses[b] < hypotheses[b + 1]) pieces[b] = allowed_.at(memory[b]);
    of_rows.resize(static_cast<size_t>(hypotheses[b + 1]), pieces[b]);
  }
  return {model_.step(cx_, in, cache_, memory, pieces), model_.config.target_vocab, of_rows};
}

size_t decoding_memory(const model::Config& c, const DecodingSizes& s, DType dtype) {
  const int64_t keys = c.heads * c.d_k, values = c.heads * c.d_v;
  // Numbers per row in one layer, taking the largest of all variants: projections, heads and their
  // log-sum-exp, norms with their statistics, sums, the hidden layers of a gated feed-forward
  // network.
  const int64_t attention = 3 * keys + 3 * values + c.heads + c.d_model;
  const int64_t rest = 10 * c.d_model + hidden_numbers(c), layer = 2 * attention + rest;
  const bool recurs = c.decoder_mixing != "attention";
  const int64_t of_decoder = attention + std::max(attention, recurs ? 4 * c.d_model : 0) + rest;
  const int64_t mixed = std::max<int64_t>(9, c.encoder_mixing == "convolution" ? c.kernel_width + 1 : 0) * c.d_model;
  const int64_t outside = 8 * c.d_model;  // embedding, its norm, the last norm, the copy of the memory
  const int64_t of_encoder = c.encoder_mixing == "attention" ? layer : std::max(2 * attention, mixed) + rest;
  const int64_t per_source = of_encoder + outside + c.dec_layers * (keys + values);
  const int64_t per_hypothesis = c.dec_layers * of_decoder + outside;
  const int64_t cache = c.dec_layers * (recurs ? c.d_model : keys + values);
  const int64_t numbers = s.source_tokens * per_source + s.hypotheses * per_hypothesis +
                          s.logit_rows * 2 * (c.target_vocab + s.candidates) + s.cache_rows * cache +
                          (s.longest + 1 + c.first_position) * c.d_model;  // the last: positions
  const int64_t integers = 2 * s.source_tokens + s.hypotheses * (s.longest + 5 + s.candidates);
  const int64_t layers = c.enc_layers + c.dec_layers;
  const int64_t alignment = 64 * (64 + 64 * layers) + 4 * c.experts * layers;
  return static_cast<size_t>(numbers * static_cast<int64_t>(size_of(dtype)) + integers * 4 + alignment + 4096);
}

}  // namespace hexapla::decode
