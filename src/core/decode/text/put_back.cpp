#include "decode/text/put_back.h"

#include <algorithm>

#include "decode/rescoring/alignment.h"
#include "text/characters.h"
#include "text/lines/letter_case.h"
#include "text/marked/placeholders.h"
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
    if (!constraints_.written.empty()) put_back_in_prefix();
  }

 private:
  void put_back_in_prefix() const {
    std::vector<text::TokenSpan>& hidden = translation_.protected_spans;
    std::vector<text::TokenSpan> all = translation_.spans;
    all.insert(all.end(), hidden.begin(), hidden.end());
    const bool follows = std::any_of(hidden.begin(), hidden.end(), [&](const text::TokenSpan& span) {
      return span.from < span.to && span.from == constraints_.prefix.size();
    });
    decode::put_back_in_prefix(constraints_, translation_.text, all, follows);
    const auto tokens = translation_.spans.size();
    std::vector<text::TokenSpan> names = constraints_.names;
    for (size_t i = 0; i < hidden.size(); ++i) {
      const bool there = hidden[i].from < hidden[i].to;
      hidden[i] = there ? all[tokens + i] : text::TokenSpan{0, 0};
      const auto name = std::find_if(names.begin(), names.end(), [&](const text::TokenSpan& n) {
        return std::string_view(constraints_.written).substr(n.from, n.to - n.from) == hidden_.content(i);
      });
      if (there || name == names.end()) continue;
      hidden[i] = *name;
      names.erase(name);
    }
    all.resize(tokens);
    translation_.spans = std::move(all);
  }
  // Words of the source's tokens. A language that only the line says is no word of this sentence.
  std::vector<text::WordSpan> source_words() const {
    const size_t told = sides_.source.leading(seen_).bytes - sides_.source.leading(hidden_.text()).bytes;
    std::vector<text::TokenSpan> tokens = sides_.source.encode_with_spans(seen_).spans;
    for (text::TokenSpan& t : tokens) t = {t.from - std::min(t.from, told), t.to - std::min(t.to, told)};
    return text::words_of_tokens(std::string_view(seen_).substr(told), tokens);
  }
  // Spans of the prefix, of required phrases and of terms, into which nothing may be inserted.
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
    for (const SourceTerm& term : constraints_.terms)
      for (const std::string& form : *term.forms) {
        std::string capitals = form;
        text::make_capitals(capitals, {});
        for (const std::string& one : {form, text::capitalized(form), capitals})
          for (size_t at = text.find(one); at != text.npos; at = text.find(one, at + 1))
            all.push_back({at, at + one.size()});
      }
    return all;
  }
  // Text already present because of the constraints.
  std::string given() const {
    std::string all = constraints_.written.empty() ? constraints_.prefix : constraints_.written;
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

// Spans of a prefix, as the model writes it, in the prefix with hidden text.
std::vector<text::TokenSpan> in_written(const SentenceConstraints& asked, std::vector<text::TokenSpan> spans) {
  const text::ProtectedText whole(asked.written, asked.names);
  if (asked.prefix.starts_with(whole.text())) return whole.in_line(std::move(spans));
  return std::vector<text::TokenSpan>(spans.size(), {0, asked.written.size()});  // it was normalized
}

}  // namespace

void put_back_in_prefix(const SentenceConstraints& asked, std::string& text, std::span<text::TokenSpan> spans,
                        bool before_hidden) {
  if (asked.written.empty()) return;
  const size_t old = std::min(asked.prefix.size(), text.size());
  const std::string rest = text.substr(old);
  const bool joins = before_hidden || (!rest.empty() && text::joins_words(text::code_point_at(rest, 0).first));
  text = asked.written;
  if (asked.word_ends && joins && !text.ends_with(' ')) text += ' ';
  const size_t now = text.size();
  text += rest;
  for (text::TokenSpan& span : spans) {
    const text::TokenSpan begun = in_written(asked, {{std::min(span.from, old), std::min(span.to, old)}}).front();
    span = {span.from < old ? begun.from : span.from - old + now, span.to <= old ? begun.to : span.to - old + now};
    span.from = std::min(span.from, span.to);
  }
}

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
