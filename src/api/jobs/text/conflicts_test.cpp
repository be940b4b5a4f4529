#include <gmock/gmock.h>

#include <sstream>

#include "api/jobs/text/evaluate.h"
#include "api/jobs/text/inspect.h"
#include "api/jobs/text/score.h"
#include "api/jobs/text/translate.h"
#include "base/error.h"

namespace hexapla::api {
namespace {

using testing::HasSubstr;

template <class Run>
std::string refused(Run&& run) {
  try {
    std::ostringstream out;
    run(out);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

// The message for a job whose model does not exist: conflicts must be found before it is read.
std::string of_translate(const std::function<void(TranslateJob& job)>& give) {
  TranslateJob job;
  job.models = {"/no/such/model"};
  give(job);
  return refused([&](std::ostream& out) { translate_lines(job, out, {}); });
}

TEST(Conflicts, OfTranslateAreFoundBeforeTheModelIsRead) {
  using Give = std::function<void(TranslateJob & job)>;
  const Give shortlist = [](auto&job) { job.how.shortlist = "lex.bin"; }, trace = [](auto&job) { job.trace = "x.svg"; },
             shard = [](auto&job) { job.input = "x", job.shard.shard = "1/2"; },
             jsonl = [](auto&job) { job.jsonl = true; }, prefix = [](auto&job) { job.prefixes = "x"; },
             require = [](auto&job) { job.require = {"Hund"}; }, forbid = [](auto&job) { job.forbid = {"Hund"}; },
             language = [](auto&job) { job.how.target_language = "de"; },
             two = [](auto&job) { job.models.push_back("/another"); },
             sample =
                 [](auto&job) {
                   job.search = {{"sample", true}};
                 },
             list =
                 [](auto&job) {
                   job.search = {{"n_best", 2}};
                 },
             coverage = [](auto&job) {
               job.search = {{"coverage_penalty", 0.2}};
             };
  const std::vector<std::tuple<Give, Give, const char*>> pairs{
      {shortlist, jsonl, "`shortlist` leaves out what"},
      {shortlist, prefix, "`shortlist` leaves out what"},
      {shortlist, require, "`shortlist` leaves out what"},
      {shortlist, language, "`shortlist` knows no languages"},
      {shortlist, two, "`shortlist` is for one model"},
      {shortlist, trace, "`trace` shows the search among all pieces"},
      {trace, jsonl, "`trace` shows plain beam search"},
      {trace, prefix, "`trace` shows plain beam search"},
      {trace, require, "`trace` shows plain beam search"},
      {trace, forbid, "`trace` shows plain beam search"},
      {trace, coverage, "`trace` shows plain beam search"},
      {trace, two, "`trace` shows the search of one model"},
      {shard, prefix, "or put the prefixes into `jsonl`"},
      {shard, sample, "`sample` depends on line numbers"},
      {shard, list, "or give `json`"},
      {shard, trace, "`trace` depends on line numbers"},
      {jsonl, prefix, "`jsonl` and `prefix` both set prefixes"}};
  for (const auto& [one, other, message] : pairs)
    EXPECT_THAT(of_translate([&, &one = one, &other = other](TranslateJob& job) { one(job), other(job); }),
                HasSubstr(message));
}

TEST(Conflicts, OfOtherJobsAreFoundBeforeAnythingIsRead) {
  EXPECT_THAT(
      refused([](std::ostream& out) { score_files({.tsv = "x", .model = "m", .words = true, .json = true}, out, {}); }),
      HasSubstr("`json` includes"));
  EvaluateJob evaluate{.files = {"hyp", "ref"}, .compare = {"other"}};
  evaluate.report.best = 1;
  EXPECT_THAT(refused([&](std::ostream& out) { evaluate_files(evaluate, out, {}); }), HasSubstr("whole test sets"));
  EXPECT_THAT(refused([](std::ostream& out) {
                inspect_pair_of_text({.model = "m", .source_text = "a", .source_ids = "1"}, out, {});
              }),
              HasSubstr("two sources"));
}

}  // namespace
}  // namespace hexapla::api
