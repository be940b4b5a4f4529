#include "lab/bench/training.h"

#include <algorithm>
#include <filesystem>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/hash.h"
#include "lab/bench/found_once.h"
#include "lab/seconds.h"
#include "model/weights/model_file.h"
#include "train/loop/trainer.h"

namespace hexapla::lab {
namespace {

using nlohmann::json;

// A joint, case-insensitive vocabulary in which each digit is a piece.
train::TrainingData training_data(const Task& task) {
  const data::Corpus& c = task.train;
  std::vector<std::string> text(c.source.begin(), c.source.begin() + std::min<int64_t>(c.size(), 5000));
  text.insert(text.end(), c.target.begin(), c.target.begin() + std::ssize(text));
  const text::Vocabulary v =
      text::Vocabulary::train(text, {.size = task.pieces, .normalization = "nmt_nfkc_cf", .split_digits = true});
  train::TrainingData data{.pairs = {data::store_examples(data::encode_corpus(c, v, v, task.longest).examples), v, v}};
  data.identity["training data"] = hash_hex(v.bytes());
  return data;
}

train::TrainOptions options_of(const Training& t, const Task& task, const std::string& folder) {
  train::TrainOptions o;
  o.train_sets = {task.name, task.name};  // in memory; the names appear in messages
  o.model = folder;
  o.architecture = t.architecture;
  o.seed = t.seed;
  o.max_updates = t.updates;
  o.warmup = t.warmup;
  o.lr = t.lr;
  o.batch_tokens = 512;
  o.max_length = task.longest;
  o.label_smoothing = t.label_smoothing;
  o.precision = "f32";
  o.save_every = cat(t.updates);
  o.report_every = cat(std::max<int64_t>(1, t.updates / 10));
  return o;
}

json settings_of(const Training& t) {
  return {{"architecture", parse_json(t.architecture.to_json(), "a configuration")},
          {"seed", t.seed},
          {"updates", t.updates},
          {"warmup", t.warmup},
          {"lr", t.lr},
          {"label_smoothing", t.label_smoothing}};
}

json json_of_result(const Result& r) {
  json j = {{"failed", r.failed}, {"seconds", r.seconds}};
  if (!r.failed) j["loss"] = r.loss, j["accuracy"] = r.accuracy;
  return j;
}

Result result_of(const json& j, const std::string& folder) {
  try {
    Result r;
    r.failed = j.at("failed");
    r.seconds = j.at("seconds");
    if (!r.failed) r.loss = j.at("loss"), r.accuracy = j.at("accuracy");
    return r;
  } catch (const json::exception& e) {
    throw unreadable(folder, e.what());
  }
}

}  // namespace

void record(nlohmann::ordered_json which, const Result& result, Report& report) {
  which["failed"] = result.failed;
  which["loss"] = result.loss;
  which["accuracy"] = result.accuracy;
  which["seconds"] = result.seconds;
  report.figures["trained"].push_back(std::move(which));
}

model::Config Bench::small() {
  model::Config c;
  c.enc_layers = c.dec_layers = 2;
  c.d_model = 64;
  c.d_ff = 128;
  c.heads = 4;
  c.dropout = 0;
  return c;
}

Bench::Bench(const Settings& settings, Watcher& watcher, Task task)
    : folder_(settings.folder), watcher_(watcher), task_(std::move(task)), data_(training_data(task_)) {}

std::string Bench::folder_of(const Training& t) const { return folder_ + "/" + t.name; }

bool finishes(const train::TrainOptions& options, const train::TrainingData& data, const std::atomic<bool>& stop) {
  train::TrainWatcher nobody;
  return finishes(options, data, stop, nobody);
}

bool finishes(const train::TrainOptions& options, const train::TrainingData& data, const std::atomic<bool>& stop,
              train::TrainWatcher& watcher) {
  const auto backend = make_cpu_backend(Precision::f32);
  train::TrainOptions o = options;
  o.threads = threads();  // the experiment's threads; the default would be all
  try {
    const train::TrainResult result = train::train(o, data, *backend, watcher, stop);
    if (result.end == train::TrainEnd::interrupted) throw Canceled("stopped; what is finished is kept");
    train::require_whole(result);
  } catch (const train::FailedStep&) {
    return false;
  }
  return true;
}

Result once(const std::string& folder, const json& settings, const std::function<Result()>& measure) {
  return result_of(found_once(folder, settings, [&] { return json_of_result(measure()); }), folder);
}

Result Bench::train(const Training& t) const {
  return once(folder_of(t), settings_of(t), [&] { return measure(t); });
}

Result Bench::measure(const Training& t) const {
  Result r;
  r.seconds = seconds_of([&] { r.failed = !finishes(options_of(t, task_, folder_of(t)), data_, watcher_.stop()); });
  if (!r.failed) static_cast<Scores&>(r) = test(open(t), task_.test);
  return r;
}

decode::OpenModel Bench::open(const Training& t) const { return decode::open_model(folder_of(t)); }

decode::OpenModel Bench::untrained(const Training& t) const {
  model::Config c = t.architecture;
  c.source_vocab = c.target_vocab = vocabulary().size();
  c.resolve();
  model::Transformer net(c);
  const model::Parameters memory(net, DType::f32, model::Parameters::Use::inference);
  model::initialize(net, t.seed, train::TrainOptions().init_gain);
  std::error_code error;
  std::filesystem::create_directories(folder_of(t), error);
  model::save_model(folder_of(t) + "/model.safetensors", net, {vocabulary().bytes(), vocabulary().bytes()}, {});
  return open(t);
}

double Bench::loss(const decode::OpenModel& m, const data::Corpus& pairs) {
  double loss = 0;
  int64_t tokens = 0;
  for (const decode::TextScore& s : m.scorer().score(pairs.source, pairs.target, {})) {
    loss -= s.score;
    tokens += s.tokens;
  }
  return loss / static_cast<double>(tokens);
}

inspect::Inspection Bench::look(const decode::OpenModel& m, const data::Corpus& pairs, size_t i) {
  inspect::Pair pair{m.source.encode(pairs.source[i]), m.target.encode(pairs.target[i])};
  m.source.end_source(pair.source);
  return inspect::inspect_pair(*m.backend, *m.file.net, pair, m.target.bos(), m.target.eos());
}

Scores Bench::test(const decode::OpenModel& m, const data::Corpus& pairs) {
  decode::TranslateOptions how;
  how.search.beam_size = 1;
  const auto found = m.translator().translate(pairs.source, how);
  int64_t right = 0;
  for (size_t i = 0; i < found.size(); ++i) right += found[i].front().text == pairs.target[i];
  return {loss(m, pairs), static_cast<double>(right) / static_cast<double>(found.size())};
}

}  // namespace hexapla::lab
