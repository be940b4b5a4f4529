#include "lab/bench/text_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "evaluate/metrics/bootstrap.h"
#include "evaluate/metrics/make_metric.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "lab/bench/found_once.h"
#include "lab/bench/training.h"
#include "lab/seconds.h"
#include "lab/spread.h"
#include "text/quantities.h"
#include "train/loop/trainer.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::lab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int64_t kTokens = 2048;  // target tokens per batch in a short training
constexpr int64_t kProbe = 30;     // updates that are timed

train::TrainOptions text_options(const Settings& s) {
  train::TrainOptions o = train::preset_options(s.preset);
  o.train_sets = s.train_sets;
  o.valid_sets = s.valid_sets;
  o.model = s.folder + "/text";
  return o;
}

train::TrainingData read(const Settings& s) {
  std::error_code error;
  fs::create_directories(s.folder + "/text", error);
  train::TrainingData data = train::prepare_data(text_options(s));
  data.lock = nullptr;  // each training has its own folder
  return data;
}

// Settings are equal if one run could resume the other; the folder's name does not matter.
json text_settings(train::TrainOptions o, const train::TrainingData& data) {
  o.model.clear();
  return {{"options", train::dump_options(o)}, {"data", data.identity}};
}

// Disables validation during training: the model is tested here.
train::TrainOptions unvalidated(train::TrainOptions o) {
  o.valid_every = "1000000000";  // never
  return o;
}

json json_of_text(const TextResult& r) {
  json j = {{"failed", r.failed}, {"seconds", r.seconds}};
  if (!r.failed) j["loss"] = r.loss, j["parameters"] = r.parameters, j["translations"] = r.translations;
  return j;
}

TextResult text_result(const json& j, const std::string& folder) {
  try {
    TextResult r{.failed = j.at("failed"), .seconds = j.at("seconds")};
    if (!r.failed)
      r.loss = j.at("loss"), r.parameters = j.at("parameters"),
      r.translations = j.at("translations").get<std::vector<std::string>>();
    return r;
  } catch (const json::exception& e) {
    throw unreadable(folder, e.what());
  }
}

// Times updates only, excluding preparation before the first.
class Pace : public train::TrainWatcher {
 public:
  void started(const train::TrainStart&) override { began_ = Clock::now(); }
  void updated(const train::TrainReport& r) override { updates_ = r.update, ended_ = Clock::now(); }
  double seconds_per_update() const {
    return std::chrono::duration<double>(ended_ - began_).count() / static_cast<double>(std::max<int64_t>(1, updates_));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_{}, ended_{};
  int64_t updates_ = 0;
};

std::unique_ptr<evaluate::Metric> bleu(const std::string& tokenizer) {
  return evaluate::make_metric("bleu", {.tokenize = tokenizer});
}

}  // namespace

TextBench::TextBench(const Settings& settings, Watcher& watcher)
    : settings_(settings), watcher_(watcher), data_(read(settings)) {}

train::TrainOptions TextBench::options(int64_t updates) const {
  train::TrainOptions o = text_options(settings_);
  o.model.clear();
  if (updates < o.max_updates / 4) {  // prefers more updates to larger batches
    o.batch_tokens = std::min(o.batch_tokens, kTokens);
    o.accumulate = 1;
  }
  o.max_updates = updates;
  o.warmup = std::clamp<int64_t>(updates / 4, 1, o.warmup);
  o.average_last = 0;
  o.precision = "f32";
  o.save_every = cat(updates);
  o.report_every = cat(std::max<int64_t>(1, updates / 20));
  return o;
}

TextResult TextBench::train(const std::string& name, train::TrainOptions o) const {
  o.model = settings_.folder + "/" + name;
  return text_result(found_once(o.model, text_settings(o, data_), [&] { return json_of_text(measure(o)); }), o.model);
}

double TextBench::seconds_per_update(const std::string& name, train::TrainOptions o) const {
  o.model = settings_.folder + "/" + name;
  o.max_updates = kProbe;
  o.save_every = cat(2 * kProbe);  // never, so that only updates are timed
  return found_once(o.model, text_settings(o, data_), [&] {
    Pace pace;
    finishes(unvalidated(o), data_, watcher_.stop(), pace);
    return json(pace.seconds_per_update());
  });
}

TextResult TextBench::measure(const train::TrainOptions& o) const {
  TextResult r;
  r.seconds = seconds_of([&] { r.failed = !finishes(unvalidated(o), data_, watcher_.stop()); });
  if (r.failed) return r;
  const decode::OpenModel m = decode::open_model(o.model);
  r.loss = Bench::loss(m, {data_.valid_source, data_.valid_reference});
  r.parameters = m.file.parameters->count();
  for (const auto& found : m.translator().translate(data_.valid_source, {}))
    r.translations.push_back(found.front().text);
  return r;
}

BleuTable::BleuTable(std::vector<std::string> references) : tokenizer_(evaluate::tokenizer_for(references).name) {
  references_.push_back(std::move(references));
}

BleuTable::Bleu BleuTable::of(const std::vector<std::string>& translations) const {
  const auto metric = bleu(tokenizer_);
  const auto sentences = evaluate::sentence_statistics(*metric, translations, references_);
  return {metric->score(evaluate::sum(sentences)),
          evaluate::confidence_interval(evaluate::resampled_scores(*metric, sentences, {})).half_width};
}

void add(const TextResult& one, const BleuTable& table, nlohmann::ordered_json which, SeedScores& found, Report& r) {
  which["failed"] = one.failed;
  which["seconds"] = one.seconds;
  if (one.failed) {
    ++found.failed;
  } else {
    const BleuTable::Bleu bleu = table.of(one.translations);
    if (found.losses.empty()) found.bleu = bleu;
    found.losses.push_back(one.loss);
    found.scores.push_back(bleu.score);
    which["loss"] = one.loss;
    which["bleu"] = bleu.score;
    which["bleu_half_width"] = bleu.half_width;
  }
  r.figures["trained"].push_back(std::move(which));
}

std::string show_bleu(const SeedScores& found) {
  return found.scores.size() == 1 ? fmt::format("{:.1f} ± {:.1f}", found.bleu.score, found.bleu.half_width)
                                  : show(spread_of(found.scores), 1);
}

void add_if_too_short(const std::string& which, double bleu, int64_t updates, Report& r) {
  if (bleu >= 20) return;
  r.findings.push_back(fmt::format(
      "After {} {} has a BLEU of {:.1f}: it hardly translates yet, so these results predict a full training poorly. "
      "Give more --minutes or --updates.",
      text::counted(updates, "update"), which, bleu));
}

}  // namespace hexapla::lab
