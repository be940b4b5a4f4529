#include "decode/text/text_scorer.h"

#include <algorithm>
#include <unordered_set>

#include "base/range.h"
#include "decode/lines/opened_line.h"
#include "decode/rescoring/pair_batches.h"
#include "decode/strategies/beam_entry.h"
#include "decode/strategies/repetition_penalty.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

void check_scoring(const TranslateOptions& options, size_t sources, size_t targets) {
  decode::check(options);
  if (sources != targets)
    throw UsageError(cat("there are ", sources, " lines, but ", targets,
                         " translations; line i of one must belong to line i of the other"));
}

void refuse_long_lines(const SourceReader& reader, std::span<const std::string> texts, const char* of) {
  for (size_t i = 0; i < texts.size(); ++i)
    if (reader.too_long(texts[i]))
      throw LineError(i, cat("line ", i + 1, of, " has ", reader.why_refused(texts.subspan(i), "truncate")));
}

text::WordEnds ends_of(AlignmentUnit unit) {
  return unit == AlignmentUnit::blanks ? text::WordEnds::at_blanks : text::WordEnds::by_script;
}

// The log-probability of each word, then of </s>. A token's log-probability is divided evenly among
// the words that it belongs to. Words cut off by truncation get 0.
std::vector<double> by_word(std::span<const double> log_p, const LineEncoder::Line& line) {
  std::vector<double> sums(static_cast<size_t>(line.word_count) + 1);
  for (size_t i = 0; i < line.words.size(); ++i)
    for (int32_t word = line.words[i].first; word <= line.words[i].last; ++word)
      sums[word] += log_p[i] / line.words[i].count();
  sums.back() += log_p.back();
  return sums;
}

// Replaces the first token by the given one; a blank translation gets it, too.
void open_with(int32_t opening, LineEncoder::Line& line) {
  if (line.ids.empty()) line.ids.push_back(opening), line.words.emplace_back(0);
  line.ids.front() = opening;
  line.opened = true;
}

// A given token costs nothing, as in a search.
void give_first(PairScore& score) {
  score.score -= score.log_p.front();
  score.log_p.front() = 0;
}

// The amount that a search with this repetition penalty adds to a translation's score. given: whether its
// first token is.
double lost_by_repetition(const TextScore& s, bool given, const SpecialIds& special, const SearchOptions& search) {
  if (search.repetition_penalty == 1 || search.sampling) return 0;
  double lost = 0;
  std::unordered_set<int32_t> before{special.bos};
  for (size_t t = 0; t < s.log_p.size(); ++t) {
    const int32_t id = t < s.target.size() ? s.target[t] : special.eos;
    if (!before.insert(id).second && !(given && t == 0))
      lost += decode::lost_by_repetition(search, s.log_p[t], s.logits[t]);
  }
  return lost;
}

// Joins the alignments of parts into one: each part has its own rows and columns, and all share the
// last column (</s>). Row sums stay those of the part.
SoftAlignment whole_of(std::span<const SoftAlignment> parts, std::span<const size_t> source_tokens) {
  SoftAlignment whole{1, 1, {}};
  for (const SoftAlignment& part : parts) whole.rows += part.rows - 1;
  for (const size_t tokens : source_tokens) whole.columns += static_cast<int64_t>(tokens);
  whole.weights.assign(static_cast<size_t>(whole.rows * whole.columns), 0);
  int64_t row = 0, column = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto tokens = static_cast<int64_t>(source_tokens[i]);
    for (int64_t t = 0; t < parts[i].rows; ++t) {
      const bool end = t + 1 == parts[i].rows;
      const double share = end ? 1.0 / static_cast<double>(parts.size()) : 1;
      for (int64_t s = 0; s < parts[i].columns; ++s) {
        const int64_t to =
            (end ? whole.rows - 1 : row + t) * whole.columns + (s < tokens ? column + s : whole.columns - 1);
        whole.weights[to] += share * parts[i].at(t, s);
      }
    }
    row += parts[i].rows - 1;
    column += tokens;
  }
  return whole;
}

// Inserts `more` tokens before </s> on both sides, aligned one to one.
SoftAlignment with_tokens(SoftAlignment tokens, int64_t more) {
  if (more == 0) return tokens;
  SoftAlignment all{tokens.rows + more, tokens.columns + more, {}};
  all.weights.assign(static_cast<size_t>(all.rows * all.columns), 0);
  const auto at = [&](int64_t row, int64_t column) -> double& { return all.weights[row * all.columns + column]; };
  for (int64_t t = 0; t < tokens.rows; ++t)
    for (int64_t s = 0; s < tokens.columns; ++s)
      at(t + 1 < tokens.rows ? t : all.rows - 1, s + 1 < tokens.columns ? s : all.columns - 1) = tokens.at(t, s);
  for (int64_t i = 0; i < more; ++i) at(tokens.rows - 1 + i, tokens.columns - 1 + i) = 1;
  return all;
}

