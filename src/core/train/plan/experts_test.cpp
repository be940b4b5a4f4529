// Mixture of experts in a training run: options, log, model file, memory, effect of balancing.
#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "base/json.h"
#include "model/weights/model_file.h"
#include "train/plan/resolve/resolve.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {
using testing::HasSubstr;

class Experts : public Training {
 protected:
  TrainOptions mixed(const std::string& name, int64_t per_token = 1) const {
    TrainOptions o = options(name);
    o.architecture.dropout = 0.1;
    o.architecture.experts = 4;
    o.architecture.experts_per_token = per_token;
    o.architecture.d_expert = 24;
    return o;
  }
};

TEST_F(Experts, Learn) {
  for (const int64_t per_token : {1, 2}) {
    TrainOptions o = mixed(cat("learn ", per_token), per_token);
    o.max_updates = 200;
    run(o);
    EXPECT_LT(at_the_end(o, "loss"), 0.6 * reports_of(o).front()["loss"].get<double>());
  }
}

// In each of the two layers the balancing loss is alpha if the load is even, and 4 alpha if one
// expert gets all of it.
TEST_F(Experts, BalancingSpreadsTheLoad) {
  TrainOptions little = mixed("little"), much = mixed("much");
  little.max_updates = much.max_updates = 200;
  little.architecture.load_balancing = 1e-9;
  much.architecture.load_balancing = 0.1;
  run(little), run(much);
  const double without = at_the_end(little, "load_balancing") / 1e-9, with = at_the_end(much, "load_balancing") / 0.1;
  EXPECT_GE(with, 2 - 1e-3);
  EXPECT_LT(with, 2.2);
  EXPECT_GT(without, with);
}

TEST_F(Experts, AreLoggedAndWrittenIntoTheModelAndLeaveNoTraceWhereThereAreNone) {
  TrainOptions with = mixed("with"), none = options("none");
  with.max_updates = none.max_updates = 3;
  const auto model = model::load_model(run(with).model), plain = model::load_model(run(none).model);
  EXPECT_EQ(model.config.experts, 4);
  EXPECT_EQ(model.config.d_expert, 24);
  EXPECT_FALSE(nlohmann::json::parse(plain.metadata.at("config")).contains("experts"));
  EXPECT_FALSE(nlohmann::json::parse(plain.metadata.at("config")).contains("load-balancing"));
  EXPECT_TRUE(reports_of(with).back().contains("load_balancing"));
  EXPECT_FALSE(reports_of(none).back().contains("load_balancing"));
}

TEST_F(Experts, StoppedAndResumedEqualsNeverStopped) {
  TrainOptions o = mixed("whole", 2);
  o.accumulate = 2;
  o.architecture.expert_capacity = 0.9;
  o.architecture.activation_dropout = 0.1;
  expect_resumes_exactly(o);
}

TEST_F(Experts, ThreadsDoNotMatter) {
  TrainOptions one = mixed("one", 2), two = mixed("two", 2);
  one.threads = 1, two.threads = 2;
  one.max_updates = two.max_updates = 5;
  run(one), run(two);
  EXPECT_TRUE(same_model(one, two));
}

TEST_F(Experts, OptionsWithoutExpertsAreRefused) {
  const auto refusal = [](const std::vector<GivenOption>& given) {
    return what_of<UsageError>([&] { resolve_options(given); });
  };
  EXPECT_THAT(refusal({{"load-balancing", {"0.1"}}}), HasSubstr("`load-balancing` 0.1 is for a mixture of experts"));
  EXPECT_THAT(refusal({{"experts", {"1"}}, {"experts-per-token", {"2"}}}),
              HasSubstr("`experts-per-token` 2 is more than the 1 of `experts`"));
  EXPECT_THAT(refusal({{"experts", {"4"}}, {"gated", {"true"}}}), HasSubstr("`experts` 4 are not gated networks"));
  EXPECT_THAT(refusal({{"experts", {"129"}}}), HasSubstr("`experts` is 129, but must be"));
}

}  // namespace
}  // namespace hexapla::train
