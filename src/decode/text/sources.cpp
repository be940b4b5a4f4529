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

// The text as one, or its sentences.
std::vector<std::string_view> SourceReader::sentences_of(std::string_view clean, const text::Ids& ids,
                                                         const Parting& how) const {
  const bool known = how.sentences == Sentences::automatic && static_cast<int64_t>(ids.size()) <= how.familiar;
  if (how.sentences == Sentences::keep || known || !text::several_sentences(clean)) return {clean};
  return text::sentences(clean);
}

std::vector<SourceReader::Part> SourceReader::read(const std::string& text, size_t line, const Parting& how) const {
  const std::string clean = repaired(text, line);
  const text::Ids ids = vocabulary_.encode(clean);
  if (ids.empty()) return {};
  warn_of_unknown_letters(clean, ids, line);
  std::vector<Part> all;
  const char* end = nullptr;  // of the sentence before
  for (const std::string_view sentence : sentences_of(clean, ids, how)) {
    std::vector<Part> parts = parts_of(sentence, line, how.long_input);
    if (end && !parts.empty() && !all.empty())
      if (const std::string_view between(end, static_cast<size_t>(sentence.data() - end)); between.size() > 1)
        parts.front().between = between;
    end = sentence.data() + sentence.size();
    std::move(parts.begin(), parts.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<SourceReader::Part> SourceReader::parts_of(std::string_view sentence, size_t line,
                                                       LongInput long_input) const {
  std::string clean(sentence);
  text::Ids ids = vocabulary_.encode(clean);
  if (ids.empty()) return {};
  if (fits(ids)) return {{std::move(clean), std::move(ids)}};
  if (long_input != LongInput::split) {
    ids.resize(kept(ids.size(), line));
    return {{std::move(clean), std::move(ids)}};
  }
  std::vector<Part> all;
  for (std::string& part : text::parted(clean, [&](const std::string& t) { return fits(vocabulary_.encode(t)); })) {
    text::Ids of_part = vocabulary_.encode(part);
    of_part.resize(kept(of_part.size(), line));  // a single character may have more tokens than fit
    if (!of_part.empty()) all.push_back({std::move(part), std::move(of_part)});
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
  const std::vector<std::string_view> all = sentences_of(clean, ids, how);
  return std::any_of(all.begin(), all.end(), [&](std::string_view s) { return too_long(std::string(s)); });
}

bool SourceReader::has_several(const std::string& text, const Parting& how) const {
  const std::string clean = text::clean_utf8(text);
  return how.sentences != Sentences::keep && sentences_of(clean, vocabulary_.encode(clean), how).size() > 1;
}

std::string SourceReader::why_refused(std::span<const std::string> lines, const char* otherwise) const {
  const auto count = std::count_if(lines.begin(), lines.end(), [&](const std::string& text) { return too_long(text); });
  return cat(vocabulary_.encode(text::clean_utf8(lines.front())).size() + 1, " tokens, and a sentence may have ",
             longest_, " (", count, " such line", count == 1 ? "" : "s", " among those read so far); ", remedy_,
             ", or give `long-input` ", otherwise);
}

}  // namespace hexapla::decode
