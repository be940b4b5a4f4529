#include "text/lines/sentences.h"

#include <algorithm>
#include <array>
#include <span>

#include "text/lines/marks.h"
#include "text/lines/sentence_ends.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

std::string_view without_outer_blanks(std::string_view text) {
  size_t begin = 0, end = 0;  // of the non-blank characters
  for (size_t at = 0; at < text.size(); at += character_at(text, at).size()) {
    if (is_blank(character_at(text, at))) continue;
    if (end == 0) begin = at;
    end = at + character_at(text, at).size();
  }
  return text.substr(begin, end - begin);
}

// Splits after marks and closing characters if a space follows or the mark needs none.
template <class Ends, class NeedsNoBlank>
std::vector<std::string_view> part_behind(std::string_view text, Ends&& ends, NeedsNoBlank&& needs_none) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const std::string_view mark = character_at(text, at);
    at += mark.size();
    if (!ends(mark)) continue;
    while (at < text.size() && (is_closing(character_at(text, at)) || ends(character_at(text, at))))
      at += character_at(text, at).size();
    if (at < text.size() && !needs_none(mark) && !is_blank(character_at(text, at))) continue;
    parts.push_back(without_outer_blanks(text.substr(begin, at - begin)));
    begin = at;
  }
  parts.push_back(without_outer_blanks(text.substr(begin)));
  std::erase_if(parts, [](std::string_view p) { return p.empty(); });
  return parts;
}

std::vector<std::string_view> stops(std::string_view text) { return part_behind(text, is_stop, is_wide_stop); }
std::vector<std::string_view> clauses(std::string_view text) { return part_behind(text, is_comma, is_wide_comma); }
std::vector<std::string_view> between_blanks(std::string_view text) {
  return part_behind(
      text, [](std::string_view c) { return is_blank(c); }, [](std::string_view) { return true; });
}
std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at < text.size(); at += parts.back().size()) parts.push_back(character_at(text, at));
  return parts;
}

using Fits = std::function<bool(const std::string&)>;
using Cut = std::vector<std::string_view> (*)(std::string_view);

// The part from the start of the first chunk to the end of the last, both of one text.
std::string_view span_of(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<size_t>(last.data() + last.size() - first.data())};
}

// How many chunks from `first` on fit together; the first one is known to fit. Looks 1, 2, 4 ..
// ahead and then bisects, because trying one after another takes quadratic time.
size_t how_many(std::span<const std::string_view> chunks, size_t first, const Fits& fits) {
  const auto fit = [&](size_t n) { return fits(std::string(span_of(chunks[first], chunks[first + n - 1]))); };
  size_t good = 1, bad = chunks.size() - first + 1;
  for (size_t n = 2; n < bad; n = std::min(2 * n, bad - 1)) {
    if (!fit(n)) {
      bad = n;
      break;
    }
    good = n;
    if (n == bad - 1) return n;
  }
  while (bad - good > 1) {
    const size_t n = good + (bad - good) / 2;
    (fit(n) ? good : bad) = n;
  }
  return good;
}

// Adds chunks to a part while it fits; a chunk that does not fit alone is split by the next means.
void split(std::string_view text, std::span<const Cut> cuts, const Fits& fits, std::vector<std::string>& parts) {
  if (cuts.empty() || fits(std::string(text))) {
    parts.emplace_back(text);
    return;
  }
  const std::vector<std::string_view> chunks = cuts[0](text);
  for (size_t i = 0, n = 1; i < chunks.size(); i += n) {
    n = 1;
    if (chunks.size() == 1 || !fits(std::string(chunks[i]))) {
      split(chunks[i], cuts.subspan(1), fits, parts);
      continue;
    }
    n = how_many(chunks, i, fits);
    parts.emplace_back(span_of(chunks[i], chunks[i + n - 1]));
  }
}

}  // namespace

std::vector<std::string_view> sentences(std::string_view text) {
  std::vector<std::string_view> all;
  const bool all_lower = is_all_lower(text);
  while (!text.empty()) {
    const size_t end = end_of_sentence(text, all_lower);
    if (const std::string_view sentence = without_outer_blanks(text.substr(0, end)); !sentence.empty())
      all.push_back(sentence);
    text.remove_prefix(end);
  }
  return all;
}

// Most lines have a stop only at their end and are not split.
bool several_sentences(std::string_view text) {
  constexpr std::string_view first_bytes = ".!?;\xCD\xD6\xD8\xDB\xE0\xE1\xE2\xE3\xEF";  // of all stops
  const size_t stop = text.find_first_of(first_bytes);
  return stop != text.npos && text.find_first_not_of(".!? \t", stop) != text.npos && sentences(text).size() > 1;
}

std::vector<std::string> parted(std::string_view text, const Fits& fits) {
  static constexpr std::array<Cut, 4> inside = {stops, clauses, between_blanks, characters};
  std::vector<std::string> parts;
  if (fits(std::string(text))) return {std::string(text)};
  for (const std::string_view sentence : sentences(text)) split(sentence, inside, fits, parts);
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) join(all, part);
  return all;
}

size_t join(std::string& all, const std::string& part, std::string_view between) {
  if (!between.empty())
    all += between;
  else if (!all.empty() && !part.empty() && !ends_without_blank(all))
    all += ' ';
  all += part;
  return all.size() - part.size();
}

}  // namespace hexapla::text
