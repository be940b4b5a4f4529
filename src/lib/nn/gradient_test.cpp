// Checks every backward of hexapla/nn.h against finite differences of its forward, using only that
// header.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "lib/nn/test_nn.h"

namespace hexapla::api {
namespace {

using nn::Tensor;
using nn::Workspace;
using test::Matrix;

// Values that the loss depends on, and their gradient from backward.
struct Checked {
  std::string name;
  float* values;
  std::vector<float> gradient;
};

double norm(const std::vector<double>& x) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  return std::sqrt(squares);
}

// The four-point difference. The step h is large because the loss is a sum of f32: rounding errors
// are about 1e-6 / h, truncation errors h^4.
double derivative(float& x, const std::function<double()>& loss) {
  constexpr float h = 1.f / 64;
  const float at = x;
  const auto shifted = [&](float by) {
    x = at + by;
    return loss();
  };
  const double d = (shifted(-2 * h) - 8 * shifted(-h) + 8 * shifted(h) - shifted(2 * h)) / (12 * h);
  x = at;
  return d;
}

void compare(std::vector<Checked>& all, const std::function<double()>& loss) {
  ASSERT_FALSE(all.empty());
  for (Checked& c : all) {
    std::vector<double> numeric, difference;
    for (size_t i = 0; i < c.gradient.size(); ++i) {
      numeric.push_back(derivative(c.values[i], loss));
      difference.push_back(c.gradient[i] - numeric.back());
    }
    EXPECT_LT(norm(difference), 2e-3 * std::max(norm(numeric), 0.5)) << c.name;
  }
}

// A layer with its inputs; the loss is a weighted sum of its output.
class Bench {
 public:
  using Inputs = std::vector<Tensor>;
  std::function<Tensor(Workspace&, const Inputs&)> forward;
  std::function<Inputs(Workspace&, const Tensor& dy)> backward;

  explicit Bench(nn::Layers layers) : layers_(std::move(layers)) {
    nn::initialize(layers_, 3);
    Random random(4);
    for (nn::Layer* layer : layers_)
      for (const nn::Parameter& p : layer->parameters())  // avoids gains of 1 and biases of 0
        for (size_t i = 0; p.gradients && i < p.size; ++i) p.values[i] += 0.2f * static_cast<float>(random.normal());
  }
  void input(int64_t rows, int64_t columns) {
    inputs_.push_back(test::random_matrix(rows, columns, 10 + inputs_.size()));
  }

  // Checks passes for training and for inference.
  void check() {
    for (const bool training : {true, false}) {
      training_ = training;
      nn::clear_gradients(layers_);
      check_pass();
    }
  }

 private:
  void check_pass() {
    const Tensor y = output();
    weights_ = test::random_matrix(y.rows(), y.columns(), 5);
    const Inputs gradients = backward(work_, test::put(work_, weights_));
    ASSERT_EQ(gradients.size(), inputs_.size());
    std::vector<Checked> all;
    for (size_t i = 0; i < inputs_.size(); ++i)
      all.push_back({"input " + std::to_string(i), inputs_[i].values.data(), test::numbers(gradients[i])});
    for (nn::Layer* layer : layers_)
      for (const nn::Parameter& p : layer->parameters())
        if (p.gradients) all.push_back({p.name, p.values, {p.gradients, p.gradients + p.size}});
    compare(all, [&] { return loss(); });
  }
  Tensor output() {
    work_.begin();
    if (training_) work_.begin_training(7, 2);
    Inputs given;
    for (const Matrix& m : inputs_) given.push_back(test::put(work_, m));
    return forward(work_, given);
  }
  double loss() {
    const Tensor y = output();
    double sum = 0;
    for (size_t i = 0; i < weights_.values.size(); ++i) sum += double(weights_.values[i]) * y.data()[i];
    return sum;
  }

