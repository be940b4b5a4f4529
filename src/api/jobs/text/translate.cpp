#include "api/jobs/text/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/inspect/search_trace.h"
#include "api/jobs/conflicts.h"
#include "api/jobs/lines/portions.h"
#include "api/jobs/lines/translate_input.h"
#include "api/translate/open_translator.h"
#include "api/translate/translator_options.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "decode/steps/shortlist.h"
#include "inspect/report/beam_report.h"
#include "text/document/formats/formats.h"

namespace hexapla::api {
namespace {

constexpr auto kAnyPiece =
    "`shortlist` leaves out what `prefix`, `require`, `glossary` and `jsonl` may ask for; leave one of them out";
constexpr auto kPlainSearch =
    "`trace` shows plain beam search; leave out `prefix`, `require`, `forbid`, `glossary`, `jsonl` and "
    "`coverage-penalty`";
constexpr Conflict kConflicts[] = {
    {"shortlist", "jsonl", kAnyPiece},
    {"shortlist", "prefix", kAnyPiece},
    {"shortlist", "require", kAnyPiece},
    {"shortlist", "glossary", kAnyPiece},
    {"shortlist", "target-language", "`shortlist` knows no languages; leave out `target-language`, or `shortlist`"},
    {"shortlist", "several models", "`shortlist` is for one model; give one `model`, or leave it out"},
    {"shortlist", "trace", "`trace` shows the search among all pieces; leave out `shortlist`"},
    {"trace", "jsonl", kPlainSearch},
    {"trace", "prefix", kPlainSearch},
    {"trace", "require", kPlainSearch},
    {"trace", "forbid", kPlainSearch},
    {"trace", "glossary", kPlainSearch},
    {"trace", "coverage-penalty", kPlainSearch},
    {"trace", "several models", "`trace` shows the search of one model; give one `model`"},
    {"shard", "prefix",
     "`prefix` depends on line numbers, which are unknown in a part of a file; leave out `shard`, or put the prefixes "
     "into `jsonl`"},
    {"shard", "sample", "`sample` depends on line numbers, which are unknown in a part of a file; leave out `shard`"},
    {"shard", "numbered lines",
     "`n-best` depends on line numbers, which are unknown in a part of a file; leave out `shard`, or give `json`"},
    {"shard", "trace", "`trace` depends on line numbers, which are unknown in a part of a file; leave out `shard`"},
    {"jsonl", "prefix", "`jsonl` and `prefix` both set prefixes; put \"prefix\" into the JSON"},
};

decode::TranslateOptions options_of(const TranslateJob& job, const Glossary& terms,
                                    const decode::DecodingOptions& search) {
  decode::TranslateOptions how = search.translate_options();
  how.search.token_scores = job.json;
  how.everywhere.require = job.require, how.everywhere.forbid = job.forbid;
  how.everywhere.glossary = terms_of(terms);
  decode::check(how);
  return how;
}

// Rejects bad options before a model is read.
void check(const TranslateJob& job, const Glossary& terms) {
  const decode::TranslateOptions how = options_of(job, terms, options_for_any_model(job.search));
  refuse_conflicts(kConflicts, {{"shortlist", !job.shortlist.empty()},
                                {"trace", !job.trace.empty()},
                                {"shard", !job.shard.shard.empty()},
                                {"jsonl", job.jsonl},
                                {"prefix", !job.prefixes.empty()},
                                {"require", !job.require.empty()},
                                {"forbid", !job.forbid.empty()},
                                {"glossary", !job.glossary.empty()},
                                {"target-language", !job.how.target_language.empty()},
                                {"several models", job.models.size() > 1},
                                {"coverage-penalty", how.coverage_penalty != 0},
                                {"sample", how.search.sampling.has_value()},
                                {"numbered lines", how.search.n_best > 1 && !job.json}});
  if (!job.trace.empty() && !job.trace.ends_with(".svg"))
    throw UsageError(cat("`trace` ", job.trace, ": the name must end in .svg"));
  if (!job.trace.empty()) decode::check_traceable(how.search);
  if (job.input == "-" && job.shard.given())
    throw UsageError(cat(job.shard.given_option(),
                         " is for a file: give `input` FILE; to keep a whole translation, redirect stdout: > FILE"));
}

// Warns if the input is a document in a text format; rejects other documents, which would be read
// as lines of text.
void say_of_documents(const TranslateJob& job, const JobWatch& watch) {
  const text::document::Format* const format = text::document::format_of(job.input);
  if (format == nullptr || format->ending == ".txt") return;
  if (!format->text) throw UsageError(cat("`input` ", job.input, " is a document: translate it with hexapla document"));
  watch.say(cat(job.input, " is translated line by line, markup included; hexapla document translates its text alone"));
}

// Lines not translated yet.
struct InputLines {
  std::vector<std::string> text;
  std::vector<decode::LineConstraints> requests;  // one per line

