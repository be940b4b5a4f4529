#include "api/jobs/text/translate.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "api/jobs/conflicts.h"
#include "api/jobs/lines/portions.h"
#include "api/jobs/lines/translate_input.h"
#include "api/options.h"
#include "api/translate/alignment/word_alignment.h"
#include "api/translate/translator_options.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "decode/trace/beam_trace.h"
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
  const decode::TranslateOptions how = options_of(job, terms, options_for_any_model(given_options(job.search)));
  refuse_conflicts(kConflicts, {{"shortlist", !job.how.shortlist.empty()},
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

using Found = std::vector<Translation>;  // the translations of a line

// Writes translations.
class Writer {
 public:
  Writer(const TranslateJob& job, std::ostream& out, int n_best) : job_(job), out_(out), n_best_(n_best) {}

  void write(int64_t line, const Found& found) const { job_.json ? write_json(found) : write_text(line, found); }
  void flush() const {
    if (!out_.flush()) throw OutputGone();
  }

 private:
  void write_text(int64_t line, const Found& found) const {
    for (const Translation& t : found) {
      const std::string aligned = job_.alignment ? " ||| " + t.alignment.text(job_.alignment.kind) : "";
      if (n_best_ == 1)
        out_ << t.text << aligned << "\n";
      else
        out_ << fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}\n", line, t.text, aligned, t.score, t.normalized);
    }
  }
  void write_json(const Found& found) const {
    const bool numbers_words = job_.alignment && job_.alignment.units != "pieces";
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Translation& t : found) {
      list.push_back({{"text", t.text},
                      {"score", t.score},
                      {"normalized", t.normalized},
                      {"ids", t.ids},
                      {"token_scores", t.token_scores}});
      if (t.coverage != 0) list.back()["coverage"] = t.coverage;
      if (job_.alignment) list.back()["alignment"] = t.alignment.text(job_.alignment.kind);
      if (numbers_words) list.back()["target_words"] = t.alignment.target_words;
    }
    nlohmann::ordered_json line{{"translations", std::move(list)}};
    if (numbers_words) line["source_words"] = found.front().alignment.source_words;
    out_ << json_text(line) << "\n";
  }

  const TranslateJob& job_;
  std::ostream& out_;
  const int n_best_;
};

ModelOptions how_to_open(const TranslateJob& job) {
  ModelOptions how = job.how;
  how.alignment_layer = job.alignment.layer, how.alignment_head = job.alignment.head;
  return how;
}

// Translates lines while they are read, and writes them.
class Translating {
 public:
  Translating(const TranslateJob& job, std::ostream& out, const Glossary& terms, const JobWatch& watch)
      : job_(job),
        watch_(watch),
        translator_(job.models, how_to_open(job)),
        options_(options_of(terms)),
        complete_(translator_.complete(options_)),
        writer_(job, out, complete_.n_best.value()) {
    job.alignment.refuse_idle(complete_.unk == "copy" || complete_.coverage_penalty.value() > 0);
    if (job.alignment) check_alignment_kind(job.alignment.kind);
  }

  void translate(TranslateInput& input) {
    LineSource source = [&](std::string& line, Constraints& asked) { return read(input, line, asked); };
    source.ready = [&] { return input.ready(); };
    TranslationStream stream = translator_.stream(std::move(source), options_);
    for (const Found& found : stream) {
      if (!job_.trace.empty() && read_ > 1)
        throw UsageError("`trace` shows the search for one sentence; give one line");
      writer_.write(lines_++, found);
      without_ += std::isinf(found.front().score);
      if (stream.ready() > 0) continue;
      writer_.flush();
      if (!job_.trace.empty()) draw_trace();
      watch_.progress({.done = lines_, .seconds = time_.seconds()});
    }
  }

  int64_t lines() const { return lines_; }
  int64_t without() const { return without_; }

 private:
  TranslatorOptions options_of(const Glossary& terms) const {
    TranslatorOptions options = TranslatorOptions::from(job_.search);
    options.require = job_.require, options.forbid = job_.forbid;
    options.glossary = terms;
    if (job_.alignment) options.alignment = job_.alignment.units;
    options.warn = [this](size_t line, const std::string& what) { watch_.note(fmt::format("line {}", line), what); };
    return options;
  }
  bool read(TranslateInput& input, std::string& line, Constraints& asked) {
    if (!input.next(line, asked)) return false;
    ++read_;
    if (!job_.trace.empty()) last_ = line;
    return true;
  }
  // Repeats the search for the only line step by step; draws it to the file and describes it.
  void draw_trace() const {
    const SearchTrace trace = translator_.trace(last_, options_);
    write_file_atomically(job_.trace, trace.picture);
    watch_.say(trace.table.substr(0, trace.table.find_last_not_of('\n') + 1));
  }

  const TranslateJob& job_;
  const JobWatch& watch_;
  const Translator translator_;
  const TranslatorOptions options_, complete_;
  const Writer writer_;
  std::string last_;                            // line that was read, for a trace
  int64_t read_ = 0, lines_ = 0, without_ = 0;  // lines_: written
  const Stopwatch time_;
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
  try {
    translating.translate(*open_input(job, work.part, watch.before_waiting));
  } catch (const OutputGone&) {
    return {.taken = false};
  }
  work.answers->finish(translating.lines());
  return {.without = translating.without()};
}

}  // namespace hexapla::api
