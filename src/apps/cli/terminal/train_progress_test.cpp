#include "cli/terminal/train_progress.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/files/test_folder.h"
#include "text/utf8.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

train::TrainReport some_report() {
  train::TrainReport r;
  r.update = 1250;
  r.epoch = 3;
  r.loss = 3.21421;
  r.lr = 3.1e-4;
  r.gradient_norm = 0.6123;
  r.tokens_per_second = 18200;
  r.progress = 0.62;
  r.seconds_left = 247;
  return r;
}

TEST(LiveLine, FitsAndKeepsWhatMattersMost) {
  EXPECT_EQ(live_line(some_report(), {3, 2, 1}, 120),
            "Ep. 3 Up. 1,250 | 62 %, 4 min left | loss 3.2142 | 18,200 tokens/s | lr 3.10e-04 | gradient 0.61 | █▅▁");
  for (int columns : {20, 40, 60, 80, 100}) EXPECT_LT(text::width(live_line(some_report(), {1, 2}, columns)), columns);
  EXPECT_THAT(live_line(some_report(), {}, 60),
              AllOf(HasSubstr("4 min left"), HasSubstr("loss"), Not(HasSubstr("lr"))));
}

TEST(Standing, IsBestOrStalled) {
  EXPECT_EQ(standing({{500, 20}}, true, 2), "new best");
  EXPECT_EQ(standing({{500, 20}, {1000, 21}}, true, 2), "new best");
  EXPECT_EQ(standing({{500, 20}, {1000, 34.125}, {1500, 21}}, true, 1), "stalled 1 time (best 34.1 at update 1,000)");
  EXPECT_EQ(standing({{500, 1}, {1000, 2}, {1500, 3}}, false, 2), "stalled 2 times (best 1.00 at update 500)");
}

