#include "data/files/links.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "data/files/lines.h"
#include "text/words.h"

namespace hexapla::data {
namespace {

// "12-3"; false: anything else.
bool parse(std::string_view text, Link& link) {
  const auto number = [&](int32_t& to) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (error != std::errc() || end == text.data() || text.front() == '-') return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
  };
  if (!number(link.source) || !text.starts_with('-')) return false;
  text.remove_prefix(1);
  return !text.empty() && number(link.target) && text.empty();
}

// One side of a pair: the unit of each token, and the number of units.
struct LinkedSide {
  std::vector<text::WordSpan> units_of_token;
  int32_t units;
};

LinkedSide side(const std::string& text, const text::Vocabulary& vocabulary, LinkUnit unit) {
  const text::EncodedText encoded = vocabulary.encode_with_spans(text);
  if (unit != LinkUnit::pieces) {
    const text::WordEnds ends = unit == LinkUnit::blanks ? text::WordEnds::at_blanks : text::WordEnds::by_script;
    return {text::words_of_tokens(text, encoded.spans, ends), static_cast<int32_t>(text::words(text, ends).size())};
  }
  LinkedSide each{{}, static_cast<int32_t>(encoded.ids.size())};
  for (int32_t i = 0; i < each.units; ++i) each.units_of_token.emplace_back(i);
  return each;
}

std::vector<std::vector<int32_t>> tokens_of_units(const LinkedSide& side) {
  std::vector<std::vector<int32_t>> tokens(static_cast<size_t>(side.units));
  for (size_t i = 0; i < side.units_of_token.size(); ++i)
    for (int32_t unit = side.units_of_token[i].first; unit <= side.units_of_token[i].last; ++unit)
      tokens[unit].push_back(static_cast<int32_t>(i));
  return tokens;
}

}  // namespace

std::string pharaoh(std::span<const Link> links) {
  std::string text;
  for (const Link& link : links) text += cat(text.empty() ? "" : " ", link.source, "-", link.target);
  return text;
}

std::vector<Link> parse_pharaoh(std::string_view text, const std::string& where) {
  std::vector<Link> links;
  for (std::string_view word : text::words(text)) {
    Link link{};
    if (!parse(word, link))
      throw DataError(cat(where, ": '", word.substr(0, 40),
                          "' is not a link; give links as SOURCE-TARGET, counted from 0, as in: 0-0 1-2"));
    links.push_back(link);
  }
  return links;
}

GoldLinks::GoldLinks(const std::string& path, LinkUnit unit, const Corpus& corpus)
    : path_(path), unit_(unit), corpus_(corpus) {
  LineReader reader(path);
  for (std::string line; reader.next(line);)
    lines_.push_back(parse_pharaoh(line, cat(path, " line ", reader.line_number())));
  const auto count = std::ssize(lines_);
  if (count != corpus.file_lines)
    throw DataError(cat(path, " has ", count, count == 1 ? " line" : " lines", " of links, but ", corpus.source_name,
                        " has ", corpus.file_lines, corpus.file_lines == 1 ? " line" : " lines",
                        "; line i of one must belong to line i of the other"));
}

std::vector<Link> GoldLinks::of_pair(int64_t i, const text::Vocabulary& source, const text::Vocabulary& target) const {
  const int64_t line = corpus_.lines[i];
  const LinkedSide from = side(corpus_.source[i], source, unit_), to = side(corpus_.target[i], target, unit_);
  const auto sources = tokens_of_units(from), targets = tokens_of_units(to);
  std::vector<Link> links;
  for (const Link& link : lines_[line - 1]) {
    if (link.source >= from.units || link.target >= to.units)
      throw DataError(
          cat(path_, " line ", line, ": the link ", link.source, "-", link.target, " leads out of the pair, which has ",
              from.units, " and ", to.units, unit_ == LinkUnit::pieces ? " pieces" : " words",
              "; links count from 0, the source comes first, and `guided-alignment-units` sets the unit that is "
              "counted"));
    for (int32_t t : targets[link.target])
      for (int32_t s : sources[link.source]) links.push_back({s, t});
  }
  std::sort(links.begin(), links.end(),
            [](const Link& a, const Link& b) { return std::pair(a.target, a.source) < std::pair(b.target, b.source); });
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

std::string GoldLinks::doubt() const {
  if (unit_ != LinkUnit::words) return "";
  bool cut_into_words = false;
  for (int64_t i = 0; i < corpus_.size(); ++i) {
    const std::string &x = corpus_.source[i], &y = corpus_.target[i];
    const size_t from = text::words(x, text::WordEnds::at_blanks).size(),
                 to = text::words(y, text::WordEnds::at_blanks).size();
    for (const Link& link : lines_[corpus_.lines[i] - 1]) {
      if (static_cast<size_t>(link.source) >= from || static_cast<size_t>(link.target) >= to) return "";
      cut_into_words |= text::words(x).size() > from || text::words(y).size() > to;
    }
  }
  if (!cut_into_words) return "";
  return cat(path_, ": no link goes beyond the whitespace-separated words, although the text is in a script without ",
             "spaces, where every character counts as a word; if it was segmented into words, give ",
             "`guided-alignment-units` blanks");
}

}  // namespace hexapla::data
