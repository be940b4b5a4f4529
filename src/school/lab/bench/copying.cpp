#include "lab/bench/copying.h"

#include <chrono>
#include <cmath>

#include "lab/bench/small_loop.h"
#include "model/encoder.h"

namespace hexapla::lab {
namespace {

constexpr int64_t kTestBatches = 8;

// The output layer is the transposed embedding table.
struct Copier {
  model::Embedding embedding;
  model::Encoder encoder;

  explicit Copier(const model::Config& c) : embedding(model::make_embedding(c, c.source_vocab)), encoder(c) {}
  void visit(auto&& f) {
    f("embedding", embedding);
    f("encoder", encoder);
  }
};

// asked: rows that have a symbol `distance` tokens before them; labels: that symbol.
struct Batch {
  std::vector<int32_t> ids, rows{0}, asked, labels;
};

Batch draw(Random& random, const Copying& task) {
  Batch b;
  for (int64_t s = 0; s < Copying::kSentences; ++s) {
    for (int64_t t = 0; t < Copying::kLength; ++t) {
      const auto at = static_cast<int32_t>(b.ids.size());
      b.ids.push_back(static_cast<int32_t>(random.below(Copying::kSymbols)));
      if (t < task.distance) continue;
      b.asked.push_back(at);
      b.labels.push_back(b.ids[at - task.distance]);
    }
    b.rows.push_back(static_cast<int32_t>(b.ids.size()));
  }
  return b;
}

Tensor ids_of(const std::vector<int32_t>& ids) { return Tensor::of(ids.data(), {int64_t(ids.size())}); }

class CopyingRun {
 public:
  explicit CopyingRun(const Copying& task) : task_(task), net_(task.architecture), loop_(net_, task.seed) {}

  void update(int64_t step) {
    Context& cx = loop_.begin();
    const Batch b = draw(random_, task_);
    const Tensor x = forward(cx, b), asked = embed(cx, x, ids_of(b.asked), 1);
    const LossInput in{asked, net_.embedding.table.as_transposed_weight(), {}, ids_of(b.labels),
                       0,     1 / static_cast<double>(b.asked.size())};
    const LossGradient g = cross_entropy_with_gradient(cx, in, net_.embedding.table.grad.transposed(), {});
    const Tensor d = cx.scratch(x.shape);
    fill(cx, d, 0);
    embed_backward(cx, g.d, ids_of(b.asked), 1, d);
    net_.encoder.backward(cx, net_.embedding, saved_, d);
    loop_.update(step);
  }

  Scores test() {
    Random random(task_.seed, 1);  // unseen in training
    Scores sum;
    double asked = 0;
    for (int64_t i = 0; i < kTestBatches; ++i) {
      Context& cx = loop_.look();
      const Batch b = draw(random, task_);
      const Tensor x = embed(cx, forward(cx, b), ids_of(b.asked), 1);
      const Top best =
          log_softmax_top(cx, linear(cx, x, net_.embedding.table.as_transposed_weight(), {}), Copying::kSymbols);
      for (size_t n = 0; n < b.labels.size(); ++n) add(best, static_cast<int64_t>(n), b.labels[n], sum);
      asked += static_cast<double>(b.labels.size());
    }
    return {sum.loss / asked, sum.accuracy / asked};
  }

 private:
  Tensor forward(Context& cx, const Batch& b) {
    return net_.encoder.forward(cx, net_.embedding, ids_of(b.ids), b.rows, saved_);
  }

  static void add(const Top& best, int64_t row, int32_t label, Scores& to) {
    const int32_t* ids = best.ids.data<int32_t>() + row * Copying::kSymbols;
    const auto place = std::find(ids, ids + Copying::kSymbols, label) - ids;
    to.loss -= best.scores.data<float>()[row * Copying::kSymbols + place];
    to.accuracy += place == 0;
  }

  const Copying& task_;
  Copier net_;
  SmallLoop loop_;
  model::Encoder::Saved saved_;
  Random random_{task_.seed};
};

nlohmann::json copying_settings(const Copying& task) {
  return {{"architecture", parse_json(task.architecture.to_json(), "a configuration")},
          {"distance", task.distance},
          {"updates", task.updates},
          {"seed", task.seed}};
}

}  // namespace

Result copy_at_distance(const Copying& task, const std::string& folder, const Watcher& watcher) {
  return once(folder, copying_settings(task), [&] {
    const auto began = std::chrono::steady_clock::now();
    CopyingRun run(task);
    for (int64_t step = 1; step <= task.updates; ++step) {
      go_on(watcher);
      run.update(step);
    }
    Result r;
    static_cast<Scores&>(r) = run.test();
    r.failed = !std::isfinite(r.loss);
    r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return r;
  });
}

}  // namespace hexapla::lab
