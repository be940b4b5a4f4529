#include "decode/rescoring/alignment.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"

namespace hexapla::decode {
namespace {

// weights: [heads, rows, columns]
SoftAlignment alignment_of(int64_t head, Tensor weights) {
  const auto [heads, rows, columns] = weights.dims<3>("alignment");
  const int64_t first = head == AttentionHead::kMean ? 0 : head, count = head == AttentionHead::kMean ? heads : 1;
  HEXAPLA_CHECK(first >= 0 && first + count <= heads, "alignment: there is no head ", head, " of ", heads);
  SoftAlignment a{rows, columns, std::vector<double>(static_cast<size_t>(rows * columns))};
  for (int64_t h = first; h < first + count; ++h)
    for (int64_t i = 0; i < rows * columns; ++i)
      a.weights[i] += weights.data<double>()[h * rows * columns + i] / static_cast<double>(count);
  return a;
}

template <class Keep>
std::vector<data::Link> links(const SoftAlignment& soft, Keep&& keep) {
  std::vector<data::Link> all;
  for (int64_t t = 0; t + 1 < soft.rows; ++t)
    for (int64_t s = 0; s + 1 < soft.columns; ++s)
      if (keep(t, s)) all.push_back({static_cast<int32_t>(s), static_cast<int32_t>(t)});
  return all;
}

// The units that share a token with the unit before them; never </s>, the last.
std::vector<bool> joined_units(const Units& units) {
  std::vector<bool> joined;
  for (const text::WordSpan& span : units.of_token) {
    if (span.count() > 1) joined.resize(static_cast<size_t>(units.count) + 1);
    for (int32_t unit = span.first + 1; unit <= span.last; ++unit) joined[unit] = true;
  }
  return joined;
}

Tensor encode(Context& cx, const model::Transformer& model, const Ragged& source, model::Transformer::Saved& saved) {
  const ForwardOnly forward_only(cx);
  return model.encode(cx, source.ids, source.offsets, saved);
}

}  // namespace

std::vector<SoftAlignment> align_pairs(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                                       std::span<const text::Ids> targets, const SpecialIds& special,
                                       const AttentionHead& head) {
  HEXAPLA_CHECK(sources.size() == targets.size(), "alignment: ", sources.size(), " sources, but ", targets.size(),
                " targets");
  HEXAPLA_CHECK(!cx.training, "alignment: the context is set to training, so dropout would change the attention");
  if (sources.empty()) return {};
  std::vector<text::Ids> shifted;
  for (const text::Ids& target : targets) {
    shifted.push_back({special.bos});
    shifted.back().insert(shifted.back().end(), target.begin(), target.end());
  }
  const Ragged source(sources), target(shifted);
  const ArenaRewind whole(cx.arena);
  model::Transformer::Saved saved;
  const Tensor memory = encode(cx, model, source, saved);
  model.decode(cx, {memory, source.offsets}, target.ids, target.offsets, saved);
  std::vector<SoftAlignment> alignments;
  for (size_t b = 0; b < sources.size(); ++b) {
    const Arena::Frame frame(cx.arena);
    alignments.push_back(
        alignment_of(head.head, model.decoder.cross_attention_weights(cx, head.layer, saved.decoder, b).weights));
  }
  return alignments;
}

double coverage(const SoftAlignment& tokens) {
  constexpr double least = 1e-10;  // for weights that are zero in floating point
  double sum = 0;
  for (int64_t s = 0; s + 1 < tokens.columns; ++s) {
    double given = 0;
    for (int64_t t = 0; t < tokens.rows; ++t) given += tokens.at(t, s);
    sum += std::log(std::clamp(given, least, 1.0));
  }
  return sum;
}

SoftAlignment merge(const SoftAlignment& tokens, const Units& source, const Units& target) {
  SoftAlignment merged{target.count + 1, source.count + 1, {}};
  merged.weights.assign(static_cast<size_t>(merged.rows * merged.columns), 0);
  const auto span = [](const Units& units, int64_t token, int64_t all) {
    return token + 1 == all ? text::WordSpan(static_cast<int32_t>(units.count)) : units.of_token[token];
  };
  std::vector<double> count(static_cast<size_t>(merged.rows));
  for (int64_t t = 0; t < tokens.rows; ++t)
    for (int32_t row = span(target, t, tokens.rows).first; row <= span(target, t, tokens.rows).last; ++row)
      ++count[row];
  for (int64_t t = 0; t < tokens.rows; ++t) {
    const text::WordSpan rows = span(target, t, tokens.rows);
    for (int64_t s = 0; s < tokens.columns; ++s) {
      const text::WordSpan columns = span(source, s, tokens.columns);
      for (int32_t row = rows.first; row <= rows.last; ++row)
        for (int32_t column = columns.first; column <= columns.last; ++column)
          merged.weights[row * merged.columns + column] += tokens.at(t, s) / count[row] / columns.count();
    }
  }
  merged.joined = joined_units(source);
  return merged;
}

std::vector<data::Link> hard_links(const SoftAlignment& soft) {
  std::vector<int64_t> best(static_cast<size_t>(soft.rows), -1), last(best);
  for (int64_t t = 0; t + 1 < soft.rows; ++t) {
    double most = 0;
    for (int64_t s = 0; s + 1 < soft.columns; ++s)
      if (soft.at(t, s) > most) most = soft.at(t, s), best[t] = last[t] = s;
    if (best[t] < 0 || soft.joined.empty()) continue;
    while (soft.joined[best[t]]) --best[t];
    while (soft.joined[last[t] + 1]) ++last[t];
  }
  return links(soft, [&](int64_t t, int64_t s) { return best[t] <= s && s <= last[t]; });
}

std::vector<data::Link> links_above(const SoftAlignment& soft, double threshold) {
  return links(soft, [&](int64_t t, int64_t s) { return soft.at(t, s) >= threshold; });
}

std::string soft_text(const SoftAlignment& soft) {
  Classic<std::ostringstream> text;  // six digits by default
  for (int64_t t = 0; t < soft.rows; ++t)
    for (int64_t s = 0; s < soft.columns; ++s) text << (s > 0 ? "," : t > 0 ? " " : "") << soft.at(t, s);
  return text.str();
}

size_t align_memory(const model::Transformer& model, std::span<const text::Ids> sources,
                    std::span<const text::Ids> targets, DType dtype) {
  DecodingSizes sizes{};
  size_t longest_source = 0, longest_target = 0;
  for (const text::Ids& ids : sources) {
    sizes.source_tokens += std::ssize(ids);
    longest_source = std::max(longest_source, ids.size());
  }
  for (const text::Ids& ids : targets) {
    sizes.hypotheses += std::ssize(ids) + 1;
    longest_target = std::max(longest_target, ids.size() + 1);
  }
  sizes.longest = static_cast<int64_t>(std::max(longest_source, longest_target));
  sizes.logit_rows = 0;
  return decoding_memory(model.config, sizes, dtype) +
         attention_memory(model.config, static_cast<int64_t>(longest_source), static_cast<int64_t>(longest_target));
}

// Briefly needs scores and weights of all heads for one pair.
size_t attention_memory(const model::Config& config, int64_t source, int64_t target) {
  return 2 * static_cast<size_t>(config.heads * source * target) * sizeof(double) + (size_t{1} << 16);
}

}  // namespace hexapla::decode