class Shown : public TestFolder {
 protected:
  static train::Validation some_validation(int64_t update, double bleu, const std::string& hypothesis) {
    train::Validation v;
    v.update = update;
    v.loss = 2.5;
    v.perplexity = 9;
    v.bleu = bleu;
    v.chrf = 40;
    v.best = true;
    v.compared_by = "bleu";
    v.examples = {{"ein Hund", "a dog", hypothesis}};
    return v;
  }
  template <class Call>
  static std::string stderr_of(Call&& call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Shown, SetsAreToldByNameAndTheSignatureOnce) {
  for (const bool live : {false, true}) {
    const std::string text = stderr_of([&] {
      ProgressWatcher watcher({.live = live, .color = false, .quiet = false, .width = 100});
      for (const int64_t update : {200, 300}) {
        train::Validation v = some_validation(update, 20, "a cat");
        v.signature = "BLEU|tok:zh|x";
        v.script = -0.5;
        v.sets = {{"news.zh", {.loss = 2, .perplexity = 7, .bleu = 31.25, .chrf = 44}}, {"web.zh", {.loss = 3}}};
        watcher.validated(v);
      }
    });
    EXPECT_THAT(text, AllOf(HasSubstr("news.zh : loss 2.0000 : perplexity 7.000 : BLEU 31.25 : chrF 44.00"),
                            HasSubstr("web.zh : loss 3.0000"), testing::ContainsRegex("script  *-0.5000")));
    EXPECT_EQ(text.find("BLEU|tok:zh|x"), text.rfind("BLEU|tok:zh|x")) << "once";
    EXPECT_NE(text.find("BLEU|tok:zh|x"), std::string::npos);
  }
}

TEST_F(Shown, ChangedCharactersAreBoldWhereWordsAreNotToBeSeen) {
  const std::string text = stderr_of([&] {
    ProgressWatcher watcher({.live = true, .color = true, .quiet = false, .width = 100});
    watcher.validated(some_validation(200, 20, "我在家。"));
    watcher.validated(some_validation(300, 20, "我在公园。"));
  });
  EXPECT_THAT(text, HasSubstr("我在\x1b[1m公\x1b[0m\x1b[1m园\x1b[0m。"));
}

TEST_F(Shown, OnATerminalATableWithSamples) {
  std::ofstream(at("valid.jsonl")) << "{\"update\": 100, \"loss\": 3, \"perplexity\": 20, \"bleu\": 30, \"chrf\": -1}\n"
                                   << "damaged\n";
  const std::string text = stderr_of([&] {
    ProgressWatcher watcher({.live = true, .color = true, .quiet = false, .width = 100});
    watcher.begins(folder());
    watcher.validated(some_validation(200, 20, "a cat"));
    watcher.validated(some_validation(300, 31, "a dog"));
  });
  EXPECT_THAT(text, AllOf(HasSubstr("validation after update 200, epoch 1"), HasSubstr("BLEU          20.00  █▁ "),
                          HasSubstr("stalled 1 time (best 30.00 at update 100)"), HasSubstr("▇▁█ "),
                          HasSubstr("new best"), HasSubstr("source      ein Hund\n    reference   a dog\n")));
  EXPECT_THAT(text, HasSubstr("hypothesis  a \x1b[1mdog\x1b[0m")) << "what changed since the last time is bold";
}

TEST_F(Shown, WithoutATerminalOnePlainLine) {
  const std::string text = stderr_of([&] {
    ProgressWatcher watcher({.live = false, .color = false, .quiet = false, .width = 80});
    watcher.updated(some_report());
    watcher.running(some_report());
    watcher.validated(some_validation(200, 20, "a cat"));
    train::Validation worse = some_validation(300, 19, "a cat");
    worse.best = false;
    worse.stalled = 2;
    watcher.validated(worse);
    worse.stalled = 0;  // the learning rate still rises
    watcher.validated(worse);
  });
  EXPECT_EQ(text,
            "Ep. 3 : Up. 1250 : Loss 3.2142 : 18,200 tokens/s : gNorm 0.612 : L.r. 3.100e-04 : 62 % : 4 min left\n"
            "[valid] Ep. 1 : Up. 200 : loss 2.5000 : perplexity 9.000 : BLEU 20.00 : chrF 40.00 : new best by BLEU\n"
            "[valid] Ep. 1 : Up. 300 : loss 2.5000 : perplexity 9.000 : BLEU 19.00 : chrF 40.00 : stalled 2 times\n"
            "[valid] Ep. 1 : Up. 300 : loss 2.5000 : perplexity 9.000 : BLEU 19.00 : chrF 40.00\n");
}

TEST_F(Shown, EveryLineOfALogBeginsWithItsTime) {
  const std::string text = stderr_of([&] {
    ProgressWatcher watcher({.live = false, .color = false, .quiet = false, .width = 80, .timed = true});
    watcher.updated(some_report());
    watcher.progress().say("two\nlines");
  });
  const std::string time = "\\[20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]\\] ";
  EXPECT_THAT(text, testing::ContainsRegex("^" + time + "Ep. 3 : [^\n]* left\n" + time + "two\n" + time + "lines\n$"));
}

TEST_F(Shown, BeforeTheFirstStepEverythingItTakes) {
  train::TrainStart s;
  s.parts = {{"embeddings", 1280000}, {"encoder", 531456}};
  s.parameters = 1811456;
  s.examples = 29000;
  s.batches = 133;
  s.batch_tokens = 4096;
  s.valid_examples = 1014;
  s.memory.parts = {{"weights", size_t{42} << 20}, {"working memory", (size_t{610} << 20) + 1}};
  s.memory_limit = size_t{12'800} << 20;
  s.backend = "cpu";
  s.unknown = {{"a.en + a.de", {{10'000, 10'000}, {1, 0}}}};
  s.resumed_at = 1234;
  const std::string text = stderr_of([&] { ProgressWatcher({.width = 80}).started(s); });
  EXPECT_EQ(
      text,
      "parameters embeddings      1,280,000\n"
      "           encoder           531,456\n"
      "           together        1,811,456\n"
      "data       29,000 pairs in 133 batches per epoch, of at most 4,096 target tokens; 1,014 pairs to validate on\n"
      "           a.en + a.de: unknown tokens: 0.01 % of the source, 0.00 % of the target\n"
      "memory     weights                42 MiB\n"
      "           working memory        611 MiB\n"
      "           together              653 MiB of 12,800 MiB that may be used (--memory)\n"
      "machine    cpu\n"
      "resumed after update 1,234\n");
  s.examples = s.batches = s.batch_tokens = s.valid_examples = 1;
  EXPECT_THAT(stderr_of([&] { ProgressWatcher({.width = 80}).started(s); }),
              HasSubstr("1 pair in 1 batch per epoch, of at most 1 target token; 1 pair to validate on\n"));
}

}  // namespace
}  // namespace hexapla::cli
