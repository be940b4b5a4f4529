#include "cli/text/translate_job.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"

namespace hexapla::cli {
namespace {

using GiveOptions = std::function<void(TranslateJob& job)>;

std::string refused(const GiveOptions& give) {
  TranslateJob job;
  give(job);
  try {
    check(job);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(TranslateJob, RefusesWhatExcludesEachOther) {
  const GiveOptions shortlist = [](auto&job) { job.how.shortlist = "lex.bin"; },
                    trace = [](auto&job) { job.trace = "x.svg"; },
                    shard = [](auto&job) { job.input = "x", job.shard.shard = "1/2"; },
                    jsonl = [](auto&job) { job.jsonl = true; }, prefix = [](auto&job) { job.prefixes = "x"; },
                    require = [](auto&job) { job.require = {"Hund"}; },
                    forbid = [](auto&job) { job.forbid = {"Hund"}; },
                    language = [](auto&job) { job.how.target_language = "de"; },
                    two =
                        [](auto&job) {
                          job.models = {"/one", "/another"};
                        },
                    sample = [](auto&job) { job.search.emplace("sample", true); },
                    list = [](auto&job) { job.search.emplace("n_best", 2); },
                    coverage = [](auto&job) { job.search.emplace("coverage_penalty", 0.2); },
                    shortest = [](auto&job) { job.search.emplace("min_length", 3); },
                    odd = [](auto&job) { job.how.ensemble = "odd"; };
  const std::vector<std::tuple<GiveOptions, GiveOptions, const char*>> pairs{
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
      {trace, sample, "a trace shows plain beam search"},
      {trace, shortest, "a trace shows plain beam search"},
      {shard, prefix, "or put the prefixes into `jsonl`"},
      {shard, sample, "`sample` depends on line numbers"},
      {shard, list, "or give `json`"},
      {shard, trace, "`trace` depends on line numbers"},
      {jsonl, prefix, "`jsonl` and `prefix` both set prefixes"},
      {sample, require, "`require` needs beam search"},
      {sample, coverage, "`coverage-penalty`"},
      {two, odd, "odd"}};
  for (const auto& [one, other, message] : pairs)
    EXPECT_THAT(refused([&, &one = one, &other = other](TranslateJob& job) { one(job), other(job); }),
                testing::HasSubstr(message));
  EXPECT_EQ(refused(list), "");
}

}  // namespace
}  // namespace hexapla::cli
