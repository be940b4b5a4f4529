#include "decode/rescoring/rescoring.h"

#include <algorithm>

#include "decode/strategies/beam_entry.h"

namespace hexapla::decode {

void add_coverage(const Aligner& align, std::span<const text::Ids> sources, std::span<std::vector<Hypothesis>> found,
                  double beta) {
  std::vector<text::Ids> from, to;
  std::vector<Hypothesis*> all;
  for (size_t i = 0; i < found.size(); ++i)
    for (Hypothesis& h : found[i]) {
      from.push_back(sources[i]);
      to.push_back(h.ids);
      all.push_back(&h);
    }
  align(std::move(from), std::move(to), [&](size_t i, const SoftAlignment& tokens) {
    all[i]->coverage = beta * coverage(tokens);
    all[i]->normalized += all[i]->coverage;
  });
  for (std::vector<Hypothesis>& of_sentence : found) sort_best_first(of_sentence);
}

std::string source_of_unknown(const SoftAlignment& tokens, int64_t t, std::string_view text,
                              const text::EncodedText& source, int32_t unknown) {
  int64_t most = -1, most_unknown = -1;
  const auto above = [&](int64_t s, int64_t best) { return best < 0 || tokens.at(t, s) > tokens.at(t, best); };
  for (int64_t s = 0; s + 1 < tokens.columns; ++s) {
    if (above(s, most)) most = s;
    if (source.ids[s] == unknown && above(s, most_unknown)) most_unknown = s;
  }
  if (most_unknown >= 0) {
    const text::TokenSpan span = source.spans[most_unknown];
    return std::string(text.substr(span.from, span.to - span.from));
  }
  const std::vector<std::string_view> all = text::words(text);
  if (most < 0 || all.empty()) return "";
  const text::WordSpan span = text::words_of_tokens(text, source.spans)[most];
  return {all[span.first].data(), all[span.last].data() + all[span.last].size()};
}

Copies copies(const Aligner& align, const SourceTexts& sources, const text::Vocabulary& target,
              std::span<const std::vector<Hypothesis>> found) {
  struct RescoredPairs {
    size_t sentence;
    const text::Ids* ids;
    std::vector<std::string>* copies;
  };
  std::vector<text::Ids> from, to;
  std::vector<RescoredPairs> rescored;
  Copies all;
  for (size_t i = 0; i < found.size(); ++i)
    for (const Hypothesis& h : found[i]) {
      if (std::find(h.ids.begin(), h.ids.end(), target.unk()) == h.ids.end()) continue;
      from.push_back(sources.ids[i]);
      to.push_back(h.ids);
      rescored.push_back({i, &h.ids, &all[&h]});
    }
  align(std::move(from), std::move(to), [&](size_t i, const SoftAlignment& tokens) {
    const auto& [sentence, ids, of_one] = rescored[i];
    const std::string& text = sources.texts[sentence];
    const text::EncodedText encoded = sources.vocabulary.encode_with_spans(text);
    for (size_t t = 0; t < ids->size(); ++t)
      if ((*ids)[t] == target.unk())
        of_one->push_back(source_of_unknown(tokens, static_cast<int64_t>(t), text, encoded, sources.vocabulary.unk()));
  });
  return all;
}

}  // namespace hexapla::decode
