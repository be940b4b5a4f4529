#include <gmock/gmock.h>

#include <sstream>

#include "base/error.h"
#include "lib/jobs/text/evaluate.h"
#include "lib/jobs/text/inspect.h"
#include "lib/jobs/text/score.h"

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
