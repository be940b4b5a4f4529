// Guided alignment in a training run: options, files, log, model file.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "backend/cpu/cpu.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "base/json.h"
#include "model/weights/model_file.h"
#include "text/words.h"
#include "train/loop/trainer.h"

namespace hexapla::train {
namespace {
using testing::HasSubstr;

// In the toy language, word i of n is linked to word n - 1 - i.
class GuidedAlignment : public TestFolder {
 protected:
  GuidedAlignment() {
    write_toy_corpus(at("a"), at("b"), 60);
    std::ifstream lines(at("a"));
    std::ofstream links(at("links"));
    for (std::string line; std::getline(lines, line);) {
      const size_t n = text::words(line).size();
      for (size_t k = 0; k < n; ++k) links << (k ? " " : "") << k << "-" << n - 1 - k;
      links << "\n";
    }
  }
  TrainOptions options(const std::string& run) const {
    TrainOptions o;
    o.train_sets = {at("a"), at("b")};
    o.model = at(run);
    o.vocab_size = 60;
    o.batch_tokens = 64;
    o.max_updates = 60;
    o.warmup = 20;
    o.lr = 3e-3;
    o.save_every = "20";
    o.report_every = "1";
    o.architecture.enc_layers = 1;
    o.architecture.dec_layers = 3;
    o.architecture.d_model = 32;
    o.architecture.d_ff = 64;
    o.architecture.heads = 2;
    return o;
  }
  TrainOptions guided(const std::string& run) const {
    TrainOptions o = options(run);
    o.guided_alignment = at("links");
    return o;
  }
  static TrainResult run(const TrainOptions& o) {
    TrainWatcher silent;
    const auto backend = make_cpu_backend();
    return train(o, prepare_data(o), *backend, silent, false);
  }
  static std::vector<nlohmann::json> log_of(const TrainOptions& o) {
    std::vector<nlohmann::json> lines;
    std::istringstream in(read_file(o.model + "/train.jsonl"));
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
};

TEST_F(GuidedAlignment, IsLearnedLoggedAndWrittenIntoTheModel) {
  TrainOptions o = guided("guided");
  o.guided_alignment_weight = 1;
  o.max_updates = 200;
  const model::LoadedModel model = model::load_model(run(o).model);
  EXPECT_EQ(model.usage.alignment_layer, 1);  // the last but one of three
  EXPECT_EQ(model.usage.alignment_head, 0);
  const auto log = log_of(o);
  ASSERT_EQ(log.size(), 200u);
  double first = 0, last = 0;
  for (int i = 0; i < 5; ++i) first += log[i]["alignment_loss"].get<double>();
  for (int i = 195; i < 200; ++i) last += log[i]["alignment_loss"].get<double>();
  EXPECT_LT(last, 0.7 * first);
}

TEST_F(GuidedAlignment, LeavesNoTraceWhereItIsOff) {
  const TrainOptions o = options("plain");
  EXPECT_FALSE(model::load_model(run(o).model).usage.alignment_layer);
  EXPECT_FALSE(log_of(o).back().contains("alignment_loss"));
}

TEST_F(GuidedAlignment, OfWeightZeroChangesNoBitOfTheModel) {
  TrainOptions o = guided("zero");
  o.guided_alignment_weight = 0;
  o.max_updates = 5;
  TrainOptions plain = options("plain");
  plain.max_updates = 5;
  const model::LoadedModel a = model::load_model(run(o).model), b = model::load_model(run(plain).model);
  const auto x = a.parameters->values().values<float>(), y = b.parameters->values().values<float>();
  EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end()));
}

TEST_F(GuidedAlignment, ThreadsDoNotMatter) {
  TrainOptions one = guided("one"), two = guided("two");
  one.threads = 1, two.threads = 2;
  one.max_updates = two.max_updates = 5;
  EXPECT_EQ(read_file(run(one).model), read_file(run(two).model));
}

TEST_F(GuidedAlignment, ARunIsNotResumedWithOtherLinksOrWeights) {
  TrainOptions o = guided("run");
  o.max_updates = 20;
  run(o);
  o.max_updates = 25;
  o.guided_alignment_weight = 0.5;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("guided-alignment-weight was 0.1, now it is 0.5"));
  o = options("run");
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("other options"));
}

TEST_F(GuidedAlignment, WrongOptionsAndFiles) {
  const auto says = [&](auto&& change, const std::string& message) {
    TrainOptions o = guided("wrong");
    const auto checked = [&] {
      change(o);
      o.check();
    };
    EXPECT_THAT(what_of<UsageError>(checked), HasSubstr(message));
  };
  says([](TrainOptions& o) { o.guided_alignment_layer = 3; }, "the decoder has layers 0 to 2");
  says([](TrainOptions& o) { o.guided_alignment_layer = -2; }, "`guided-alignment-layer` is -2");
  says([](TrainOptions& o) { o.guided_alignment_head = 2; }, "a layer has heads 0 to 1");
  says([](TrainOptions& o) { o.guided_alignment_weight = -1; }, "`guided-alignment-weight` is -1");
  says([](TrainOptions& o) { o.guided_alignment_units = o.guided_alignment_units.parse("units", "bytes"); },
       "must be one of: words, blanks, pieces");
  says([](TrainOptions& o) { o.architecture.score = "additive"; }, "needs a dot product");

  TrainOptions o = guided("files");
  o.guided_alignment = at("none");
  EXPECT_THAT(what_of<DataError>([&] { prepare_data(o); }), HasSubstr("none"));
  std::ofstream(at("short")) << "0-0\n";
  o.guided_alignment = at("short");
  EXPECT_THAT(what_of<DataError>([&] { prepare_data(o); }), HasSubstr("short has 1 line of links, but"));
  std::string links = read_file(at("links"));
  std::ofstream(at("out")) << "7-0" << links.substr(links.find('\n'));
  o.guided_alignment = at("out");
  EXPECT_THAT(what_of<DataError>([&] { prepare_data(o); }),
              HasSubstr("out line 1: the link 7-0 leads out of the pair"));
}

}  // namespace
}  // namespace hexapla::train
