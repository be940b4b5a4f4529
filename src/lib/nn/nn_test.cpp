// Tests the use of the layers in hexapla/nn.h and the errors for wrong use.
#include "hexapla/nn.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <thread>

#include "lib/nn/test_nn.h"

namespace hexapla::api {
namespace {

using namespace test;  // shared by tests of this folder
using nn::Tensor;
using nn::Workspace;
using testing::Each;
using testing::HasSubstr;

TEST(Nn, ParametersHaveTheNamesAndShapesOfTheModel) {
  nn::Encoder encoder(kSmall);
  const std::vector<nn::Parameter> all = encoder.parameters();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].name, "layers.0.self_attention.qkv.weight");
  EXPECT_EQ(all[0].shape, (std::vector<std::int64_t>{6, 18}));
  EXPECT_EQ(all[0].size, 6u * 18);
  EXPECT_TRUE(nn::Dropout(0.1).parameters().empty());
}

TEST(Nn, RunningStatisticsHaveNoGradients) {
  Options batch = kSmall;
  batch.insert({"norm", "batch"});
  nn::Encoder encoder(batch);
  int statistics = 0;
  for (const nn::Parameter& p : encoder.parameters()) {
    const bool running = p.name.find("running_") != p.name.npos;
    EXPECT_EQ(p.gradients == nullptr, running) << p.name;
    statistics += running;
  }
  EXPECT_EQ(statistics, 4);
}

TEST(Nn, EachLayerDrawsItsOwnNumbersFromTheSeed) {
  nn::Linear a(4, 4), b(4, 4);
  nn::initialize({&a, &b}, 1);
  const std::vector<float> first = values_of(a);
  EXPECT_NE(first, values_of(b));
  nn::initialize({&a, &b}, 2);
  EXPECT_NE(first, values_of(a));
  nn::initialize({&a, &b}, 1);
  EXPECT_EQ(first, values_of(a));
  nn::Linear untouched(4, 4);
  nn::initialize({&a}, 1);
  EXPECT_EQ(values_of(untouched), values_of(a));
  nn::initialize({&a}, 1, 0);
  EXPECT_THAT(values_of(a), Each(0));
}

TEST(Nn, DropoutIsForTrainingAlone) {
  const nn::Dropout dropout(0.5);
  const auto x = random_matrix(20, 50, 1);
  Workspace work;
  EXPECT_EQ(numbers(dropout.forward(work, put(work, x))), x.values);
  work.begin_training(1, 1);
  const std::vector<float> y = numbers(dropout.forward(work, put(work, x)));
  const auto dropped = std::count(y.begin(), y.end(), 0.f);
  EXPECT_GT(dropped, 400);
  EXPECT_LT(dropped, 600);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_TRUE(y[i] == 0 || y[i] == 2 * x.values[i]);
}

TEST(Nn, MasksAreOfTheSeedTheStepAndTheCall) {
  const nn::Dropout dropout(0.5), other(0.5);
  const auto x = random_matrix(20, 50, 1);
  Workspace work;
  const auto drawn = [&](std::uint64_t seed, std::uint32_t step) {
    work.begin_training(seed, step);
    return std::vector<std::vector<float>>{numbers(dropout.forward(work, put(work, x))),
                                           numbers(dropout.forward(work, put(work, x))),
                                           numbers(other.forward(work, put(work, x)))};
  };
  const auto first = drawn(1, 1);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[1], first[2]);
  EXPECT_EQ(drawn(1, 1), first);
  EXPECT_NE(drawn(2, 1)[0], first[0]);
  EXPECT_NE(drawn(1, 2)[0], first[0]);
}

