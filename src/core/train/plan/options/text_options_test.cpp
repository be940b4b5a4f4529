// Options for the text of a run; a run with any of them resumes to the same bits.
#include <gmock/gmock.h>

#include <deque>
#include <fstream>

#include "backend/cpu/cpu.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "data/batches/epoch_parts.h"
#include "data/files/lines.h"
#include "model/weights/model_file.h"
#include "train/loop/run/resume_fingerprint.h"
#include "train/record/checkpoint.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Texts : public TestFolder {
 protected:
  Texts() {
    write_toy_corpus(at("a"), at("b"), 300);
    write_toy_corpus(at("c"), at("d"), 100, 8);
  }
  TrainOptions options(const std::string& run) const {
    TrainOptions o;
    o.train_sets = {at("a"), at("b")};
    o.model = at(run);
    o.vocab_size = 60;
    o.batch_tokens = 64;
    o.max_updates = 40;
    o.warmup = 20;
    o.lr = 3e-3;
    o.save_every = "15";
    o.report_every = "1";
    o.average_last = 2;
    o.architecture.enc_layers = o.architecture.dec_layers = 1;
    o.architecture.d_model = 32;
    o.architecture.d_ff = 64;
    o.architecture.heads = 2;
    return o;
  }
  static TrainResult run(const TrainOptions& o, TrainWatcher& watcher, const std::atomic<bool>& stop,
                         size_t memory = 0) {
    TrainingData data = prepare_data(o);
    if (memory > 0) spill(data, memory);
    auto backend = make_cpu_backend();
    return train(o, data, *backend, watcher, stop);
  }
  static void run(const TrainOptions& o, size_t memory = 0) {
    TrainWatcher silent;
    run(o, silent, false, memory);
  }
  // Moves the pairs into a store with less memory than an option can request.
  static void spill(TrainingData& data, size_t memory) {
    auto store = std::make_shared<data::PairStore>(0, data.space.folder);
    data.pairs.store->for_each([&](const data::PackedPair& pair) { store->add(pair); });
    store->finish();
    data.pairs.store = store;
    data.space.memory = memory;
    ASSERT_GT(data::shuffle_parts(data.pairs, data.space), 3);
  }
  void expect_exact_resume(const TrainOptions& usual, size_t memory = 0) const {
    TrainOptions whole = usual;
    whole.threads = 1;
    run(whole, memory);
    const std::string model = read_file(whole.model + "/model.safetensors");
    for (const int64_t threads : {1, 2}) {
      TrainOptions broken = whole;
      broken.model += cat("_broken", threads);
      broken.threads = threads;
      for (const int64_t update : {3, 16, 29}) {
        StopAt watcher(update);
        EXPECT_EQ(run(broken, watcher, watcher.stop, memory).end, TrainEnd::interrupted);
      }
      run(broken, memory);
      EXPECT_TRUE(read_file(broken.model + "/model.safetensors") == model) << threads << " threads";
    }
  }
};

TEST_F(Texts, ResumedEqualsUnbrokenWithWeights) {
  TrainOptions o = options("weights");
  o.train_sets.insert(o.train_sets.end(), {at("c"), at("d")});
  o.text.train_weights = {1, 2.5};
  expect_exact_resume(o);
}