std::vector<std::string> pieces_of(const text::Vocabulary& vocabulary, const std::vector<SourceReader::Part>& parts) {
  std::vector<std::string> all;
  for (const SourceReader::Part& part : parts)
    for (const int32_t id : part.ids) all.push_back(vocabulary.piece(id));
  return all;
}

// Whether nothing is left of a text without these spans.
bool is_all(const std::vector<text::TokenSpan>& spans, const std::string& text) {
  return !spans.empty() && text::ProtectedText(text, spans).text().empty();
}

const LineWarning kNobody;

// A line that was translated as one part was not split.
Parting parting_into(size_t parts, Parting parting) {
  if (parts <= 1) parting.sentences = Sentences::keep;
  return parting;
}

}  // namespace

AlignmentUnit parse_alignment_unit(const std::string& word, const char* option) {
  check_choice({"words", "blanks", "pieces"}, option, word);
  if (word == "pieces") return AlignmentUnit::pieces;
  return word == "blanks" ? AlignmentUnit::blanks : AlignmentUnit::words;
}

std::vector<std::string> words_in(const std::string& line, AlignmentUnit unit) {
  if (unit == AlignmentUnit::pieces) return {};
  const std::string clean = text::clean_utf8(line);
  const auto all = text::words(clean, ends_of(unit));
  return {all.begin(), all.end()};
}

TextScorer::TextScorer(const model::Transformer& model, const text::Vocabulary& source, const text::Vocabulary& target,
                       Backend& backend)
    : TextScorer(Ensemble{.models = {&model}}, source, target, backend) {}

TextScorer::TextScorer(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
                       Backend& backend)
    : ensemble_(ensemble), source_(source), target_(target), backend_(backend) {
  check(ensemble);
  const model::Config& config = first().config;
  HEXAPLA_CHECK(source.size() == config.source_vocab && target.size() == config.target_vocab,
                "scorer: vocabularies of ", source.size(), " and ", target.size(),
                " pieces, but the model was made for ", config.source_vocab, " and ", config.target_vocab);
}

