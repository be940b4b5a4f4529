#include "decode/steps/whole_steps.h"

#include <algorithm>
#include <cstring>

namespace hexapla::decode {
namespace {

void copy_numbers(Tensor from, Tensor to) {
  std::memcpy(to.bytes, from.bytes, static_cast<size_t>(to.size()) * size_of(to.dtype));
}

}  // namespace

WholeSteps::WholeSteps(Context& cx, const model::Transformer& model, int64_t longest)
    : cx_(cx), model_(model), before_(cx.arena), longest_(longest), step_(cx.arena.mark()) {}

template <class F>
void WholeSteps::pass(int64_t source_tokens, int64_t target_tokens, F&& f) const {
  const DecodingSizes sizes{.source_tokens = source_tokens,
                            .hypotheses = target_tokens,
                            .logit_rows = 1,
                            .longest = std::max(longest_, std::max(source_tokens, target_tokens)),
                            .cache_rows = 0,
                            .candidates = 0};
  Arena arena(decoding_memory(model_.config, sizes, cx_.dtype));
  Context cx{cx_.backend, arena, cx_.dtype};
  const ForwardOnly forward_only(cx);
  f(cx);
}

void WholeSteps::encode(std::span<const text::Ids> sources, std::span<const int64_t>) {
  HEXAPLA_CHECK(sources.size() == 1, "decoding without a cache is for one sentence, but there are ", sources.size());
  const Ragged batch(sources);
  cx_.arena.rewind(before_.mark());
  memory_ = cx_.keep({std::ssize(batch.ids), model_.config.d_model});
  step_ = cx_.arena.mark();
  pass(std::ssize(batch.ids), 0, [&](Context& cx) {
    model::Transformer::Saved saved;
    copy_numbers(model_.encode(cx, batch.ids, batch.offsets, saved), memory_);
  });
}

NextLogits WholeSteps::step(std::span<Prefix* const> prefixes, Offsets, Offsets) {
  cx_.arena.rewind(step_);
  const Tensor logits = cx_.keep({std::ssize(prefixes), model_.config.target_vocab});
  for (size_t i = 0; i < prefixes.size(); ++i) compute(*prefixes[i], logits.slice(static_cast<int64_t>(i), 1));
  return logits;
}

void WholeSteps::compute(const Prefix& prefix, Tensor row) const {
  const auto n = std::ssize(prefix.ids);
  const std::vector<int32_t> memory_rows{0, static_cast<int32_t>(memory_.shape[0])}, rows{0, static_cast<int32_t>(n)};
  pass(memory_.shape[0], n, [&](Context& cx) {
    model::Transformer::Saved saved;
    const Tensor x = model_.decode(cx, {memory_, memory_rows}, prefix.ids, rows, saved);
    copy_numbers(model_.logits(cx, x.slice(n - 1, 1)), row);
  });
}

}  // namespace hexapla::decode
