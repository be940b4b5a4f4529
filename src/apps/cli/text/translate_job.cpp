#include "cli/text/translate_job.h"

#include "base/error.h"
#include "cli/options/conflicts.h"
#include "lib/options.h"
#include "lib/translate/trace/search_trace.h"
#include "lib/translate/translator_options.h"

namespace hexapla::cli {
namespace {

constexpr auto kAnyPiece =
    "`shortlist` leaves out what `prefix`, `require`, `glossary` and `jsonl` may ask for; leave one of them out";
constexpr auto kPlainSearch =
    "`trace` shows plain beam search; leave out `prefix`, `require`, `forbid`, `glossary`, `jsonl` and "
    "`coverage-penalty`";
constexpr Conflict kTranslateConflicts[] = {
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

}  // namespace

void check(const TranslateJob& job) {
  decode::TranslateOptions how = api::options_for_any_model(api::given_options(job.search)).translate_options();
  how.everywhere.require = job.require;
  decode::check(how);
  refuse_conflicts(kTranslateConflicts, {{"shortlist", !job.how.shortlist.empty()},
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
  if (!job.trace.empty()) api::check_traceable(how);
  if (job.input == "-" && job.shard.given())
    throw UsageError(cat(job.shard.given_option(),
                         " is for a file: give `input` FILE; to keep a whole translation, redirect stdout: > FILE"));
  decode::make_mixture(job.how.ensemble);  // checks it
}

std::string note_of_document(const TranslateJob& job) {
  const DocumentFormat format = document_format(job.input);
  if (format.ending.empty() || format.ending == ".txt") return "";
  if (!format.text) throw UsageError(cat("`input` ", job.input, " is a document: translate it with hexapla document"));
  return cat(job.input, " is translated line by line, markup included; hexapla document translates its text alone");
}

}  // namespace hexapla::cli