  // Adds the next line. -> its bytes; nothing after the last
  std::optional<size_t> add(TranslateInput& from) {
    std::string line;
    decode::LineConstraints request;
    if (!from.next(line, request)) return {};
    text.push_back(std::move(line));
    requests.push_back(std::move(request));
    return text.back().size();
  }
  void keep(size_t lines) {
    text.resize(lines);
    requests.resize(lines);
  }
};

using Found = std::vector<decode::Translation>;  // the translations of a line

// Writes translations.
class Writer {
 public:
  Writer(const TranslateJob& job, std::ostream& out, int n_best) : job_(job), out_(out), n_best_(n_best) {}

  // alignments: one per translation of each line, or none.
  void write(int64_t first, const std::vector<std::string>& sources, const std::vector<Found>& all,
             const std::vector<std::vector<std::string>>& alignments) const {
    for (size_t i = 0; i < all.size(); ++i) {
      const std::vector<std::string> of_line = alignments.empty() ? std::vector<std::string>() : alignments[i];
      if (job_.json)
        write_json(sources[i], all[i], of_line);
      else
        write_text(first + static_cast<int64_t>(i), all[i], of_line);
    }
    if (!out_.flush()) throw OutputGone();
  }

 private:
  void write_text(int64_t line, const Found& found, const std::vector<std::string>& alignments) const {
    for (size_t j = 0; j < found.size(); ++j) {
      const decode::Translation& t = found[j];
      const std::string aligned = alignments.empty() ? "" : " ||| " + alignments[j];
      if (n_best_ == 1)
        out_ << t.text << aligned << "\n";
      else
        out_ << fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}\n", line, t.text, aligned, t.score, t.normalized);
    }
  }
  void write_json(const std::string& source, const Found& found, const std::vector<std::string>& alignments) const {
    const bool numbers_words = !alignments.empty() && job_.alignment.units != "pieces";
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const decode::Translation& t : found) {
      list.push_back({{"text", t.text},
                      {"score", t.score},
                      {"normalized", t.normalized},
                      {"ids", t.ids},
                      {"token_scores", t.token_scores}});
      if (t.coverage != 0) list.back()["coverage"] = t.coverage;
      if (!alignments.empty()) list.back()["alignment"] = alignments[list.size() - 1];
      if (numbers_words) list.back()["target_words"] = job_.alignment.words_in(t.text);
    }
    nlohmann::ordered_json line{{"translations", std::move(list)}};
    if (numbers_words) line["source_words"] = job_.alignment.words_in(source);
    out_ << json_text(line) << "\n";
  }

  const TranslateJob& job_;
  std::ostream& out_;
  const int n_best_;
};

// Translates portions of lines and writes them.
class Translating {
 public:
  Translating(const TranslateJob& job, std::ostream& out, const Glossary& terms, const JobWatch& watch)
      : job_(job),
        watch_(watch),
        open_(job.models, job.how),
        how_(options_of(job, terms, open_.with(job.search))),
        writer_(job, out, how_.search.n_best) {
    job.alignment.refuse_idle(how_);
    const decode::OpenModel& m = open_.first();
    if (!job.shortlist.empty())
      shortlist_.emplace(decode::ShortlistTable::read(job.shortlist), m.source, m.target, job.shortlist);
    if (shortlist_) how_.search.shortlist = &*shortlist_;
    how_.attention = job.alignment.attention(m);
    if (job.alignment) job.alignment.options(m);  // rejects bad options before translating
    time_ = Stopwatch();
  }

