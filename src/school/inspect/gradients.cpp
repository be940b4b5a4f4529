#include "inspect/gradients.h"

#include <cmath>

#include "backend/on_host.h"
#include "inspect/attention_steps.h"
#include "inspect/parameters_apart.h"
#include "model/pass_memory.h"

namespace hexapla::inspect {
namespace {

class GradientRecorder : public Observer {
 public:
  explicit GradientRecorder(Recorder& to) : to_(to) {}
  void observe(const std::string&, Tensor, Offsets) override {}
  void observe_attention(const std::string&, int64_t, Tensor, Tensor) override {}
  void observe_gradient(const std::string& name, Tensor gradient) override {
    to_.add("gradient." + name, recorded(gradient));
  }

 private:
  Recorder& to_;
};

// A model's values with its own gradients, initially 0.
struct Trainable {
  model::Transformer net;
  Arena gradients;

  Trainable(Backend& backend, const model::Transformer& of) : net(of), gradients(make_arena(backend, bytes_of(net))) {
    model::for_each<model::Parameter>(net, [&](const std::string&, model::Parameter& p) {
      const DType dtype = p.value.dtype;
      p.grad = Tensor(gradients.keep(p.shape.size() * size_of(dtype)), p.shape, dtype);
    });
    model::for_each<model::Buffer>(net, [](const std::string&, model::Buffer& b) { b.frozen = true; });
  }

 private:
  static size_t bytes_of(model::Transformer& net) {
    size_t bytes = 64;
    model::for_each<model::Parameter>(net, [&](const std::string&, const model::Parameter& p) {
      bytes += p.shape.size() * size_of(p.value.dtype) + 64;
    });
    return bytes;
  }
};

// d(loss) / d(logits) = softmax(logits) - one-hot(label): the loss op computes its input's
// derivative directly.
void add_generator_gradients(Recorder& seen, const text::Ids& labels) {
  const Recorded& log_p = seen.get("generator.log_probabilities");
  Recorded d_log_p{log_p.shape, DType::f64, std::vector<double>(log_p.values.size(), 0)};
  for (size_t t = 0; t < labels.size(); ++t) d_log_p.values[t * log_p.shape[1] + labels[t]] = -1;
  Recorded d_logits = d_log_p;
  for (size_t i = 0; i < log_p.values.size(); ++i) d_logits.values[i] += std::exp(log_p.values[i]);
  seen.add("gradient.generator.log_probabilities", d_log_p);
  seen.add("gradient.generator.logits", d_logits);
}

// BatchNorm's gain and bias, which get no derivative in the frozen backward pass.
bool has_no_gradient(const std::string& name, const model::Config& c) {
  return c.norm == "batch" && name.find("norm") != name.npos && name.find("input.norm") == name.npos;
}

struct PairLengths {
  int64_t source, target;  // tokens, both with </s>
};

std::optional<PairLengths> half_of(const PairLengths& pair) {
  const PairLengths half{(pair.source + 1) / 2, (pair.target + 1) / 2};
  if (half.source == pair.source) return {};
  return half;
}

size_t step_memory(const model::Transformer& net, const PairLengths& pair) {
  return model::pass_memory(pair, half_of, [&](Context& cx, const PairLengths& lengths) {
    const text::Ids source(static_cast<size_t>(lengths.source)), target(static_cast<size_t>(lengths.target));
    const std::vector<int32_t> source_rows{0, static_cast<int32_t>(lengths.source)},
        target_rows{0, static_cast<int32_t>(lengths.target)};
    model::Transformer::Saved saved;
    cx.training = true;
    net.loss_and_gradient(cx, {source, target, target, source_rows, target_rows}, 0, 0, saved);
  });
}

// The memory of a step, and of the additional tensors shown to the observer.
size_t memory_to_derive(const model::Transformer& net, const model::BatchView& batch, DType dtype) {
  const int64_t n = std::ssize(batch.source), m = std::ssize(batch.target_in);
  const int64_t longest = std::max(n, m), d = net.config.d_model;
  const size_t shown = 2 * net.config.heads * longest * longest * sizeof(double) + 2 * longest * d * size_of(dtype);
  return step_memory(net, {n, m}) * size_of(dtype) / size_of(DType::f32) + shown + (size_t{1} << 16);
}

}  // namespace

void add_gradients(Inspection& inspection, Backend& backend, const model::Transformer& model, const Pair& pair) {
  Trainable trainable(backend, model);
  const std::vector<int32_t> source_rows{0, static_cast<int32_t>(pair.source.size())};
  const std::vector<int32_t> target_rows{0, static_cast<int32_t>(inspection.target_in.size())};
  const model::BatchView batch{pair.source, inspection.target_in, inspection.target_out, source_rows, target_rows};
  const DType dtype = model.target_embedding().table.value.dtype;
  Arena arena = make_arena(backend, memory_to_derive(trainable.net, batch, dtype));
  Context cx{backend, arena, dtype};
  GradientRecorder recorder(inspection.seen);
  cx.observer = &recorder;
  model::Transformer::Saved saved;
  const model::LossSums sums = trainable.net.loss_and_gradient(cx, batch, 0, 1, saved);

  inspection.seen.add("loss", {{1}, DType::f64, {sums.loss}});
  add_generator_gradients(inspection.seen, inspection.target_out);
  add_attention_gradients(inspection.seen, model.config);
  model::for_each<model::Parameter>(trainable.net, [&](const std::string& name, const model::Parameter& p) {
    if (has_no_gradient(name, model.config)) return;
    for (const Part& part : parts_of(name, p.grad, model.config))
      inspection.seen.add("gradient." + part.name, recorded(OnHost(backend, part.values)));
  });
}

}  // namespace hexapla::inspect