  nn::Layers layers_;
  std::vector<Matrix> inputs_;
  Matrix weights_{};
  Workspace work_{size_t{64} << 20};
  bool training_ = true;
};

// Checks a layer that processes each row independently.
template <class Layer>
void check_rows(Layer layer, int64_t width) {
  Bench b({&layer});
  b.input(10, width);
  b.forward = [&](Workspace& w, const Bench::Inputs& in) { return layer.forward(w, in[0]); };
  b.backward = [&](Workspace& w, const Tensor& dy) { return Bench::Inputs{layer.backward(w, dy)}; };
  b.check();
}

// Avoids relu, whose kink breaks finite differences.
Options small_architecture(const Options& more = {}) {
  Options all = more;
  all.insert({{"dim_model", 6},
              {"dim_ff", 8},
              {"heads", 2},
              {"dim_key", 3},
              {"dim_value", 4},
              {"enc_layers", 2},
              {"dec_layers", 2},
              {"dropout", 0.2},
              {"activation", "gelu"}});
  return all;
}

TEST(NnGradients, Linear) {
  check_rows(nn::Linear(7, 5), 7);
  check_rows(nn::Linear(7, 5, false), 7);
}
TEST(NnGradients, LayerNorm) { check_rows(nn::LayerNorm(6), 6); }
TEST(NnGradients, Dropout) { check_rows(nn::Dropout(0.4), 6); }
TEST(NnGradients, FeedForward) {
  for (const char* activation : {"gelu", "swish", "gelu-tanh"})
    for (const bool gated : {false, true})
      check_rows(nn::FeedForward(
                     small_architecture({{"activation", activation}, {"gated", gated}, {"activation_dropout", 0.2}})),
                 6);
}
TEST(NnGradients, GeneratorsLogits) { check_rows(nn::Generator(6, 11), 6); }

void check_embedding(const Options& more) {
  nn::Embedding embedding(9, small_architecture(more));
  Bench b({&embedding});
  b.forward = [&](Workspace& w, const Bench::Inputs&) {
    return embedding.forward(w, {3, 1, 3, 8, 0, 2, 7, 4, 5, 6}, test::kRows);
  };
  b.backward = [&](Workspace& w, const Tensor& dy) {
    embedding.backward(w, dy);
    return Bench::Inputs{};
  };
  b.check();
}
TEST(NnGradients, Embedding) { check_embedding({}); }
TEST(NnGradients, EmbeddingWithLearnedPositionsAndNorm) {
  check_embedding({{"positions", "learned"}, {"max_positions", 5}, {"embedding_norm", true}});
}

// The table is a parameter only of the embedding; both layers add to its gradient.
TEST(NnGradients, GeneratorTiedToAnEmbedding) {
  nn::Embedding embedding(9, small_architecture());
  nn::Generator generator(embedding, true);
  EXPECT_EQ(generator.parameters().size(), 1u);
  Bench b({&embedding, &generator});
  b.forward = [&](Workspace& w, const Bench::Inputs&) {
    return generator.forward(w, embedding.forward(w, {3, 1, 3, 8, 0, 2, 7, 4, 5, 6}, test::kRows));
  };
  b.backward = [&](Workspace& w, const Tensor& dy) {
    embedding.backward(w, generator.backward(w, dy));
    return Bench::Inputs{};
  };
  b.check();
}

TEST(NnGradients, SelfAttention) {
  for (const bool causal : {false, true})
    for (const char* score : {"scaled-dot", "additive"}) {
      nn::MultiHeadAttention attention(
          small_architecture({{"score", score}, {"attention_dropout", 0.2}, {"attention_bias", true}}));
      Bench b({&attention});
      b.input(10, 6);
      b.forward = [&](Workspace& w, const Bench::Inputs& in) {
        return attention.forward(w, {in[0], in[0], in[0], test::kRows, test::kRows, causal, {}});
      };
      b.backward = [&](Workspace& w, const Tensor& dy) { return Bench::Inputs{attention.backward(w, dy).query}; };
      b.check();
    }
}

TEST(NnGradients, AttentionOverAMemory) {
  nn::MultiHeadAttention attention(small_architecture());
  Bench b({&attention});
  b.input(10, 6);
  b.input(9, 6);
  b.forward = [&](Workspace& w, const Bench::Inputs& in) {
    return attention.forward(w, {in[0], in[1], in[1], test::kRows, test::kMemoryRows, false, {}});
  };
  b.backward = [&](Workspace& w, const Tensor& dy) {
    const nn::AttentionGradients d = attention.backward(w, dy);
    EXPECT_EQ(d.key.data(), d.value.data());
    return Bench::Inputs{d.query, d.key};
  };
  b.check();
}

TEST(NnGradients, AttentionOfThreeInputsAndAMask) {
  nn::MultiHeadAttention attention(small_architecture());
  Bench b({&attention});
  b.input(10, 6);
  b.input(9, 6);
  b.input(9, 6);
  Matrix mask = test::random_matrix(10, 4, 20);
  mask.values[2 * 4 + 1] = -INFINITY;
  b.forward = [&](Workspace& w, const Bench::Inputs& in) {
    return attention.forward(w, {in[0], in[1], in[2], test::kRows, test::kMemoryRows, false, test::put(w, mask)});
  };
  b.backward = [&](Workspace& w, const Tensor& dy) {
    const auto [query, key, value] = attention.backward(w, dy);
    return Bench::Inputs{query, key, value};
  };
  b.check();
}

template <class Layer>
void check_encoder(const Options& more) {
  Layer layer(small_architecture(more));
  Bench b({&layer});
  b.input(10, 6);
  b.forward = [&](Workspace& w, const Bench::Inputs& in) { return layer.forward(w, in[0], test::kRows); };
  b.backward = [&](Workspace& w, const Tensor& dy) { return Bench::Inputs{layer.backward(w, dy)}; };
  b.check();
}

template <class Layer>
void check_decoder(const Options& more) {
  Layer layer(small_architecture(more));
  Bench b({&layer});
  b.input(10, 6);
  b.input(9, 6);
  b.forward = [&](Workspace& w, const Bench::Inputs& in) {
    return layer.forward(w, {in[0], in[1], test::kRows, test::kMemoryRows});
  };
  b.backward = [&](Workspace& w, const Tensor& dy) {
    const nn::DecoderGradients d = layer.backward(w, dy);
    return Bench::Inputs{d.x, d.memory};
  };
  b.check();
}

const Options kPre{{"norm_position", "pre"}}, kBatch{{"norm", "batch"}},
    kPreBatch{{"norm", "batch"}, {"norm_position", "pre"}};

TEST(NnGradients, EncoderLayer) {
  check_encoder<nn::EncoderLayer>({});
  check_encoder<nn::EncoderLayer>(kPre);
}
TEST(NnGradients, Encoder) {
  check_encoder<nn::Encoder>({});
  check_encoder<nn::Encoder>(kPre);
  check_encoder<nn::Encoder>(kBatch);
  check_encoder<nn::Encoder>(kPreBatch);
}
TEST(NnGradients, DecoderLayer) {
  check_decoder<nn::DecoderLayer>({});
  check_decoder<nn::DecoderLayer>(kPre);
}
TEST(NnGradients, Decoder) {
  check_decoder<nn::Decoder>({});
  check_decoder<nn::Decoder>(kPre);
  check_decoder<nn::Decoder>(kBatch);
}

TEST(NnGradients, SmoothedCrossEntropy) {
  nn::Generator generator(6, 11);
  const nn::Ids labels{0, 10, 3, 3, 7, 1, 2, 9, 4, 5};
  const double smoothing = 0.1, scale = 0.7;
  Matrix x = test::random_matrix(10, 6, 1);
  Workspace work;
  const nn::LossGradient g = generator.loss_and_gradient(work, test::put(work, x), labels, smoothing, scale);
  std::vector<Checked> all{{"x", x.values.data(), test::numbers(g.dx)}};
  for (const nn::Parameter& p : generator.parameters())
    all.push_back({p.name, p.values, {p.gradients, p.gradients + p.size}});
  compare(all, [&] {
    work.begin();
    return scale * generator.loss(work, test::put(work, x), labels, smoothing).smoothed;
  });
}

// A layer used twice in a pass sums both gradients; backward calls come in reverse order.
TEST(NnGradients, OneLayerTwice) {
  nn::Linear linear(6, 6);
  Bench b({&linear});
  b.input(10, 6);
  b.forward = [&](Workspace& w, const Bench::Inputs& in) { return linear.forward(w, linear.forward(w, in[0])); };
  b.backward = [&](Workspace& w, const Tensor& dy) {
    return Bench::Inputs{linear.backward(w, linear.backward(w, dy))};
  };
  b.check();
}

// x + f(x), a residual connection.
TEST(NnGradients, SumOfTwo) {
  nn::Linear linear(6, 6);
  Bench b({&linear});
  b.input(10, 6);
  b.forward = [&](Workspace& w, const Bench::Inputs& in) { return add(w, in[0], linear.forward(w, in[0])); };
  b.backward = [&](Workspace& w, const Tensor& dy) { return Bench::Inputs{add(w, dy, linear.backward(w, dy))}; };
  b.check();
}

}  // namespace
}  // namespace hexapla::api
