#include "decode/text/sources.h"

#include <algorithm>

#include "base/error.h"
#include "text/lines/sentences.h"
#include "text/utf8.h"

namespace hexapla::decode {

LongInput parse_long_input(const std::string& word) {
  if (word == "split") return LongInput::split;
  if (word == "refuse") return LongInput::refuse;
  if (word == "truncate") return LongInput::truncate;
  throw UsageError(cat("`long-input` '", word, "' is unknown; choose split, refuse or truncate"));
}

Sentences parse_sentences(const std::string& word) {
  if (word == "auto") return Sentences::automatic;
  if (word == "split") return Sentences::split;
  if (word == "keep") return Sentences::keep;
  throw UsageError(cat("`sentences` '", word, "' is unknown; choose auto, split or keep"));
}

namespace {

std::vector<text::TokenSpan> masks(std::string_view masked, const Parting& how) {
  return how.protection ? text::masks_of(masked) : std::vector<text::TokenSpan>();
}

}  // namespace

// What the model sees nothing of goes along with the cut before it, or else with the one that follows.
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
    if (last.ids.empty()) last.ids = std::move(cut.ids);
  }
  return all;
}

std::vector<SourceReader::Part> SourceReader::parts_of(const text::MaskedLine& line, std::vector<Cut> cuts) {
  std::vector<Part> all;
  for (auto& [text, ids, between] : cuts) {
    const auto from = static_cast<size_t>(text.data() - line.text().data());
    auto [own, spans] = line.unmasked({from, from + text.size()});
    Part part{.text = std::move(own), .ids = std::move(ids), .between = std::string(between)};
    if (!spans.empty()) part.hidden = std::make_shared<const text::ProtectedText>(part.text, std::move(spans));
    all.push_back(std::move(part));
  }
  return all;
}

// The text as one, or its sentences.
std::vector<std::string_view> SourceReader::sentences_of(std::string_view masked, const text::Ids& ids,
                                                         const Parting& how) const {
  const bool known = how.sentences == Sentences::automatic && static_cast<int64_t>(ids.size()) <= how.familiar;
  if (how.sentences == Sentences::keep || known || !text::several_sentences(masked)) return {masked};
  return text::sentences(masked);
}

text::MaskedLine SourceReader::masked(const std::string& clean, const text::Ids& ids, const Parting& how) const {
  return {clean, protected_in(clean, ids, how.protection.get())};
}

text::Ids SourceReader::encode_masked(std::string_view masked, const Parting& how) const {
  std::vector<text::TokenSpan> hidden = masks(masked, how);
  if (hidden.empty()) return vocabulary_.encode(masked);
  return vocabulary_.encode(text::ProtectedText(masked, std::move(hidden)).text());
}

std::vector<SourceReader::Part> SourceReader::read(const std::string& text, size_t line, const Parting& how) const {
  const std::string clean = repaired(text, line);
  const text::Ids ids = vocabulary_.encode(clean);
  if (ids.empty()) return {};
  warn_of_unknown_letters(clean, ids, line);
  const text::MaskedLine whole = masked(clean, ids, how);
  std::vector<Cut> cuts;
  const char* end = nullptr;  // of the sentence before
  for (const std::string_view sentence : sentences_of(whole.text(), ids, how)) {
    std::vector<Cut> own = cuts_of(sentence, line, how);
    if (end && !own.empty() && !cuts.empty())
      if (const std::string_view between(end, static_cast<size_t>(sentence.data() - end)); between.size() > 1)
        own.front().between = between;
    end = sentence.data() + sentence.size();
    std::move(own.begin(), own.end(), std::back_inserter(cuts));
  }
  return parts_of(whole, with_neighbors(std::move(cuts)));
}

std::vector<SourceReader::Cut> SourceReader::cuts_of(std::string_view sentence, size_t line, const Parting& how) const {
  text::Ids ids = encode_masked(sentence, how);
  if (ids.empty() && masks(sentence, how).empty()) return {};
  if (fits(ids)) return {{sentence, std::move(ids)}};
  if (how.long_input != LongInput::split) {
    ids.resize(kept(ids.size(), line));
    return {{sentence, std::move(ids)}};
  }
  std::vector<Cut> all;
  size_t at = 0;
  const auto is_short = [&](const std::string& t) { return fits(encode_masked(t, how)); };
  for (const std::string& part : text::parted(sentence, is_short)) {
    at = sentence.find(part, at);
    text::Ids of_part = encode_masked(part, how);
    of_part.resize(kept(of_part.size(), line));  // a single character may have more tokens than fit
    if (!of_part.empty() || !masks(part, how).empty())
      all.push_back({sentence.substr(at, part.size()), std::move(of_part)});
    at += part.size();
  }
  warn(line, cat(ids.size() + 1, " tokens are more than ", longest_, ", so it was translated in ", all.size(),
                 " parts; see `long-input`"));
  return all;
}

std::vector<SourceReader::Part> SourceReader::whole(const std::string& text, size_t line) const {
  std::string clean = repaired(text, line);
  text::Ids ids = encode_clean(clean, line);
  if (ids.empty()) return {};
  return {{std::move(clean), std::move(ids)}};
}

bool SourceReader::too_long(const std::string& text) const { return !fits(vocabulary_.encode(text::clean_utf8(text))); }

bool SourceReader::too_long(const std::string& text, const Parting& how) const {
  const std::string clean = text::clean_utf8(text);
  const text::Ids ids = vocabulary_.encode(clean);
  if (fits(ids)) return false;
  const text::MaskedLine whole = masked(clean, ids, how);
  const std::vector<std::string_view> all = sentences_of(whole.text(), ids, how);
  return std::any_of(all.begin(), all.end(), [&](std::string_view s) { return !fits(encode_masked(s, how)); });
}

bool SourceReader::has_several(const std::string& text, const Parting& how) const {
  if (how.sentences == Sentences::keep) return false;
  const std::string clean = text::clean_utf8(text);
  const text::Ids ids = vocabulary_.encode(clean);
  return sentences_of(masked(clean, ids, how).text(), ids, how).size() > 1;
}

std::string SourceReader::why_refused(std::span<const std::string> lines, const char* otherwise) const {
  const auto count = std::count_if(lines.begin(), lines.end(), [&](const std::string& text) { return too_long(text); });
  return cat(vocabulary_.encode(text::clean_utf8(lines.front())).size() + 1, " tokens, and a sentence may have ",
             longest_, " (", count, " such line", count == 1 ? "" : "s", " among those read so far); ", remedy_,
             ", or give `long-input` ", otherwise);
}

}  // namespace hexapla::decode
