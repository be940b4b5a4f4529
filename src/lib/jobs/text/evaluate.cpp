#include "lib/jobs/text/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "data/files/corpus.h"
#include "evaluate/tokenization/tokenizers.h"
#include "lib/evaluate/metrics.h"
#include "lib/jobs/conflicts.h"
#include "lib/translate/open_translator.h"

namespace hexapla::api {
namespace {

constexpr int64_t kTokenizedLines = 100;  // from this many lines ending in " ." on, it is no coincidence

constexpr size_t kLongestNgram = 4, kLinesForLengths = 2000;

constexpr auto kWholeSets = "`compare` is about whole test sets; leave out `sentence-level`, `best` and `worst`";
constexpr auto kEverySentence = "`sentence-level` lists every sentence; leave out `best`, `worst` and `confidence`";
constexpr Conflict kEvaluateConflicts[] = {
    {"source", "model", "with -m, the first file is the source; leave out `source`"},
    {"compare", "sentence-level", kWholeSets},
    {"compare", "best", kWholeSets},
    {"compare", "worst", kWholeSets},
    {"sentence-level", "best", kEverySentence},
    {"sentence-level", "worst", kEverySentence},
    {"sentence-level", "confidence", kEverySentence},
};

void check_evaluation(const EvaluateJob& job) {
  refuse_conflicts(kEvaluateConflicts, {{"source", !job.source.empty()},
                                        {"model", !job.models.empty()},
                                        {"compare", !job.compare.empty()},
                                        {"sentence-level", job.report.sentence_level},
                                        {"best", job.report.best > 0},
                                        {"worst", job.report.worst > 0},
                                        {"confidence", job.report.confidence}});
}

bool computes(const EvaluateJob& job, const char* metric) {
  const std::vector<std::string>& all = job.metrics.metrics;
  return std::find(all.begin(), all.end(), metric) != all.end();
}

// Reports a choice that is not sacreBLEU's default.
std::string choose_tokenizer(const EvaluateJob& job, const inspect::Evaluation& e, const JobWatch& watch) {
  const evaluate::TokenizerChoice choice = tokenizer_of(e.references);
  const std::string what = evaluate::text_of(choice);
  if (what.empty()) return choice.name;
  if (computes(job, "bleu")) watch.say(what + " (`tokenize` 13a is sacreBLEU's default)");
  if (computes(job, "ter") && choice.name != "13a" && !(job.metrics.ter_normalized && job.metrics.ter_asian_support))
    watch.say(cat("the references are ", choice.language, ", and TER takes everything between spaces for a word; ",
                  "`ter-normalized` `ter-asian-support` separate Chinese and Japanese characters"));
  return choice.name;
}

evaluate::Sentences read_like_first(const EvaluateJob& job, const inspect::Evaluation& e, const std::string& path) {
  evaluate::Sentences lines = data::read_checked_lines(path);
  const size_t first = e.systems[0].lines.size();
  if (lines.size() != first)
    throw DataError(cat(job.files[0], " has ", first, " lines, but ", path, " has ", lines.size(),
                        "; line i of one must belong to line i of the other"));
  return lines;
}

inspect::Evaluation read(const EvaluateJob& job) {
  inspect::Evaluation e;
  e.systems.push_back({job.files[0], data::read_checked_lines(job.files[0])});
  for (size_t i = 1; i < job.files.size(); ++i) e.references.push_back(read_like_first(job, e, job.files[i]));
  const bool silent = std::all_of(e.references.begin(), e.references.end(), [](const evaluate::Sentences& lines) {
    return std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return line.empty(); });
  });
  if (silent) throw DataError(cat(job.files[1], " has no text in any line; give the translations to compare with"));
  for (const std::string& path : job.compare) e.systems.push_back({path, read_like_first(job, e, path)});
  if (!job.source.empty()) e.source = read_like_first(job, e, job.source);
  return e;
}

evaluate::Sentences translate(const EvaluateJob& job, const Glossary& terms, const evaluate::Sentences& lines,
                              const JobWatch& watch) {
  const OpenTranslator open(job.models, job.how);
  decode::TranslateOptions how = open.with(job.search).translate_options();
  how.attention = open.attention;
  how.everywhere.glossary = terms_of(terms);
  evaluate::Sentences out;
  for (auto& best : open.translator.translate(lines, how, [&](size_t line, const std::string&what) {
         watch.note(fmt::format("{}:{}", job.files[0], line + 1), what);
       }))
    out.push_back(std::move(best.front().text));
  return out;
}

void warn_of_tokenized_text(const EvaluateJob& job, const inspect::System& system, const JobWatch& watch) {
  if (!computes(job, "bleu") || job.metrics.tokenize == "none") return;
  const auto ends = std::count_if(system.lines.begin(), system.lines.end(),
                                  [](const std::string& line) { return line.ends_with(" ."); });
  if (ends < kTokenizedLines) return;
  watch.say(fmt::format("{}: {} lines end in ' .'; if the text is tokenized, detokenize it before it is scored",
                        system.name, ends));
}

// BLEU multiplies the shares of common n-grams of one to four words: it is 0 if no translation has four.
void warn_of_short_lines(const EvaluateJob& job, const inspect::System& system, const std::string& tokenizer,
                         const JobWatch& watch) {
  if (!computes(job, "bleu")) return;
  const evaluate::Tokenize tokenize = evaluate::bleu_tokenizer(tokenizer);
  const std::span<const std::string> some(system.lines.data(), std::min(system.lines.size(), kLinesForLengths));
  const auto is_short = [&](const std::string& line) { return tokenize(line).size() < kLongestNgram; };
  const auto count = std::count_if(some.begin(), some.end(), is_short);
  if (2 * count < std::ssize(some)) return;
  watch.say(fmt::format(
      "{}: {} {} fewer than four words, as the tokenizer {} counts them. BLEU needs common groups of one "
      "to four words, so it is {} here; chrF and TER are not affected",
      system.name, count == std::ssize(some) ? "all lines" : fmt::format("{} of {} lines", count, some.size()), "have",
      tokenizer, count == std::ssize(system.lines) ? "0" : "misleading"));
}

}  // namespace

void evaluate_files(const EvaluateJob& job, std::ostream& out, const JobWatch& watch) {
  check_evaluation(job);
  const Glossary terms = job.glossary.empty() ? Glossary() : Glossary::read(job.glossary);
  EvaluatorOptions options = job.metrics;
  Metrics metrics = make_metrics(options);  // before reading text
  inspect::Evaluation e = read(job);
  if (options.tokenize == "auto") {
    options.tokenize = choose_tokenizer(job, e, watch);
    metrics = make_metrics(options);
  }
  if (!job.models.empty()) {
    e.source = std::move(e.systems[0].lines);
    e.systems[0] = {fmt::format("{}", fmt::join(job.models, " + ")), translate(job, terms, e.source, watch)};
  }
  warn_of_tokenized_text(job, e.systems[0], watch);
  warn_of_short_lines(job, e.systems[0], options.tokenize, watch);
  inspect::print_report(out, e, metrics, job.report);
}

}  // namespace hexapla::api