TEST(Nn, WeightsOfAttentionAreThoseOfOneSentence) {
  const nn::MultiHeadAttention attention(kSmall);
  Workspace work;
  const Tensor x = put(work, random_matrix(10, 6, 1));
  attention.forward(work, {x, x, x, test::kRows, test::kRows, true, {}});
  const nn::AttentionWeights w = attention.weights(work, 2);
  EXPECT_EQ(w.heads, 2);
  EXPECT_EQ(w.queries, 4);
  EXPECT_EQ(w.keys, 4);
  ASSERT_EQ(w.values.size(), 2u * 4 * 4);
  for (int row = 0; row < 8; ++row) {
    double sum = 0;
    for (int key = 0; key < 4; ++key) {
      sum += w.values[row * 4 + key];
      EXPECT_EQ(w.values[row * 4 + key] > 0, key <= row % 4);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(Nn, LogSoftmaxIsOfEachRow) {
  Workspace work;
  const Tensor p = log_softmax(work, put(work, {2, 2, {0, 0, 1000, 0}}));
  EXPECT_NEAR(p.data()[0], -std::log(2), 1e-6);
  EXPECT_NEAR(p.data()[2], 0, 1e-6);
  EXPECT_NEAR(p.data()[3], -1000, 1e-3);
}

// The rows of a sentence do not depend on the other sentences.
TEST(Nn, SentencesDoNotSeeEachOther) {
  const nn::Encoder encoder(kSmall);
  const auto x = random_matrix(10, 6, 1);
  Workspace work;
  const std::vector<float> together = numbers(encoder.forward(work, put(work, x), test::kRows));
  const test::Matrix last{4, 6, {x.values.begin() + 36, x.values.end()}};
  EXPECT_EQ(numbers(encoder.forward(work, put(work, last), {0, 4})),
            (std::vector<float>{together.begin() + 36, together.end()}));
}

TEST(Nn, ThreadsShareALayer) {
  const nn::Encoder encoder(kSmall);
  const auto x = random_matrix(10, 6, 1);
  Workspace work;
  const std::vector<float> expected = numbers(encoder.forward(work, put(work, x), test::kRows));
  std::vector<std::vector<float>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<float>& f : found)
    threads.emplace_back([&] {
      Workspace own(1 << 20);
      for (int i = 0; i < 20; ++i) {
        own.begin();
        f = numbers(encoder.forward(own, put(own, x), test::kRows));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(found, Each(expected));
}

TEST(Nn, LayersAndWorkspacesMove) {
  std::vector<nn::Linear> layers;
  for (int i = 0; i < 3; ++i) layers.emplace_back(4, 4);
  nn::Linear taken = std::move(layers[0]);
  Workspace first, second = std::move(first);
  const Tensor x = put(second, random_matrix(2, 4, 1));
  EXPECT_EQ(taken.forward(second, x).rows(), 2);
  EXPECT_THROW(layers[0].forward(second, x), UsageError);
  EXPECT_THROW(layers[0].parameters(), UsageError);
  EXPECT_THROW(first.begin(), UsageError);
  EXPECT_THROW(taken.forward(first, x), UsageError);
}

// Learns W in y = x W.
TEST(Nn, AdamFindsALinearMap) {
  nn::Linear wanted(3, 2), learned(3, 2);
  nn::initialize({&wanted}, 5);
  nn::Adam adam({&learned});
  Workspace work;
  double error = 0;
  for (std::uint32_t step = 1; step <= 300; ++step) {
    work.begin_training(1, step);
    const Tensor x = put(work, random_matrix(16, 3, step));
    const Tensor d = learned.forward(work, x), y = wanted.forward(work, x);
    error = 0;
    for (int i = 0; i < 32; ++i) {
      d.data()[i] -= y.data()[i];
      error += double(d.data()[i]) * d.data()[i];
    }
    learned.backward(work, d);
    EXPECT_GE(adam.update(work, 0.03), 0);
    EXPECT_THAT(gradients_of(learned), Each(0));
  }
  EXPECT_LT(error, 1e-3);
}

TEST(Nn, AdamClipsTheNormOfAllLayersTogether) {
  nn::Linear a(1, 1, false), b(1, 1, false);
  nn::AdamOptions options;
  options.clip_norm = 1;
  options.epsilon = 10;  // makes the step nearly proportional to the gradient
  nn::Adam adam({&a, &b}, options);
  const float before = *a.parameters()[0].values;
  *a.parameters()[0].gradients = 3;
  *b.parameters()[0].gradients = 4;
  Workspace work;
  EXPECT_NEAR(adam.update(work, 1), 5, 1e-6);
  EXPECT_NEAR(before - *a.parameters()[0].values, 0.6 / 10.6, 1e-5);
}

struct Misuse {
  const char* name;
  std::function<void(Workspace&)> call;
  const char* message;
};
void PrintTo(const Misuse& m, std::ostream* out) { *out << m.name; }
class NnMisuse : public testing::TestWithParam<Misuse> {};

TEST_P(NnMisuse, IsRefused) {
  Workspace work;
  try {
    GetParam().call(work);
    FAIL() << "nothing was thrown";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr(GetParam().message));
  }
}

Tensor tensor(Workspace& w, int64_t rows, int64_t columns) { return put(w, random_matrix(rows, columns, 1)); }

const std::vector<Misuse> kSizes{
    {"no_width", [](Workspace&) { nn::Linear(0, 4); }, "in is 0, but must be a whole number from 1"},
    {"negative_width", [](Workspace&) { nn::LayerNorm(-1); }, "width is -1"},
    {"no_vocabulary", [](Workspace&) { nn::Embedding(0, kSmall); }, "vocabulary is 0"},
    {"no_classes", [](Workspace&) { nn::Generator(6, 0); }, "classes is 0"},
    {"epsilon", [](Workspace&) { nn::LayerNorm(4, NAN); }, "epsilon is"},
    {"all_dropped", [](Workspace&) { nn::Dropout(1); }, "p is 1"},
    {"unknown_option",
     [](Workspace&) {
       nn::Encoder({{"dim_modell", 6}});
     },
     "did you mean 'dim_model'"},
    {"option_out_of_range",
     [](Workspace&) {
       nn::Encoder({{"heads", 0}});
     },
     "heads is 0"},
    {"options_disagree",
     [](Workspace&) {
       nn::Encoder({{"dim_model", 7}, {"heads", 2}});
     },
     "dim_model 7"},
    {"no_such_word",
     [](Workspace&) {
       nn::FeedForward(Options{{"activation", "step"}});
     },
     "activation is 'step'"},
    {"no_rows", [](Workspace& w) { w.zeros(0, 4); }, "rows is 0"},
    {"negative_columns", [](Workspace& w) { w.zeros(4, -1); }, "columns is -1"},
    {"wide_rows", [](Workspace& w) { w.zeros(4, std::int64_t{1} << 62); }, "columns is"},
    {"gain", [](Workspace&) { nn::initialize({}, 1, -1); }, "gain is"},
    {"null_layer", [](Workspace&) { nn::initialize({nullptr}, 1); }, "null pointer"},
};

const std::vector<Misuse> kTensors{
    {"no_tensor", [](Workspace& w) { nn::Linear(4, 2).forward(w, {}); }, "x is no tensor"},
    {"width", [](Workspace& w) { nn::Linear(4, 2).forward(w, tensor(w, 3, 5)); }, "x is [3, 5], but must be [any, 4]"},
    {"different_sizes", [](Workspace& w) { add(w, tensor(w, 3, 5), tensor(w, 3, 4)); }, "b is [3, 4], but must be"},
    {"earlier_pass",
     [](Workspace& w) {
       const Tensor x = tensor(w, 3, 4);
       w.begin();
       nn::Linear(4, 2).forward(w, x);
     },
     "of an earlier pass or of another workspace"},
    {"other_workspace",
     [](Workspace& w) {
       Workspace other;
       nn::Linear(4, 2).forward(w, tensor(other, 3, 4));
     },
     "of an earlier pass or of another workspace"},
    {"backward_without_forward", [](Workspace& w) { nn::Linear(4, 2).backward(w, tensor(w, 3, 2)); },
     "no forward() in this pass"},
    {"second_backward",
     [](Workspace& w) {
       nn::Linear layer(4, 2);
       layer.forward(w, tensor(w, 3, 4));
       layer.backward(w, tensor(w, 3, 2));
       layer.backward(w, tensor(w, 3, 2));
     },
     "no forward() in this pass"},
    {"backward_of_an_earlier_pass",
     [](Workspace& w) {
       nn::Linear layer(4, 2);
       layer.forward(w, tensor(w, 3, 4));
       w.begin();
       layer.backward(w, tensor(w, 3, 2));
     },
     "no forward() in this pass"},
    {"gradient_of_another_size",
     [](Workspace& w) {
       nn::Linear layer(4, 2);
       layer.forward(w, tensor(w, 3, 4));
       layer.backward(w, tensor(w, 3, 4));
     },
     "dy is [3, 4], but must be [3, 2]"},
    {"layer_norm", [](Workspace& w) { nn::LayerNorm(4).forward(w, tensor(w, 3, 5)); }, "x is [3, 5]"},
    {"feed_forward", [](Workspace& w) { nn::FeedForward(kSmall).forward(w, tensor(w, 3, 5)); }, "x is [3, 5]"},
    {"generator", [](Workspace& w) { nn::Generator(6, 3).forward(w, tensor(w, 3, 5)); }, "x is [3, 5]"},
};

void encode(Workspace& w, const nn::Offsets& offsets) { nn::Encoder(kSmall).forward(w, tensor(w, 10, 6), offsets); }
void embed(Workspace& w, const nn::Ids& ids) { nn::Embedding(9, kSmall).forward(w, ids, {0, 3}); }
void attend(Workspace& w, const nn::AttentionInputs& in) { nn::MultiHeadAttention(kSmall).forward(w, in); }
void lose(Workspace& w, const nn::Ids& labels, double smoothing) {
  nn::Generator(6, 3).loss_and_gradient(w, tensor(w, 2, 6), labels, smoothing);
}

const std::vector<Misuse> kBatches{
    {"no_offsets", [](Workspace& w) { encode(w, {}); }, "offsets must begin with 0 and end with the 10 rows"},
    {"one_offset", [](Workspace& w) { encode(w, {0}); }, "offsets must begin with 0"},
    {"first_offset",
     [](Workspace& w) {
       encode(w, {1, 10});
     },
     "but go from 1 to 10"},
    {"last_offset",
     [](Workspace& w) {
       encode(w, {0, 11});
     },
     "but go from 0 to 11"},
    {"empty_sentence",
     [](Workspace& w) {
       encode(w, {0, 4, 4, 10});
     },
     "offsets[2] is 4 after 4"},
    {"descending_offsets",
     [](Workspace& w) {
       encode(w, {0, 20, 10});
     },
     "offsets[2] is 10 after 20"},
    {"no_ids", [](Workspace& w) { embed(w, {}); }, "ids are empty"},
    {"id_behind_the_vocabulary",
     [](Workspace& w) {
       embed(w, {1, 9, 2});
     },
     "ids[1] is 9, but must be from 0 to 8"},
    {"negative_id",
     [](Workspace& w) {
       embed(w, {1, 2, -1});
     },
     "ids[2] is -1"},
    {"fewer_ids_than_offsets",
     [](Workspace& w) {
       embed(w, {1, 2});
     },
     "end with the 2 rows"},
    {"sentences_of_queries_and_keys",
     [](Workspace& w) {
       const Tensor x = tensor(w, 10, 6);
       attend(w, {x, x, x, {0, 10}, {0, 5, 10}, false, {}});
     },
     "1 sentences of queries, but 2 of keys"},
    {"keys_and_values",
     [](Workspace& w) {
       const Tensor x = tensor(w, 10, 6);
       attend(w, {x, x, tensor(w, 9, 6), {0, 10}, {0, 10}, false, {}});
     },
     "value is [9, 6], but must be [10, 6]"},
    {"mask",
     [](Workspace& w) {
       const Tensor x = tensor(w, 10, 6);
       attend(w, {x, x, x, {0, 10}, {0, 10}, false, tensor(w, 10, 9)});
     },
     "mask is [10, 9], but must be [10, 10]"},
    {"weights_without_forward", [](Workspace& w) { nn::MultiHeadAttention(kSmall).weights(w, 0); },
     "no forward() in this pass"},
    {"weights_of_no_sentence",
     [](Workspace& w) {
       const nn::MultiHeadAttention attention(kSmall);
       const Tensor x = tensor(w, 10, 6);
       attention.forward(w, {x, x, x, {0, 10}, {0, 10}, false, {}});
       attention.weights(w, 1);
     },
     "there is no sentence 1"},
    {"memory_of_other_sentences",
     [](Workspace& w) {
       nn::Decoder(kSmall).forward(w, {tensor(w, 10, 6), tensor(w, 9, 6), {0, 10}, {0, 4, 9}});
     },
     "x has 1 sentences, but the memory 2"},
    {"fewer_labels_than_rows", [](Workspace& w) { lose(w, {1}, 0); }, "1 labels for the 2 rows"},
    {"label_of_no_class",
     [](Workspace& w) {
       lose(w, {1, 3}, 0);
     },
     "labels[1] is 3, but must be from 0 to 2"},
    {"smoothing",
     [](Workspace& w) {
       lose(w, {1, 2}, 1);
     },
     "smoothing is"},
};

void update(Workspace& w, const nn::AdamOptions& options, double learning_rate) {
  nn::Linear layer(2, 2);
  nn::Adam({&layer}, options).update(w, learning_rate);
}

const std::vector<Misuse> kUpdates{
    {"beta",
     [](Workspace& w) {
       update(w, {1, 0.98, 1e-9, 0}, 1);
     },
     "beta1 is"},
    {"no_epsilon",
     [](Workspace& w) {
       update(w, {0.9, 0.98, 0, 0}, 1);
     },
     "epsilon is"},
    {"clip_norm",
     [](Workspace& w) {
       update(w, {0.9, 0.98, 1e-9, -1}, 1);
     },
     "clip_norm is"},
    {"learning_rate", [](Workspace& w) { update(w, {}, NAN); }, "learning_rate is"},
    {"layer_twice",
     [](Workspace&) {
       nn::Linear layer(2, 2);
       nn::Adam({&layer, &layer});
     },
     "a layer is given twice"},
};

const auto by_name = [](const auto& p) { return std::string(p.param.name); };
INSTANTIATE_TEST_SUITE_P(Sizes, NnMisuse, testing::ValuesIn(kSizes), by_name);
INSTANTIATE_TEST_SUITE_P(Tensors, NnMisuse, testing::ValuesIn(kTensors), by_name);
INSTANTIATE_TEST_SUITE_P(Batches, NnMisuse, testing::ValuesIn(kBatches), by_name);
INSTANTIATE_TEST_SUITE_P(Updates, NnMisuse, testing::ValuesIn(kUpdates), by_name);

TEST(Nn, SentencesLongerThanLearnedPositionsAreRefused) {
  Options learned = kSmall;
  learned.insert({{"positions", "learned"}, {"max_positions", 2}});
  Workspace work;
  EXPECT_THROW(nn::Embedding(9, learned).forward(work, {1, 2, 3}, {0, 3}), DataError);
}

}  // namespace
}  // namespace hexapla::api
