#include "lab/bench/sampled_input.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "data/batches/batch.h"
#include "lab/bench/found_once.h"
#include "lab/bench/small_loop.h"
#include "model/weights/model_file.h"

namespace hexapla::lab {
namespace {

using nlohmann::json;

constexpr data::Batching kBatching{.batch_tokens = 512, .max_length = 64};

model::BatchView view(const data::Batch& b) {
  return {b.source, b.target_in, b.target_out, b.source_offsets, b.target_offsets};
}

class InputRun {
 public:
  InputRun(const SampledInput& t, const Task& task, const text::Vocabulary& v)
      : training_(t),
        vocabulary_(v),
        examples_(data::encode_corpus(task.train, v, v, kBatching.max_length).examples),
        tests_(data::encode_corpus(task.test, v, v, kBatching.max_length).examples),
        net_(architecture(v)),
        loop_(net_, t.seed),
        random_(t.seed, 1) {}

  void train(const Watcher& watcher) {
    data::Plan plan;
    size_t next = 0;
    data::Batching batching = kBatching;
    batching.seed = training_.seed;
    for (int64_t step = 1, epoch = 0; step <= training_.updates; ++step) {
      go_on(watcher);
      if (next == plan.size()) plan = data::plan_epoch(examples_, batching, epoch++), next = 0;
      const double share = training_.own * static_cast<double>(step) / static_cast<double>(training_.updates);
      update(step, data::make_batch(vocabulary_, examples_, plan[next++]), share);
    }
  }

  // Accuracy after changing one digit of each unseen date, and at the same positions unchanged.
  void test(Forced& result) {
    std::vector<int32_t> all(tests_.size());
    std::iota(all.begin(), all.end(), 0);
    const data::Batch right = data::make_batch(vocabulary_, tests_, all);
    data::Batch wrong = right;
    std::vector<size_t> behind;  // rows
    for (size_t s = 0; s + 1 < right.target_offsets.size(); ++s) {
      const auto begin = static_cast<size_t>(right.target_offsets[s]),
                 end = static_cast<size_t>(right.target_offsets[s + 1]);
      const size_t at = change_a_digit(wrong, begin, end);
      for (size_t row = at; row < end; ++row) behind.push_back(row);
    }
    result.after_right = right_share(right, behind);
    result.after_wrong = right_share(wrong, behind);
  }

  void save(const std::string& file) { model::save_model(file, net_, {vocabulary_.bytes(), vocabulary_.bytes()}, {}); }

 private:
  static model::Config architecture(const text::Vocabulary& v) {
    model::Config c = Bench::small();
    c.source_vocab = c.target_vocab = v.size();
    c.resolve();
    return c;
  }

  void update(int64_t step, data::Batch b, double share) {
    if (share > 0) read_own_tokens(b, share);
    Context& cx = loop_.begin();
    net_.loss_and_gradient(cx, view(b), 0, 1 / static_cast<double>(b.target_tokens()), saved_);
    loop_.update(step);
  }

  // The model's most probable token at every position for this input.
  std::vector<int32_t> predicted(const data::Batch& b) {
    const Tensor p = net_.log_probabilities(loop_.look(), view(b), saved_);
    const int64_t width = p.shape[1];
    std::vector<int32_t> best;
    for (const float* row = p.data<float>(); row < p.data<float>() + p.shape[0] * width; row += width)
      best.push_back(static_cast<int32_t>(std::max_element(row, row + width) - row));
    return best;
  }

  // The first pass reads the correct tokens; the second one's input is drawn from its predictions.
  void read_own_tokens(data::Batch& b, double share) {
    const std::vector<int32_t> best = predicted(b);
    for (size_t s = 0; s + 1 < b.target_offsets.size(); ++s)
      for (auto row = static_cast<size_t>(b.target_offsets[s]) + 1; row < static_cast<size_t>(b.target_offsets[s + 1]);
           ++row)
        if (random_.uniform() < share && best[row - 1] != vocabulary_.eos()) b.target_in[row] = best[row - 1];
  }

  bool is_digit(int32_t id) const {
    const std::string piece = vocabulary_.piece(id);
    return piece.size() == 1 && piece[0] >= '0' && piece[0] <= '9';
  }

  // -> its row
  size_t change_a_digit(data::Batch& b, size_t begin, size_t end) {
    std::vector<size_t> digits;
    for (size_t row = begin; row < end; ++row)
      if (is_digit(b.target_in[row])) digits.push_back(row);
    if (digits.empty()) throw InternalError("a date without digits");
    const size_t at = digits[random_.below(static_cast<uint32_t>(digits.size()))];
    const char other =
        static_cast<char>('0' + (vocabulary_.piece(b.target_in[at])[0] - '0' + 1 + random_.below(9)) % 10);
    for (int32_t id = 0; id < vocabulary_.size(); ++id)
      if (vocabulary_.piece(id) == std::string(1, other)) b.target_in[at] = id;
    return at;
  }

  double right_share(const data::Batch& b, const std::vector<size_t>& rows) {
    const std::vector<int32_t> best = predicted(b);
    const auto right =
        std::count_if(rows.begin(), rows.end(), [&](size_t row) { return best[row] == b.target_out[row]; });
    return static_cast<double>(right) / static_cast<double>(rows.size());
  }

  const SampledInput& training_;
  const text::Vocabulary& vocabulary_;
  std::vector<data::Example> examples_, tests_;
  model::Transformer net_;
  SmallLoop loop_;
  Random random_;
  model::Transformer::Saved saved_;
};

json input_settings(const SampledInput& t) {
  return {{"own", t.own},
          {"updates", t.updates},
          {"seed", t.seed},
          {"architecture", parse_json(Bench::small().to_json(), "a configuration")}};
}

json measure_input(const SampledInput& t, const Bench& bench, const std::string& folder, const Watcher& watcher) {
  const auto began = std::chrono::steady_clock::now();
  InputRun run(t, bench.task(), bench.vocabulary());
  run.train(watcher);
  Forced r;
  run.test(r);
  run.save(folder + "/model.safetensors");
  const Scores scores = Bench::test(decode::open_model(folder), bench.task().test);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return {{"loss", scores.loss},
          {"accuracy", scores.accuracy},
          {"seconds", seconds},
          {"after_right", r.after_right},
          {"after_wrong", r.after_wrong}};
}

}  // namespace

Forced train_with_own_tokens(const SampledInput& t, const Bench& bench, const std::string& parent,
                             const Watcher& watcher) {
  const std::string folder = parent + "/" + t.name;
  const json found = found_once(folder, input_settings(t), [&] { return measure_input(t, bench, folder, watcher); });
  try {
    Forced r;
    r.loss = found.at("loss"), r.accuracy = found.at("accuracy"), r.seconds = found.at("seconds");
    r.after_right = found.at("after_right"), r.after_wrong = found.at("after_wrong");
    r.failed = !std::isfinite(r.loss);
    return r;
  } catch (const json::exception& e) {
    throw unreadable(folder, e.what());
  }
}

}  // namespace hexapla::lab
