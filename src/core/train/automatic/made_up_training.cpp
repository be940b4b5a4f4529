#include "train/automatic/made_up_training.h"

#include <algorithm>

#include "base/system/running_clock.h"
#include "data/made_up_ids.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "train/loop/learner.h"

namespace hexapla::train {
namespace {

// Enough pairs for a few updates, a third of them shorter and a third longer than the others.
TrainingData data_of(const TrainOptions& o, int64_t source_length, int64_t target_length) {
  Random random(1);
  std::vector<data::Example> pairs;
  const int64_t most = o.max_length - 1, needed = 3 * o.batch_tokens * o.accumulate;
  for (int64_t tokens = 0; tokens < needed || pairs.size() < 3;) {
    const auto length = [&](int64_t mean) {
      return std::clamp<int64_t>(mean * static_cast<int64_t>(2 + pairs.size() % 3) / 3, 1, most);
    };
    data::Example pair{data::made_up_ids(random, length(source_length), o.vocab_size),
                       data::made_up_ids(random, length(target_length), o.vocab_size)};
    pair.source.push_back(2);
    tokens += std::ssize(pair.target) + 1;
    pairs.push_back(std::move(pair));
  }
  const text::Vocabulary pieces = made_up_vocabulary(o.vocab_size);
  return {{data::store_examples(pairs), pieces, pieces}};
}

}  // namespace

text::Vocabulary made_up_vocabulary(int64_t size) {
  text::PieceModel model;
  model.pieces = {{"<pad>", 0, text::PieceModel::Type::control},
                  {"<s>", 0, text::PieceModel::Type::control},
                  {"</s>", 0, text::PieceModel::Type::control},
                  {"<unk>", 0, text::PieceModel::Type::unknown}};
  for (int64_t i = 4; i < size; ++i) model.pieces.push_back({cat("\xE2\x96\x81", i), static_cast<float>(-i)});
  return text::Vocabulary::parse(model.serialized(), "made-up vocabulary");
}

double training_speed(const TrainOptions& o, Backend& backend, int64_t source_length, int64_t target_length,
                      double seconds) {
  const TrainingData data = data_of(o, source_length, target_length);
  Learner learner(o, data, backend);
  learner.initialize();
  const RunningClock clock;
  double began = 0, passed = 0;
  int64_t tokens = 0;
  for (int64_t update = 1; update <= 2 || passed < seconds; ++update) {
    const UpdateBatches& batches = learner.stream().draw();
    learner.accumulate_gradient(batches, 1);
    learner.update(update, 1, learner.gradient_norm());
    if (update == 1)  // it includes the allocation of memory
      began = clock.seconds();
    else
      tokens += batches.tokens, passed = clock.seconds() - began;
  }
  return static_cast<double>(tokens) / std::max(passed, 1e-6);
}

}  // namespace hexapla::train