  // Answers the lines before one that cannot be translated as requested, then rethrows the error.
  void answer(InputLines lines) {
    try {
      translate(lines);
    } catch (const decode::LineError& e) {
      lines.keep(e.line);
      if (e.line > 0) translate(lines);
      throw;
    }
  }

  int64_t lines() const { return lines_; }
  int64_t without() const { return without_; }

 private:
  void translate(const InputLines& in) {
    const int64_t first = lines_;
    if (!job_.trace.empty() && first + std::ssize(in.text) > 1)
      throw UsageError("`trace` shows the search for one sentence; give one line");
    const auto found =
        open_.translator.translate(decode::Lines{in.text, in.requests, static_cast<uint64_t>(first)}, how_,
                                   [&](size_t line, const std::string& what) {
                                     watch_.note(fmt::format("line {}", first + static_cast<int64_t>(line) + 1), what);
                                   });
    writer_.write(first, in.text, found, job_.alignment.texts(open_.first(), in.text, found, open_.aligning(how_)));
    if (!job_.trace.empty()) draw_trace(in.text.front());
    without_ += std::count_if(found.begin(), found.end(), [](const Found& all) { return !all.front().whole(); });
    lines_ += std::ssize(in.text);
    watch_.progress({.done = lines_, .seconds = time_.seconds()});
  }

  // Repeats the search for this line step by step; draws it to the file and describes it.
  void draw_trace(const std::string& line) const {
    const decode::OpenModel& m = open_.first();
    const decode::Trace found = trace_line(m, line, how_.search, {}).trace;
    write_file_atomically(job_.trace, inspect::trace_svg(found, m.target, how_.search.beam_size));
    std::string text = inspect::trace_text(found, m.target, how_.search.beam_size);
    if (text.ends_with('\n')) text.pop_back();
    watch_.say(text);
  }

  const TranslateJob& job_;
  const JobWatch& watch_;
  const OpenTranslator open_;
  decode::TranslateOptions how_;
  const Writer writer_;
  std::optional<decode::Shortlist> shortlist_;
  int64_t lines_ = 0, without_ = 0;
  Stopwatch time_;
};

std::unique_ptr<TranslateInput> open_input(const TranslateJob& job, const std::shared_ptr<data::RangeReader>& part,
                                           const data::BeforeWaiting& before_waiting) {
  LinesToTranslate lines = part ? LinesToTranslate{[part](std::string& line) { return part->next(line); }, job.input}
                                : lines_of(job.input, before_waiting);
  if (job.jsonl) return json_input(std::move(lines));
  if (job.prefixes.empty()) return plain_input(std::move(lines));
  return input_with_prefixes(std::move(lines), job.prefixes, before_waiting);
}

}  // namespace

TranslatedLines translate_lines(const TranslateJob& job, std::ostream& out, const JobWatch& watch) {
  const Glossary terms = job.glossary.empty() ? Glossary() : Glossary::read(job.glossary);
  check(job, terms);
  decode::make_mixture(job.how.ensemble);  // checks it
  say_of_documents(job, watch);
  const ShardWork work = job.shard.open(job.input, job.models, out, watch);
  if (!work.answers) return {};
  Translating translating(job, work.answers->out(), terms, watch);
  InputLines read;
  Portions portions([&] { translating.answer(std::exchange(read, {})); });
  try {
    const auto lines = open_input(job, work.part, [&] {
      portions.answer();
      watch.before_waiting();
    });
    portions.read_all([&] { return read.add(*lines); });
  } catch (const OutputGone&) {
    return {.taken = false};
  }
  work.answers->finish(translating.lines());
  return {.without = translating.without()};
}

}  // namespace hexapla::api
