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

std::vector<SourceReader::Part> SourceReader::parts(const std::string& text, size_t line) const {
  const std::string clean = repaired(text, line);
  const text::Ids ids = vocabulary_.encode(clean);
  if (ids.empty()) return {};
  warn_of_unknown_letters(clean, ids, line);
  if (fits(ids)) return {{clean, ids}};
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

std::string SourceReader::why_refused(std::span<const std::string> lines, const char* otherwise) const {
  const auto count = std::count_if(lines.begin(), lines.end(), [&](const std::string& text) { return too_long(text); });
  return cat(vocabulary_.encode(text::clean_utf8(lines.front())).size() + 1, " tokens, and a sentence may have ",
             longest_, " (", count, " such line", count == 1 ? "" : "s", " among those read so far); ", remedy_,
             ", or give `long-input` ", otherwise);
}

}  // namespace hexapla::decode