TextScorer::Sides TextScorer::read(std::span<const std::string> sources, std::span<const std::string> targets,
                                   const TranslateOptions& options, const LineWarning& warn,
                                   text::WordEnds ends) const {
  check_scoring(options, sources.size(), targets.size());
  const SourceReader source = source_reader(options, warn), target = target_reader(options, warn);
  std::vector<OpenedLine> opened;
  std::vector<std::string> texts;
  for (size_t i = 0; i < sources.size(); ++i) {
    opened.push_back(opened_line(source_, target_, sources[i], i, warn));
    texts.push_back(sources[i].substr(opened.back().bytes));
  }
  if (options.parting.long_input == LongInput::refuse) {
    refuse_long_lines(source, texts, "");
    refuse_long_lines(target, targets, " of the translations");
  }
  Sides sides;
  for (size_t i = 0; i < sources.size(); ++i) {
    sides.kept.push_back(kept_in(source, texts[i], targets[i], options));
    LineEncoder::Hidden from{opened[i].bytes}, to;
    for (auto& [in_source, in_target] : sides.kept.back()) {
      from.spans.push_back(in_source);
      to.spans.push_back(in_target);
      in_source = {in_source.from + opened[i].bytes, in_source.to + opened[i].bytes};
    }
    std::sort(to.spans.begin(), to.spans.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    sides.all_kept.push_back(is_all(from.spans, text::clean_utf8(texts[i])) &&
                             is_all(to.spans, text::clean_utf8(targets[i])));
    sides.from.push_back(source.encode_words(sources[i], i, ends, from));
    source_.end_source(sides.from.back().ids);
    sides.to.push_back(target.encode_words(targets[i], i, ends, to));
    if (opened[i].opening) open_with(*opened[i].opening, sides.to.back());
  }
  return sides;
}

// The protected spans of the line and their places in the translation; empty unless all of them are
// there.
TextScorer::KeptSpans TextScorer::kept_in(const LineEncoder& source, const std::string& line,
                                          const std::string& translation, const TranslateOptions& options) const {
  const std::string clean = text::clean_utf8(line);
  if (!options.parting.protection) return {};
  std::vector<text::TokenSpan> spans =
      source.protected_in(clean, clean, source_.encode(clean), options.parting.protection.get());
  if (spans.empty()) return {};
  const text::ProtectedText hidden(clean, std::move(spans));
  const auto there = hidden.find_in(text::clean_utf8(translation));
  KeptSpans kept;
  for (size_t i = 0; there && i < there->size(); ++i) kept.emplace_back(hidden.spans()[i], (*there)[i]);
  return kept;
}

std::vector<TextScore> TextScorer::score(std::span<const std::string> sources, std::span<const std::string> targets,
                                         const TranslateOptions& options, const LineWarning& warn) const {
  Sides sides = read(sources, targets, options, warn, text::WordEnds::by_script);
  const std::vector<bool>& all_kept = sides.all_kept;
  const PairBatches pairs(std::move(sides.from), std::move(sides.to), options);
  std::vector<TextScore> results(sources.size());
  const DType dtype = first().target_embedding().table.value.dtype;
  const size_t memory = pairs.most(
      [&](const auto& source, const auto& target) { return score_memory(ensemble_, source, target, dtype); });
  pairs.each_batch(backend_, dtype, memory, [&](Context& cx, const PairBatch& batch) {
    auto scores = score_pairs(cx, ensemble_, batch.from, batch.to, special_ids(target_));
    for (size_t b = 0; b < scores.size(); ++b)
      static_cast<PairScore&>(results[batch.indices[b]]) = std::move(scores[b]);
  });
  for (size_t i = 0; i < results.size(); ++i) {
    if (pairs.to[i].opened) give_first(results[i]);
    if (all_kept[i]) results[i].score = 0, results[i].log_p.assign(results[i].log_p.size(), 0);
    results[i].words = by_word(results[i].log_p, pairs.to[i]);
    results[i].words_read = pairs.to[i].words_read + 1;
    results[i].target = pairs.to[i].ids;
    if (all_kept[i]) continue;  // no search compared anything
    const double lost = lost_by_repetition(results[i], pairs.to[i].opened, special_ids(target_), options.search);
    results[i].normalized = decode::normalized(results[i].score + lost, results[i].tokens, options.search);
  }
  if (options.coverage_penalty > 0)
    align_each({first(), special_ids(target_), backend_}, pairs, options.attention,
               [&](size_t i, const SoftAlignment& tokens) {
                 if (!all_kept[i]) results[i].normalized += options.coverage_penalty * coverage(tokens);
               });
  return results;
}

std::vector<SoftAlignment> TextScorer::align(std::span<const std::string> sources, std::span<const std::string> targets,
                                             const TranslateOptions& options, const AlignmentOptions& how,
                                             const LineWarning& warn) const {
  Sides pairs = read(sources, targets, options, warn, ends_of(how.unit));
  std::vector<AlignedLine> lines;
  for (size_t i = 0; i < sources.size(); ++i) {
    const LineEncoder::Line &from = pairs.from[i], &to = pairs.to[i];
    lines.push_back({from.words, to.words, from.word_count, to.word_count, {from.words.size()}});
    add_kept(lines.back(), text::clean_utf8(sources[i]), text::clean_utf8(targets[i]), pairs.kept[i],
             ends_of(how.unit));
  }
  return align(std::move(pairs), lines, options, how);
}

std::vector<SoftAlignment> TextScorer::align(std::span<const std::string> sources, std::span<const Translation> targets,
                                             const TranslateOptions& options, const AlignmentOptions& how) const {
  check_scoring(options, sources.size(), targets.size());
  Sides pairs;
  std::vector<AlignedLine> lines;
  for (size_t i = 0; i < sources.size(); ++i)
    lines.push_back(add_parts(pairs, sources[i], targets[i], options, ends_of(how.unit)));
  return align(std::move(pairs), lines, options, how);
}

void TextScorer::add_kept(AlignedLine& line, const std::string& source, const std::string& target,
                          const KeptSpans& spans, text::WordEnds ends) {
  std::vector<text::TokenSpan> from, to;
  for (const auto& [in_source, in_target] : spans) {
    if (in_target.from == in_target.to) continue;
    from.push_back(in_source);
    to.push_back(in_target);
  }
  const auto from_words = text::words_of_tokens(source, from, ends), to_words = text::words_of_tokens(target, to, ends);
  for (size_t i = 0; i < from.size(); ++i) line.kept.emplace_back(from_words[i], to_words[i]);
}

TextScorer::AlignedLine TextScorer::add_parts(Sides& pairs, const std::string& source, const Translation& target,
                                              const TranslateOptions& options, text::WordEnds ends) const {
  const std::string clean = text::clean_utf8(source);
  const size_t begin = opened_line(target_, source).bytes;
  const std::vector<size_t> counts = target.parts.empty() ? std::vector{target.ids.size()} : target.parts;
  std::vector<SourceReader::Part> parts =
      source_reader(options, kNobody).read(source.substr(begin), 0, parting_into(counts.size(), options.parting));
  if (parts.empty()) parts.emplace_back();
  HEXAPLA_CHECK(parts.size() == counts.size(), "alignment: a line in ", parts.size(), " parts, translated in ",
                counts.size());
  AlignedLine line{{}, {}, 0, 0, {}};
  KeptSpans kept;
  std::vector<text::TokenSpan> spans;
  auto id = target.ids.begin();
  for (size_t i = 0, at = begin; i < parts.size(); at += parts[i++].text.size()) {
    auto& [text, seen, told, ids, between, hidden, capitals] = parts[i];
    at = clean.find(text, at);
    const std::vector<text::TokenSpan> own = parts[i].in_text(source_.encode_with_spans(seen).spans);
    for (size_t k = 0; hidden && k < hidden->spans().size(); ++k)
      kept.push_back({{at + hidden->spans()[k].from, at + hidden->spans()[k].to}, {0, 0}});
    for (size_t s = 0; s < ids.size(); ++s) spans.push_back({at + own[s].from, at + own[s].to});
    line.parts.push_back(ids.size());
    source_.end_source(ids);
    pairs.from.push_back({std::move(ids), {}});
    pairs.to.push_back({text::Ids(id, id + static_cast<std::ptrdiff_t>(counts[i])), {}});
    id += static_cast<std::ptrdiff_t>(counts[i]);
  }
  line.source = text::words_of_tokens(clean, spans, ends);
  line.source_words = static_cast<int64_t>(text::words(clean, ends).size());
  line.target =
      text::words_of_tokens(target.text, target.spans.empty() ? target_.spans_in(target.ids) : target.spans, ends);
  line.target_words = static_cast<int64_t>(text::words(target.text, ends).size());
  if (kept.size() != target.protected_spans.size()) return line;  // a part has no translation
  for (size_t k = 0; k < kept.size(); ++k) kept[k].second = target.protected_spans[k];
  add_kept(line, clean, target.text, kept, ends);
  return line;
}

std::vector<SoftAlignment> TextScorer::align(Sides pairs, std::span<const AlignedLine> lines,
                                             const TranslateOptions& options, const AlignmentOptions& how) const {
  check(how.attention, first().config);
  std::vector<SoftAlignment> of_pairs(pairs.from.size()), results;
  align_each({first(), special_ids(target_), backend_},
             PairBatches(std::move(pairs.from), std::move(pairs.to), options), how.attention,
             [&](size_t i, SoftAlignment tokens) { of_pairs[i] = std::move(tokens); });
  size_t next = 0;
  for (const AlignedLine& line : lines) {
    SoftAlignment tokens = whole_of({&of_pairs[next], line.parts.size()}, line.parts);
    next += line.parts.size();
    if (how.unit == AlignmentUnit::pieces) {
      results.push_back(std::move(tokens));
      continue;
    }
    std::vector<text::WordSpan> source = line.source, target = line.target;
    for (const auto& [from, to] : line.kept) source.push_back(from), target.push_back(to);
    results.push_back(merge(with_tokens(std::move(tokens), std::ssize(line.kept)), {source, line.source_words},
                            {target, line.target_words}));
  }
  return results;
}

std::vector<std::string> TextScorer::units_of_source(const std::string& line, const TranslateOptions& options,
                                                     AlignmentUnit unit, size_t parts) const {
  if (unit != AlignmentUnit::pieces) return words_in(line, unit);
  const std::string text = line.substr(opened_line(target_, line).bytes);
  return pieces_of(source_, source_reader(options, kNobody).read(text, 0, parting_into(parts, options.parting)));
}

std::vector<std::string> TextScorer::units_of_target(const std::string& line, const TranslateOptions& options,
                                                     AlignmentUnit unit) const {
  if (unit != AlignmentUnit::pieces) return words_in(line, unit);
  return pieces_of(target_, target_reader(options, kNobody).whole(line, 0));
}

}  // namespace hexapla::decode
