#include "decode/text/put_back.h"

#include <algorithm>

#include "decode/rescoring/alignment.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  const auto all = text::words(text);
  return {all.begin(), all.end()};
}

// A sentence and one of its translations, before hidden text is restored.
class Pair {
 public:
  Pair(const TextSides& sides, const SentenceSpan& sentences, size_t i, Translation& t)
      : sides_(sides),
        hidden_(*sentences.hidden[i]),
        seen_(sentences.texts[i]),
        constraints_(sentences.constraints[i]),
        translation_(t) {}

  void put_back(const SoftAlignment& tokens) const {
    const std::vector<text::TokenSpan> spans =
        translation_.spans.empty() ? sides_.target.spans_in(translation_.ids) : translation_.spans;
    const auto source = words_of(hidden_.text()), target = words_of(translation_.text);
    const auto from = source_words();
    const auto to = text::words_of_tokens(translation_.text, spans);
    const auto words = [](const std::vector<std::string>& all) { return std::ssize(all); };
    std::vector<std::pair<int, int>> links;
    if (!source.empty() && !target.empty() && from.size() + 1 <= static_cast<size_t>(tokens.columns))
      for (const data::Link& link : hard_links(merge(tokens, {from, words(source)}, {to, words(target)})))
        links.emplace_back(link.source, link.target);
    const text::WordLinks how{source, target, links, {}};
    auto restored = hidden_.restored(translation_.text, spans, how, solid(), given());
    translation_.text = std::move(restored.text);
    translation_.spans = std::move(restored.tokens);
    translation_.protected_spans = std::move(restored.spans);
  }

 private:
  // Words of the source's tokens. A language that only the line says is no word of this sentence.
  std::vector<text::WordSpan> source_words() const {
    const size_t told = sides_.source.leading(seen_).bytes - sides_.source.leading(hidden_.text()).bytes;
    std::vector<text::TokenSpan> tokens = sides_.source.encode_with_spans(seen_).spans;
    for (text::TokenSpan& t : tokens) t = {t.from - std::min(t.from, told), t.to - std::min(t.to, told)};
    return text::words_of_tokens(std::string_view(seen_).substr(told), tokens);
  }
  // Spans of the prefix and of required phrases, into which nothing may be inserted.
  std::vector<text::TokenSpan> solid() const {
    std::vector<text::TokenSpan> all;
    const std::string& text = translation_.text;
    if (const std::string& prefix = constraints_.prefix; !prefix.empty() && text.starts_with(prefix)) {
      size_t end = prefix.size();
      while (!text::word_boundary(text, end)) end += text::character_bytes(std::string_view(text).substr(end));
      all.push_back({0, end});
    }
    for (const Requirement& required : constraints_.required)
      for (const Phrase& phrase : *required.forms)
        for (size_t at = text.find(phrase.text); at != text.npos; at = text.find(phrase.text, at + 1))
          all.push_back({at, at + phrase.text.size()});
    return all;
  }
  // Text already present because of the constraints.
  std::string given() const {
    std::string all = constraints_.prefix;
    for (const Requirement& required : constraints_.required)
      for (const Phrase& phrase : *required.forms) all += "\n" + phrase.text;
    return all;
  }

  const TextSides& sides_;
  const text::ProtectedText& hidden_;
  const std::string& seen_;  // its text(), perhaps in other letters
  const SentenceConstraints& constraints_;
  Translation& translation_;
};

}  // namespace

void put_back(const TextSides& sides, const SentenceSpan& sentences, std::span<std::vector<Translation>> translations,
              const Aligner& align) {
  std::vector<Pair> pairs;
  std::vector<text::Ids> from, to;
  for (size_t i = 0; i < translations.size(); ++i) {
    if (!sentences.hidden[i]) continue;
    for (Translation& t : translations[i]) {
      pairs.emplace_back(sides, sentences, i, t);
      from.push_back(sentences.ids[i]);
      to.push_back(t.ids);
    }
  }
  if (pairs.empty()) return;
  align(std::move(from), std::move(to), [&](size_t i, const SoftAlignment& tokens) { pairs[i].put_back(tokens); });
}

}  // namespace hexapla::decode
