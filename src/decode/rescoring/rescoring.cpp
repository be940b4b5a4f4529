#include "decode/rescoring/rescoring.h"

#include <algorithm>

#include "decode/search/beam_entry.h"

namespace hexapla {
namespace {

// Pairs that are looked at again, in the order in which they were added.
struct Again {
  std::vector<LineEncoder::Line> from, to;
  std::vector<size_t> sentences;
  void add(size_t sentence, const Ids& source, const Ids& target) {
    from.push_back({source, {}, 0});
    to.push_back({target, {}, 0});
    sentences.push_back(sentence);
  }
};

}  // namespace

void add_coverage(const PairReader& reader, std::span<const Ids> sources, std::span<std::vector<Hypothesis>> found,
                  const TranslateOptions& options) {
  Again again;
  std::vector<Hypothesis*> all;
  for (size_t i = 0; i < found.size(); ++i)
    for (Hypothesis& h : found[i]) {
      again.add(i, sources[i], h.ids);
      all.push_back(&h);
    }
  align_each(reader, PairBatches(std::move(again.from), std::move(again.to), options), options.attention,
             [&](size_t i, const SoftAlignment& tokens) {
               all[i]->coverage = options.coverage_penalty * coverage(tokens);
               all[i]->normalised += all[i]->coverage;
             });
  for (std::vector<Hypothesis>& of_sentence : found) sort_best_first(of_sentence);
}

std::string copied(const SoftAlignment& tokens, int64_t t, std::string_view text, const PlacedPieces& source,
                   int32_t unknown) {
  int64_t most = -1, most_unknown = -1;
  const auto above = [&](int64_t s, int64_t best) { return best < 0 || tokens.at(t, s) > tokens.at(t, best); };
  for (int64_t s = 0; s + 1 < tokens.columns; ++s) {
    if (above(s, most)) most = s;
    if (source.ids[s] == unknown && above(s, most_unknown)) most_unknown = s;
  }
  if (most_unknown >= 0) {
    const PiecePlace place = source.places[most_unknown];
    return std::string(text.substr(place.from, place.to - place.from));
  }
  const std::vector<std::string_view> all = words(text);
  if (most < 0 || all.empty()) return "";
  const WordSpan span = words_of_pieces(text, source.places)[most];
  return {all[span.first].data(), all[span.last].data() + all[span.last].size()};
}

Copies copies(const PairReader& reader, const SourceTexts& sources, const Vocabulary& target,
              std::span<const std::vector<Hypothesis>> found, const TranslateOptions& options) {
  Again again;
  Copies all;
  std::vector<std::vector<std::string>*> places;
  for (size_t i = 0; i < found.size(); ++i)
    for (const Hypothesis& h : found[i]) {
      if (std::find(h.ids.begin(), h.ids.end(), target.unk()) == h.ids.end()) continue;
      again.add(i, sources.ids[i], h.ids);
      places.push_back(&all[&h]);
    }
  const PairBatches pairs(std::move(again.from), std::move(again.to), options);
  align_each(reader, pairs, options.attention, [&](size_t i, const SoftAlignment& tokens) {
    const std::string& text = sources.texts[again.sentences[i]];
    const PlacedPieces pieces = sources.vocabulary.encode_with_places(text);
    const Ids& ids = pairs.to[i].ids;
    for (size_t t = 0; t < ids.size(); ++t)
      if (ids[t] == target.unk())
        places[i]->push_back(copied(tokens, static_cast<int64_t>(t), text, pieces, sources.vocabulary.unk()));
  });
  return all;
}

}  // namespace hexapla
