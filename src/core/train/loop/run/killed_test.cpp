// A killed run loses little; a run keeps its best models.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "data/files/lines.h"
#include "decode/text/translator.h"
#include "model/weights/model_file.h"
#include "train/loop/run/run_models.h"
#include "train/record/checkpoint.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Ends the program after this update, without a chance to save anything.
struct KilledAt : TrainWatcher {
  explicit KilledAt(int64_t u) : update(u) {}
  void updated(const TrainReport& r) override {
    if (r.update == update) throw std::runtime_error("killed");
  }
  int64_t update;
};

struct Listener : TrainWatcher {
  void note(const std::string& n) override { notes += n + "\n"; }
  void started(const TrainStart& s) override { resumed_at = s.resumed_at; }
  void validated(const Validation& v) override { validations.push_back(v); }
  std::string notes;
  int64_t resumed_at = -1;
  std::vector<Validation> validations;
};

using Killing = Training;

TEST_F(Killing, CostsOnlyWhatCameAfterTheLastSaveByTime) {
  TrainOptions whole = options("whole"), killed = options("killed");
  whole.average_last = killed.average_last = 3;  // extra checkpoints must not enter a mean
  whole.save_every = killed.save_every = "9";
  whole.save_minutes = 0;
  killed.save_minutes = 1e-12;  // after the first update, then as soon as writing takes a tenth of the time
  run(whole);
  for (const int64_t update : {3, 17, 28}) {
    KilledAt watcher(update);
    EXPECT_THROW(run(killed, watcher, false), std::runtime_error);
    EXPECT_THAT(list_checkpoints(killed.model + "/checkpoints"), Not(IsEmpty())) << "also before the first one is due";
  }
  Listener told;
  run(killed, told, false);
  EXPECT_GE(told.resumed_at, 27);
  EXPECT_EQ(log_of(killed), log_of(whole));
  EXPECT_EQ(validations_of(killed), validations_of(whole));
  EXPECT_TRUE(same_model(killed, whole));
}

TEST_F(Killing, IsToldAndTheLogIsKept) {
  TrainOptions o = options("killed");
  o.save_every = "20";
  const auto killed_at = [&](int64_t update) {
    KilledAt watcher(update);
    EXPECT_THROW(run(o, watcher, false), std::runtime_error);
    return data::read_lines(o.model + "/train.jsonl");
  };
  const std::vector<std::string> lost = killed_at(13);
  EXPECT_THAT(lost, SizeIs(13));
  Listener told;
  run(o, told, false);
  EXPECT_EQ(told.resumed_at, 0);
  EXPECT_THAT(told.notes, AllOf(HasSubstr("13 updates"), HasSubstr("saved no checkpoint")));
  EXPECT_EQ(data::read_lines(o.model + "/earlier-train.jsonl"), lost);
  EXPECT_THAT(data::read_lines(o.model + "/train.jsonl"), SizeIs(30));

  o.max_updates = 60;
  const std::vector<std::string> all = killed_at(47);
  run(o, told, false);
  EXPECT_EQ(told.resumed_at, 40);
  EXPECT_THAT(told.notes, AllOf(HasSubstr("7 updates"), HasSubstr("checkpoint is of update 40")));
  EXPECT_THAT(data::read_lines(o.model + "/earlier-train.jsonl"), SizeIs(20));
  Listener again;
  run(o, again, false);
  EXPECT_THAT(again.notes, Not(HasSubstr("earlier start"))) << "a run that is complete has lost nothing";
}

// Targets of so many words, which the model learns by heart: BLEU of two is 0, whatever they are.
class KeptModel : public Training {
 protected:
  TrainOptions learning(int words) const {
    Random random(5);
    std::ofstream a(folder_ + "/a"), b(folder_ + "/b");
    const std::vector<std::string> to{"rot", "gruen", "klein", "gross", "haus", "baum", "hund", "katze"};
    for (int i = 0; i < 60; ++i) {
      a << "n" << i % 10 << " m" << i / 10 << "\n";
      for (int n = 0; n < words; ++n) b << (n ? " " : "") << to[random.below(8)];
      b << "\n";
    }
    a.close(), b.close();
    TrainOptions o = options(cat("words", words));
    o.valid_sets = o.train_sets;
    o.max_updates = 300;
    o.best_by = "auto";
    o.valid_every = o.save_every = "30";
    o.keep = 100;
    o.batch_tokens = 128;
    o.architecture.dropout = 0;
    o.report_every = "100";
    return o;
  }
  int64_t right(const model::LoadedModel& m) const {
    const text::Vocabulary vocabulary = text::Vocabulary::parse(m.source_vocabulary, "model");
    const auto backend = make_backend();
    const decode::TextTranslator translator(*m.net, vocabulary, vocabulary, *backend);
    const auto source = data::read_lines(folder_ + "/a"), reference = data::read_lines(folder_ + "/b");
    const auto found = translator.translate(source, {});
    int64_t n = 0;
    for (size_t i = 0; i < found.size(); ++i) n += found[i].front().text == reference[i];
    return n;
  }
};

TEST_F(KeptModel, OfShortTargetsIsTheBest) {
  for (const int words : {1, 2, 3}) {
    const TrainOptions o = learning(words);
    Listener told;
    const TrainResult result = run(o, told, false);
    int64_t most = 0;
    for (const int64_t update : list_checkpoints(o.model + "/checkpoints"))
      most = std::max(most, right(load_checkpoint_model(fmt::format("{}/checkpoints/update-{:08}", o.model, update))));
    EXPECT_GE(most, 30) << "it has learned something";
    EXPECT_GE(right(model::load_model(result.model)), most - 1) << words;
    EXPECT_THAT(told.notes, HasSubstr("chrF decides"));
  }
}

TEST_F(KeptModel, PatienceWaitsForWhatDecides) {
  TrainOptions o = learning(2);
  o.patience = 2;
  Listener told;
  const TrainResult result = run(o, told, false);
  EXPECT_GE(right(model::load_model(result.model)), 30);
}

}  // namespace
}  // namespace hexapla::train
