#include "decode/text/preprocess.h"

#include "decode/lines/opened_line.h"
#include "text/lines/letter_case.h"

namespace hexapla::decode {
namespace {

// A line with required phrases stays whole unless the user wants it split: nothing tells which
// sentence has which phrase.
Parting parting_of(Parting parting, const SentenceConstraints& asked) {
  if (!asked.required.empty() && parting.sentences == Sentences::automatic) parting.sentences = Sentences::keep;
  return parting;
}

// A line to translate.
struct Request {
  SentenceConstraints constraints;
  Parting parting;
  SourceReader::Prepared line;  // unset if its ids were given
};

// Combines each line's constraints with those of all lines. LineError: the first line whose
// constraints cannot be met.
class LineChecks {
 public:
  LineChecks(const SourceReader& reader, const ConstraintMaker& maker, const TranslateOptions& options)
      : reader_(reader), maker_(maker), options_(options) {}

  std::vector<Request> requests(const Lines& lines) const {
    std::vector<Request> all;
    for (size_t i = 0; i < lines.text.size(); ++i) {
      const SentenceConstraints asked = constraints(lines, i);
      all.push_back({asked, parting_of(options_.parting, asked), {}});
      if (lines.ids.empty()) all.back().line = reader_.prepare(lines.text[i], all.back().parting);
      const std::string wrong = !asked.required.empty() && options_.search.sampling ? kSampledPhrases
                                : lines.ids.empty() ? what_is_wrong(all.back(), lines.text.subspan(i))
                                                    : what_is_wrong(lines.ids[i]);
      if (!wrong.empty()) throw LineError(i, cat("line ", lines.first + i + 1, " has ", wrong));
    }
    return all;
  }

 private:
  SentenceConstraints constraints(const Lines& lines, size_t i) const {
    const uint64_t line = lines.first + i;
    if (lines.requests.empty()) return maker_.make({}, line);
    try {
      return maker_.make(lines.requests[i], line);
    } catch (const UsageError& e) {
      throw LineError(i, cat("line ", line + 1, ": ", e.what()));
    }
  }
  // rest: the line and those after it.
  std::string what_is_wrong(const Request& asked, std::span<const std::string> rest) const {
    const auto& [constraints, parting, line] = asked;
    if (!constraints.required.empty() && reader_.has_several(line, parting))
      return cat("phrases that are required, but several sentences, and none of them would know which are its own; ",
                 "give `sentences` keep or auto, or a line to each sentence");
    if (parting.long_input == LongInput::truncate || !reader_.too_long(line, parting)) return "";
    if (parting.long_input == LongInput::refuse) return reader_.why_refused(rest);
    if (constraints.required.empty()) return "";
    return cat("phrases that are required, but more than ", reader_.longest(),
               " tokens, and none of its parts would know which are its own; cut the line into sentences, or raise ",
               "`max-length`");
  }
  std::string what_is_wrong(const text::Ids& ids) const {
    if (std::ssize(ids) < reader_.longest()) return "";
    return cat(ids.size() + 1, " tokens with </s>, and a sentence may have ", reader_.longest(),
               "; give fewer, or raise `max-length`");
  }

  static constexpr const char* kSampledPhrases =
      "required phrases, which need beam search and cannot be sampled; leave one of them out";

  const SourceReader& reader_;
  const ConstraintMaker& maker_;
  const TranslateOptions& options_;
};

void add_line(SourceSentences& all, std::vector<SourceReader::Part> parts, const SentenceConstraints& asked,
              const text::Vocabulary& source) {
  all.first.push_back(all.ids.size());
  all.kept.emplace_back();
  for (auto& [text, seen, told, ids, between, hidden, capitals] : parts) {
    if (ids.empty()) {
      all.kept.back() = hidden->restored("", {}, {}).text;
      continue;
    }
    all.texts.push_back(std::move(seen));
    all.hidden.push_back(std::move(hidden));
    all.between.push_back(std::move(between));
    all.ids.push_back(std::move(ids));
    source.end_source(all.ids.back());
    all.constraints.push_back(asked);
    SentenceConstraints& own = all.constraints.back();
    own.capitals = capitals;
    if (capitals)  // compared with the final text, which is in capitals
      for (Phrase& phrase : own.forbidden) text::make_capitals(phrase.text, {});
    own.part = static_cast<uint32_t>(all.ids.size() - 1 - all.first.back());
    if (own.part > 0) own.prefix.clear();
  }
}

SourceSentences preprocess_lines(const TextSides& sides, const Lines& lines, const TranslateOptions& options,
                                 const LineWarning& warn) {
  const SourceReader reader(sides.source, sides.positions, options.max_length, warn);
  ConstraintMaker maker(sides.target, *sides.pieces, options.everywhere);
  const std::vector<Request> asked = LineChecks(reader, maker, options).requests(lines);
  static const LineConstraints none;
  SourceSentences all;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    std::vector<SourceReader::Part> parts;
    if (lines.ids.empty())
      parts = reader.read(lines.text[i], asked[i].line, i, asked[i].parting);
    else if (!lines.ids[i].empty())
      parts.push_back({.text = lines.text[i], .seen = lines.text[i], .ids = lines.ids[i]});
    add_line(all, std::move(parts), asked[i].constraints, sides.source);
    const LineConstraints& own = lines.requests.empty() ? none : lines.requests[i];
    const size_t first = all.first.back();
    if (warn && first == all.ids.size() && (!own.prefix.empty() || !own.require.empty()))
      warn(i, cat("nothing is translated, so its prefix and its required phrases have no effect"));
    if (first < all.ids.size() && all.hidden[first])
      maker.hide_in_prefix(own, *all.hidden[first], all.constraints[first]);
    for (size_t part = first; part < all.ids.size(); ++part)
      maker.add_terms(own, all.texts[part], all.constraints[part], [&](const std::string& what) {
        if (warn) warn(i, what);
      });
  }
  all.first.push_back(all.ids.size());
  return all;
}

}  // namespace

SourceSentences preprocess(const TextSides& sides, const Lines& lines, const TranslateOptions& options,
                           const LineWarning& warn) {
  std::vector<OpenedLine> opened;
  std::vector<std::string> texts;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    opened.push_back(opened_line(sides.source, sides.target, lines.text[i], i, warn));
    texts.push_back(lines.text[i].substr(opened.back().bytes));
  }
  SourceSentences all = preprocess_lines(sides, {texts, lines.requests, lines.first, lines.ids}, options, warn);
  for (size_t line = 0; line < all.lines(); ++line)
    for (size_t i = all.first[line]; i < all.first[line + 1]; ++i) all.constraints[i].opening = opened[line].opening;
  return all;
}

}  // namespace hexapla::decode
