// Validations, checkpoints and reports follow the work that is done.
#include "train/loop/due.h"

#include <gtest/gtest.h>

#include "base/compute/random.h"

namespace hexapla::train {
namespace {

struct Made {
  int64_t validations = 0, checkpoints = 0, reports = 0, first_report = 0, longest_without = 0;
  int64_t tokens = 0;
};

// A run of epochs of so many updates of so many tokens.
Made simulate(const TrainOptions& o, int64_t updates, int64_t updates_an_epoch, int64_t tokens, int64_t cost) {
  const Due due(o);
  RunState s;
  s.validation_cost = cost;
  Made made;
  while (s.update < updates) {
    ++s.update;
    s.target_tokens += tokens;
    const bool epoch_ends = s.update % updates_an_epoch == 0;
    s.epoch += epoch_ends;
    if (due.report(s, epoch_ends)) {
      due.reported(s);
      if (made.reports++ == 0) made.first_report = s.update;
    }
    made.longest_without = std::max(made.longest_without, s.target_tokens - s.tokens_validated);
    if (due.validation(s, epoch_ends)) due.validated(s, cost), ++made.validations;
    if (due.checkpoint(s, epoch_ends)) due.saved(s), ++made.checkpoints;
  }
  made.tokens = s.target_tokens;
  return made;
}

TEST(Due, ValidationsAndCheckpointsTakeATenthOfTheTrainingAtMost) {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    const int64_t updates_an_epoch = int64_t{1} << random.below(14), tokens = 10 + random.below(25'000),
                  cost = 1000 + random.below(300'000);
    const Made made = simulate(TrainOptions(), 3000, updates_an_epoch, tokens, cost);
    EXPECT_LE(10 * made.validations * cost, made.tokens + made.validations * cost)
        << updates_an_epoch << " updates of " << tokens << " tokens, cost " << cost;
    EXPECT_LE(10 * made.checkpoints * 1000, made.tokens);
    EXPECT_LE(made.reports, 3000 / 50 + 700);
  }
}

TEST(Due, LongEpochsAreValidatedWithin) {
  const Made made = simulate(TrainOptions(), 40'000, 1'000'000, 4000, 50'000);
  EXPECT_EQ(made.validations, 16) << "every ten million tokens";
  EXPECT_LE(made.longest_without, 10'004'000);
}

TEST(Due, UsualEpochsAreAllValidated) {  // Multi30k: 29,000 pairs, and 1,014 to validate on
  const Made made = simulate(TrainOptions(), 4600, 46, 8192, 25'000);
  EXPECT_EQ(made.validations, 100);
  EXPECT_EQ(made.checkpoints, 100);
}

TEST(Due, TheFirstReportsComeSoon) {
  for (const int64_t tokens : {2000, 12'000, 25'000}) {
    const Made made = simulate(TrainOptions(), 60, 1, tokens, 5000);
    EXPECT_LE(made.first_report, 10) << tokens;
    EXPECT_GE(made.reports, 5) << tokens;
  }
}

TEST(Due, AnIntervalThatIsGivenIsWhatItSays) {
  TrainOptions o;
  o.valid_every = "1e", o.save_every = "3", o.report_every = "7";
  const Made made = simulate(o, 210, 1, 10, 1'000'000);
  EXPECT_EQ(made.validations, 210);
  EXPECT_EQ(made.checkpoints, 70);
  EXPECT_EQ(made.reports, 30);
}

}  // namespace
}  // namespace hexapla::train
