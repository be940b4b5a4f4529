#include "decode/lines/sources.h"

#include <algorithm>

#include "base/error.h"
#include "text/lines/letter_case.h"
#include "text/lines/sentences.h"
#include "text/utf8.h"

namespace hexapla::decode {

namespace {

std::vector<text::TokenSpan> masks(std::string_view masked, const Parting& how) {
  return how.protection ? text::masks_of(masked) : std::vector<text::TokenSpan>();
}

}  // namespace

// Joins a cut without ids (the model sees none of it) to the cut before it, or else to the next.
std::vector<SourceReader::Cut> SourceReader::with_neighbors(std::vector<Cut> cuts) {
  std::vector<Cut> all;
  for (Cut& cut : cuts) {
    const bool joins = !all.empty() && (cut.ids.empty() || all.back().ids.empty());
    if (!joins) {
      all.push_back(std::move(cut));
      continue;
    }
    Cut& last = all.back();
    last.text = {last.text.data(), static_cast<size_t>(cut.text.data() + cut.text.size() - last.text.data())};
    if (!last.ids.empty()) continue;
    last.seen = std::move(cut.seen);
    last.told = cut.told;
    last.ids = std::move(cut.ids);
    last.capitals = cut.capitals;
  }
  return all;
}

std::vector<SourceReader::Part> SourceReader::parts_of(const text::MaskedLine& line, std::vector<Cut> cuts) {
  std::vector<Part> all;
  for (auto& [text, seen, told, ids, capitals, between] : cuts) {
    const auto from = static_cast<size_t>(text.data() - line.text().data());
    auto [own, spans] = line.unmasked({from, from + text.size()});
    Part part{.text = std::move(own),
              .seen = std::move(seen),
              .told = told,
              .ids = std::move(ids),
              .between = std::string(between),
              .capitals = capitals};
    if (!spans.empty()) part.hidden = std::make_shared<const text::ProtectedText>(part.text, std::move(spans));
    all.push_back(std::move(part));
  }
  return all;
}

std::vector<text::TokenSpan> SourceReader::Part::in_text(std::vector<text::TokenSpan> tokens) const {
  for (text::TokenSpan& token : tokens)
    token = {token.from - std::min(token.from, told), token.to - std::min(token.to, told)};
  if (capitals) tokens = text::moved_to(hidden ? hidden->text() : text, seen.substr(told), std::move(tokens));
  return hidden ? hidden->in_line(std::move(tokens)) : tokens;
}

// The whole text or its sentences. In a line in capitals every sentence counts as in capitals; in
// other lines each is checked on its own.
std::vector<SourceReader::Sentence> SourceReader::sentences_of(std::string_view masked, const text::Ids& ids,
                                                               const Parting& how) const {
  const auto in_capitals = [&](std::string_view text) {
    return how.capitals && text::in_capitals(text.substr(vocabulary_.leading(text).bytes));
  };
  const bool all = in_capitals(masked);
  const bool known =
      how.sentences == Sentences::automatic && (std::ssize(ids) <= how.familiar || vocabulary_.of_tokens());
  if (how.sentences == Sentences::keep || known || !text::several_sentences(masked)) return {{masked, all}};
  std::vector<Sentence> sentences;
  for (const std::string_view text : text::sentences(masked)) sentences.push_back({text, all || in_capitals(text)});
  return sentences;
}

// The line as the vocabulary has to spell it: sentences in capitals lowercased, character by
// character, so that every character keeps its place.
std::string SourceReader::in_its_letters(const std::string& clean, const Parting& how) const {
  if (!how.capitals || !text::has_capitals(clean)) return clean;
  const std::string small = text::lowered(clean);
  const text::Ids ids = vocabulary_.encode(small);  // what it cannot spell in small letters is in neither
  const text::MaskedLine line(clean, protected_in(clean, small, ids, how.protection.get()));
  std::string all;
  size_t at = 0;
  for (const auto& [text, capitals] : sentences_of(line.text(), ids, how)) {
    const auto begin = static_cast<size_t>(text.data() - line.text().data());
    const size_t from = line.in_line(begin + vocabulary_.leading(text).bytes), to = line.in_line(begin + text.size());
    all.append(clean, at, from - at);
    const std::string own = clean.substr(from, to - from);
    all += capitals ? text::as_sentence(own) : own;
    at = to;
  }
  return all.append(clean, at);
}

SourceReader::Prepared SourceReader::prepare(const std::string& text, const Parting& how) const {
  std::string clean = text::clean_utf8(text), seen = in_its_letters(clean, how);
  text::Ids ids = vocabulary_.encode(seen);
  std::vector<text::TokenSpan> hidden = protected_in(clean, seen, ids, how.protection.get());
  return {std::move(clean), std::move(hidden), std::move(seen), std::move(ids)};
}

SourceReader::Cut SourceReader::cut(std::string_view masked, std::string_view language, Letters letters,
                                    const Parting& how) const {
  std::vector<text::TokenSpan> hidden = masks(masked, how);
  std::string seen = hidden.empty() ? std::string(masked) : text::ProtectedText(masked, std::move(hidden)).text();
  if (letters != Letters::as_written) {
    const size_t first = vocabulary_.leading(seen).bytes;
    const std::string rest = seen.substr(first);
    seen.replace(first, seen.npos, letters == Letters::small ? text::lowered(rest) : text::as_sentence(rest));
  }
  text::Ids ids = vocabulary_.encode(seen);
  const size_t told = ids.empty() || !language_of(seen).empty() ? 0 : language.size();
  if (told > 0) ids = vocabulary_.encode(seen.insert(0, language));
  return {masked, std::move(seen), told, std::move(ids), letters != Letters::as_written};
}

SourceReader::Cut SourceReader::cut(const Sentence& sentence, std::string_view language, const Prepared& whole,
                                    const Parting& how) const {
  if (whole.hidden.empty() && !sentence.capitals && sentence.text == whole.seen)
    return {sentence.text, whole.seen, 0, whole.ids, false};
  return cut(sentence.text, language, sentence.capitals ? Letters::sentence : Letters::as_written, how);
}

std::vector<SourceReader::Part> SourceReader::read(const std::string& text, const Prepared& whole, size_t line,
                                                   const Parting& how) const {
  warn_of_invalid_utf8(text, line);
  if (whole.ids.empty()) return {};
  warn_of_unknown_letters(whole.seen, whole.ids, line);
  const text::MaskedLine masked(whole.clean, whole.hidden);
  const std::string_view language = language_of(masked.text());
  std::vector<Cut> cuts;
  const char* end = nullptr;  // of the sentence before
  for (const Sentence& sentence : sentences_of(masked.text(), whole.ids, how)) {
    std::vector<Cut> own = cuts_of(sentence, cut(sentence, language, whole, how), language, line, how);
    const char* begin = sentence.text.data();
    if (end && !own.empty() && !cuts.empty())
      if (const std::string_view between(end, static_cast<size_t>(begin - end)); between.size() > 1)
        own.front().between = between;
    end = begin + sentence.text.size();
    std::move(own.begin(), own.end(), std::back_inserter(cuts));
  }
  return parts_of(masked, with_neighbors(std::move(cuts)));
}

std::vector<SourceReader::Cut> SourceReader::cuts_of(const Sentence& sentence, Cut one, std::string_view language,
                                                     size_t line, const Parting& how) const {
  const std::string_view text = sentence.text;
  const bool capitals = sentence.capitals;
  if (one.ids.empty() && masks(text, how).empty()) return {};
  if (fits(one.ids)) return {std::move(one)};
  if (how.long_input != LongInput::split) {
    one.ids.resize(kept(one.ids.size(), line));
    return {std::move(one)};
  }
  std::vector<Cut> all;
  size_t at = 0;
  const Letters later = capitals ? Letters::small : Letters::as_written;
  const auto is_short = [&](const std::string& t) {
    return fits(cut(t, language, later, how).ids) && (!capitals || fits(cut(t, language, Letters::sentence, how).ids));
  };
  for (const std::string& part : text::parted(text, is_short)) {
    at = text.find(part, at);
    Cut own = cut(text.substr(at, part.size()), language, capitals && all.empty() ? Letters::sentence : later, how);
    own.ids.resize(kept(own.ids.size(), line));  // a single character may have more tokens than fit
    if (!own.ids.empty() || !masks(part, how).empty()) all.push_back(std::move(own));
    at += part.size();
  }
  warn(line, cat(one.ids.size() + 1, " tokens are more than ", longest_, ", so it was translated in ", all.size(),
                 " parts; see `long-input`"));
  return all;
}

std::vector<SourceReader::Part> SourceReader::whole(const std::string& text, size_t line) const {
  std::string clean = repaired(text, line);
  text::Ids ids = encode_clean(clean, line);
  if (ids.empty()) return {};
  return {{.text = clean, .seen = clean, .ids = std::move(ids)}};
}

bool SourceReader::too_long(const std::string& text) const { return !fits(vocabulary_.encode(text::clean_utf8(text))); }

bool SourceReader::too_long(const Prepared& whole, const Parting& how) const {
  if (fits(whole.ids)) return false;
  const text::MaskedLine masked(whole.clean, whole.hidden);
  const std::vector<Sentence> all = sentences_of(masked.text(), whole.ids, how);
  return std::any_of(all.begin(), all.end(),
                     [&](const Sentence& s) { return !fits(cut(s, language_of(masked.text()), whole, how).ids); });
}

bool SourceReader::has_several(const Prepared& whole, const Parting& how) const {
  if (how.sentences == Sentences::keep) return false;
  const text::MaskedLine masked(whole.clean, whole.hidden);
  return sentences_of(masked.text(), whole.ids, how).size() > 1;
}

std::string SourceReader::why_refused(std::span<const std::string> lines, const char* otherwise) const {
  const auto count = std::count_if(lines.begin(), lines.end(), [&](const std::string& text) { return too_long(text); });
  return cat(vocabulary_.encode(text::clean_utf8(lines.front())).size() + 1, " tokens, and a sentence may have ",
             longest_, " (", count, " such line", count == 1 ? "" : "s", " among those read so far); ", remedy_,
             ", or give `long-input` ", otherwise);
}

}  // namespace hexapla::decode
