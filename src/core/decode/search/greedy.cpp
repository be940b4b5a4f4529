#include "decode/search/decoding_capacity.h"
#include "decode/strategies/best_tokens.h"

namespace hexapla::decode {

std::vector<Hypothesis> greedy(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                               const SearchOptions& options, const SpecialIds& special) {
  if (sources.empty()) return {};
  std::vector<BeamEntry> live;
  std::vector<Hypothesis> results(sources.size());
  int64_t cache_rows = 0;
  for (size_t b = 0; b < sources.size(); ++b) {
    live.push_back({{{special.bos}, {}}, 0, {}, 0});
    cache_rows += longest_translation(positions(model), sources[b], options);
  }
  std::vector<bool> ended(sources.size());
  DecoderSteps decoder(cx, model, sources, cache_rows);
  for (int64_t length = 1;; ++length) {
    std::vector<Prefix*> prefixes;
    std::vector<int32_t> offsets{0};
    for (size_t b = 0; b < live.size(); ++b) {
      if (!ended[b]) prefixes.push_back(&live[b].prefix);
      offsets.push_back(static_cast<int32_t>(prefixes.size()));
    }
    if (prefixes.empty()) return results;
    const NextLogits logits = decoder.step(prefixes, offsets);
    const BestTokens best(cx, logits, 1, special);
    for (size_t b = 0; b < live.size(); ++b) {
      if (ended[b]) continue;
      const auto [score, id] = length < longest_translation(positions(model), sources[b], options)
                                   ? best.first(offsets[b])
                                   : Token{end_scores(cx, logits.slice(offsets[b], 1), special)[0], special.eos};
      if (id == special.eos) {
        results[b] = finish(live[b], score, options);
        ended[b] = true;
      } else {
        live[b] = extended(live[b], id, live[b].score + score, score, options);
      }
    }
  }
}

}  // namespace hexapla::decode