TEST_F(Texts, ResumedEqualsUnbrokenOnDisk) { expect_exact_resume(options("disk"), 10'000); }

struct FillsTheDisk : TrainWatcher {
  void updated(const TrainReport&) override {
    if (!limit) limit.emplace(rlim_t{1} << 20);
  }
  std::optional<FileSizeLimit> limit;
};

// The pairs of the second epoch are written while those of the first are drawn.
TEST_F(Texts, AFullDiskEndsARunThatIsSaved) {
  TrainOptions o = options("full"), whole = options("whole");
  for (TrainOptions* each : {&o, &whole}) {
    each->text.train_weights = {300};
    each->batch_tokens = 6000;
    each->max_updates = 150;
    each->save_every = "1000";
    each->text.temp_dir = folder();
  }
  FillsTheDisk watcher;
  const std::string message = what_of<RunError>([&] { run(o, watcher, false, 100'000); });
  watcher.limit.reset();
  const std::vector<int64_t> saved = list_checkpoints(o.model + "/checkpoints");
  ASSERT_EQ(saved.size(), 1u) << message;
  EXPECT_THAT(message, AllOf(HasSubstr("temporary file in " + folder()), HasSubstr("`temp-dir`"),
                             HasSubstr(cat("after update ", saved[0], ", and is saved")), HasSubstr("resumes")));
  run(o, 100'000);
  run(whole, 100'000);
  EXPECT_EQ(read_file(o.model + "/model.safetensors"), read_file(whole.model + "/model.safetensors"));
}

TEST_F(Texts, ResumedEqualsUnbrokenWithDrawnSubwords) {
  for (const char* type : {"unigram", "bpe"}) {
    TrainOptions o = options(cat("drawn_", type));
    o.text.vocab_type = o.text.vocab_type.parse("vocab-type", type);
    o.text.subword_alpha = 0.2;
    expect_exact_resume(o);
  }
}

TEST_F(Texts, ResumedEqualsUnbrokenWithAllOfIt) {
  TrainOptions o = options("all");
  o.train_sets.insert(o.train_sets.end(), {at("c"), at("d")});
  o.text.train_weights = {0.7, 2.5};
  o.text.subword_alpha = 0.2;
  o.text.separate_vocabs = true;
  expect_exact_resume(o, 20'000);
}

TEST_F(Texts, AnotherVocabularyIsAnotherRun) {
  for (const double alpha : {0.0, 0.2}) {  // the pair store holds ids (0) or characters (0.2)
    TrainOptions o = options(cat("vocabulary", alpha));
    o.text.subword_alpha = alpha;
    o.text.target_normalization = o.text.source_normalization;  // both sides must agree to share one vocabulary file
    run(o);
    const text::Vocabulary was = text::Vocabulary::load(o.model + "/vocab.spm");
    std::vector<std::string> lines;
    for (const char* file : {"a", "b", "b"})
      for (const std::string& line : data::read_lines(at(file))) lines.push_back(line);
    const text::Vocabulary other = text::Vocabulary::train(lines, {.size = was.size()});
    ASSERT_EQ(other.size(), was.size());
    ASSERT_NE(other.bytes(), was.bytes());
    write_file_atomically(o.model + "/vocab.spm", other.bytes());
    o.max_updates += 10;
    EXPECT_THAT(what_of<UsageError>([&] { run(o); }),
                AllOf(HasSubstr("vocab.spm"), HasSubstr("put the files of that run back")));
    write_file_atomically(o.model + "/vocab.spm", was.bytes());
    run(o);
  }
}

TEST(Identity, CheckpointsOfEarlierVersionsDoNotNameTheVocabulary) {
  const std::string now = R"({"seed":1,"vocabulary":"a"})";
  EXPECT_TRUE(same_run(R"({"seed":1})", now));
  EXPECT_TRUE(same_run(now, now));
  EXPECT_FALSE(same_run(R"({"seed":2})", now));
  EXPECT_FALSE(same_run(R"({"seed":1,"vocabulary":"b"})", now));
}

TEST(Identity, WhatIsUsualIsNamedByItsValue) {
  const std::string parts = json_text(nlohmann::json{{"seed", 1}, {kPartsOfPairs, "3"}});
  const std::string usual = R"({"seed":1})";
  EXPECT_THAT(first_difference(parts, usual), HasSubstr("(--shuffle-memory) was \"3\", now it is \"1\""));
  EXPECT_THAT(first_difference(usual, parts), HasSubstr("(--shuffle-memory) was \"1\", now it is \"3\""));
}

TEST(Identity, OtherPairsAreNamedByTheirOption) {
  const auto with = [](const char* hash) { return json_text(nlohmann::json{{"seed", 1}, {"training data", hash}}); };
  EXPECT_THAT(first_difference(with("a1"), with("b2")),
              AllOf(HasSubstr("`train-sets`"), Not(HasSubstr("a1")), Not(HasSubstr("b2"))));
}

TEST(Identity, WhatAnEarlierVersionDidNotRecordIsNotAsked) {
  for (const char* later : {"vocabulary", "pairs of each training set", "instruction set"}) {
    const std::string now = json_text(nlohmann::json{{"seed", 1}, {later, "x"}});
    EXPECT_TRUE(same_run(R"({"seed":1})", now)) << later;
    EXPECT_EQ(as_recorded(R"({"seed":1})", now), R"({"seed":1})") << "a run keeps the form of its record";
    EXPECT_FALSE(same_run(json_text(nlohmann::json{{"seed", 1}, {later, "y"}}), now)) << later;
    EXPECT_EQ(as_recorded(now, now), now);
  }
}

TEST_F(Texts, OtherWeightsAreAnotherRun) {
  TrainOptions o = options("other");
  run(o);
  o.text.train_weights = {2};
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("train-weights was not set, now it is \"2\""));
}

// Moving a line to a set of another weight changes the text, even in the same order.
TEST_F(Texts, ALineOfAnotherSetIsAnotherRun) {
  std::vector<std::string> lines[2];
  for (const int side : {0, 1}) lines[side] = data::read_lines(at(side == 0 ? "a" : "b"));
  const auto split = [&](size_t first) {
    for (const int side : {0, 1}) {
      std::ofstream one(at(cat("first", side))), other(at(cat("second", side)));
      for (size_t i = 0; i < lines[side].size(); ++i) (i < first ? one : other) << lines[side][i] << "\n";
    }
  };
  for (const int64_t shards : {1, 2}) {
    TrainOptions o = options(cat("moved", shards));
    o.train_sets = {at("first0"), at("first1"), at("second0"), at("second1")};
    o.text.train_weights = {1, 2};
    o.shards = o.accumulate = shards;
    split(30);
    run(o);
    o.max_updates += 2;
    run(o);
    split(31);
    o.max_updates += 2;
    EXPECT_THAT(what_of<UsageError>([&] { run(o); }),
                HasSubstr("pairs of each training set was \"30 270\", now it is \"31 269\""));
  }
  TrainOptions alike = options("alike");
  alike.train_sets = {at("first0"), at("first1"), at("second0"), at("second1")};
  run(alike);
  split(30);
  alike.max_updates += 2;
  EXPECT_NO_THROW(run(alike)) << "where all sets count the same";
}

TEST_F(Texts, SeparateVocabulariesAreInTheModel) {
  TrainOptions o = options("separate");
  o.text.separate_vocabs = true;
  o.max_updates = 2;
  o.average_last = 1;
  run(o);
  const model::LoadedModel model = model::load_model(o.model + "/model.safetensors");
  EXPECT_EQ(model.config.tied.text(), "decoder");
  const text::Vocabulary source = text::Vocabulary::parse(model.source_vocabulary, "source"),
                         target = text::Vocabulary::parse(model.target_vocabulary, "target");
  EXPECT_EQ(source.decode(source.encode("small house")), "small house");
  EXPECT_NE(model.source_vocabulary, model.target_vocabulary);

  TrainOptions given = options("given");
  given.text.vocabs = {o.model + "/vocab.source.spm", o.model + "/vocab.target.spm"};
  given.max_updates = 2;
  given.average_last = 1;
  run(given);
  EXPECT_EQ(model::load_model(given.model + "/model.safetensors").target_vocabulary, model.target_vocabulary);
}

TEST_F(Texts, SidesShareTheirPiecesUnderTheirOwnRules) {
  TrainOptions o = options("rules");
  o.max_updates = 2;
  o.average_last = 1;
  run(o);
  const model::LoadedModel model = model::load_model(o.model + "/model.safetensors");
  EXPECT_EQ(model.config.tied.text(), "all");
  const text::Vocabulary source = text::Vocabulary::parse(model.source_vocabulary, "source"),
                         target = text::Vocabulary::parse(model.target_vocabulary, "target");
  EXPECT_TRUE(text::same_pieces(source, target));
  EXPECT_EQ(source.normalization(), "nmt_nfkc");
  EXPECT_EQ(target.normalization(), "keep");
  EXPECT_FALSE(std::filesystem::exists(o.model + "/vocab.spm"));

  // Embeddings stay tied if the vocabularies come from `vocabs` or from another model.
  TrainOptions given = options("given");
  given.text.vocabs = {o.model + "/vocab.source.spm", o.model + "/vocab.target.spm"};
  given.max_updates = 2;
  given.average_last = 1;
  run(given);
  EXPECT_EQ(model::load_model(given.model + "/model.safetensors").config.tied.text(), "all");
  TrainOptions tuned = options("tuned");
  tuned.init_from = o.model + "/model.safetensors";
  tuned.max_updates = 2;
  tuned.average_last = 1;
  run(tuned);
  EXPECT_EQ(model::load_model(tuned.model + "/model.safetensors").source_vocabulary, model.source_vocabulary);
  EXPECT_EQ(model::load_model(tuned.model + "/model.safetensors").target_vocabulary, model.target_vocabulary);

  TrainOptions alike = options("alike");
  alike.text.target_normalization = "nmt_nfkc";
  alike.max_updates = 2;
  alike.average_last = 1;
  run(alike);
  EXPECT_TRUE(std::filesystem::exists(alike.model + "/vocab.spm"));
}

// Rewrites the checkpoint of this update as if by a version that did not have the option.
void forget_option(const std::string& dir, int64_t update, const std::string& option) {
  const LoadedCheckpoint c = load_checkpoint(dir, update);
  CheckpointContent content{{}, c.state};
  std::deque<std::string> bytes;
  for (const TensorEntry& t : c.tensors.tensors())
    content.tensors.push_back({t.name, Tensor(bytes.emplace_back(c.tensors.text(t)).data(), t.shape, t.dtype)});
  auto record = nlohmann::ordered_json::parse(content.state.at("changeable"));
  record.erase(option);
  content.state["changeable"] = json_text(record);
  save_checkpoint(dir, update, content);
}

// A run from before this option existed has one vocabulary in its folder, and keeps it.
TEST_F(Texts, ARunKeepsTheNormalizationItBeganWith) {
  TrainOptions o = options("old");
  o.text.target_normalization = "nmt_nfkc";
  StopAt watcher(20);
  EXPECT_EQ(run(o, watcher, watcher.stop).end, TrainEnd::interrupted);
  const std::string vocabulary = read_file(o.model + "/vocab.spm");
  o.text.target_normalization = "keep";
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("`target-normalization` was nmt_nfkc, now it is keep"));
  forget_option(o.model + "/checkpoints", 20, "target-normalization");
  run(o);
  const model::LoadedModel model = model::load_model(o.model + "/model.safetensors");
  EXPECT_EQ(model.source_vocabulary, vocabulary);
  EXPECT_EQ(model.target_vocabulary, vocabulary);
  std::vector<std::string> unknown;
  const Provenance c = Provenance::from_history(model.history, "m", unknown);
  EXPECT_EQ(c.options.text.target_normalization, "nmt_nfkc");
  EXPECT_EQ(c.changed, "");
}

TEST_F(Texts, AFolderWithAVocabularyForEachSideIsNotMixedUp) {
  TrainOptions o = options("mixed");
  o.text.separate_vocabs = true;
  o.max_updates = 2;
  run(o);
  const std::string target = read_file(o.model + "/vocab.target.spm");
  o.text.separate_vocabs = false;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("`separate-vocabs` was true, now it is false"));
  EXPECT_EQ(read_file(o.model + "/vocab.target.spm"), target);
}

TEST_F(Texts, TsvGivesWhatTwoFilesGive) {
  std::ofstream tsv(at("ab.tsv"));
  std::ifstream a(at("a")), b(at("b"));
  for (std::string x, y; std::getline(a, x) && std::getline(b, y);) tsv << x << "\t" << y << "\n";
  tsv.close();
  TrainOptions two = options("two"), one = options("one");
  one.train_sets = {at("ab.tsv")};
  run(two);
  run(one);
  auto values = [](const TrainOptions& o) {  // not the whole files: they also hold the options, which differ
    const model::LoadedModel m = model::load_model(o.model + "/model.safetensors");
    const Tensor all = m.parameters->values();
    return std::vector<float>(all.data<float>(), all.data<float>() + all.size());
  };
  EXPECT_TRUE(values(one) == values(two));
}

TEST_F(Texts, OptionsAreChecked) {
  auto message = [&](auto change) {
    TrainOptions o = options("checked");
    return what_of<UsageError>([&] {
      change(o);
      o.check();
    });
  };
  EXPECT_THAT(message([](auto& o) {
                o.text.train_weights = {1, 2};
              }),
              HasSubstr("`train-weights` has 2 numbers, but `train-sets` has 1 set"));
  EXPECT_THAT(message([](auto& o) { o.text.train_weights = {0}; }),
              HasSubstr("`train-weights` is 0, but must be a number above 0"));
  EXPECT_THAT(message([](auto& o) { o.text.vocab_type = o.text.vocab_type.parse("vocab-type", "word"); }),
              HasSubstr("`vocab-type` is 'word'"));
  EXPECT_THAT(message([](auto& o) { o.text.vocabs = {"a"}; }), HasSubstr("`vocabs` takes two"));
  EXPECT_THAT(message([](auto& o) { o.vocab = "a", o.text.separate_vocabs = true; }),
              HasSubstr("give either it or `vocabs` and `separate-vocabs`"));
  EXPECT_THAT(message([](auto& o) { o.text.character_coverage = 0.5; }), HasSubstr("`character-coverage` is 0.5"));
  EXPECT_THAT(message([](auto& o) { o.text.source_normalization = "nfd"; }),
              HasSubstr("`source-normalization` is 'nfd', but must be keep, nmt_nfkc"));
  EXPECT_THAT(message([](auto& o) { o.text.target_normalization = ""; }), HasSubstr("`target-normalization` is ''"));
  EXPECT_THAT(message([](auto& o) { o.text.vocab_lines = 1; }), HasSubstr("`vocab-lines` is 1"));
  EXPECT_THAT(message([](auto& o) { o.text.subword_alpha = -1; }), HasSubstr("`subword-alpha` is -1"));
  EXPECT_THAT(message([](auto& o) { o.text.shuffle_memory = 0; }), HasSubstr("`shuffle-memory` is 0"));
  EXPECT_THAT(message([](auto& o) { o.guided_alignment = "x", o.text.subword_alpha = 0.2; }),
              HasSubstr("leave `subword-alpha` out"));
  EXPECT_THAT(message([](auto& o) { o.text.join_sentences = 1; }), HasSubstr("`join-sentences` is 1"));
  EXPECT_THAT(message([](auto& o) { o.guided_alignment = "x", o.text.join_sentences = 0.2; }),
              HasSubstr("leave `join-sentences` out"));
  EXPECT_THAT(message([](auto& o) {
                o.guided_alignment = "x", o.train_sets = {"a", "b", "c", "d"};
              }),
              HasSubstr("works with one training set"));
  EXPECT_THAT(message([](auto& o) { o.valid_sets = {"a"}; }), HasSubstr("`valid-sets` takes"));
}

TEST_F(Texts, BadInputIsOneClearError) {
  TrainOptions o = options("bad");
  o.text.vocab_type = "bpe";
  o.text.subword_alpha = 1.5;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), AllOf(HasSubstr("`subword-alpha` is 1.5"), HasSubstr("merges")));
  o = options("bad_vocab");
  o.text.vocabs = {at("a"), at("b")};
  EXPECT_THAT(what_of<DataError>([&] { run(o); }), HasSubstr(at("a") + " is not a SentencePiece model"));
}

}  // namespace
}  // namespace hexapla::train
