#include "train/automatic/recipe_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hexapla::train {
namespace {

// A model and what goes with its size.
struct Size {
  const char* preset;  // whose name and other values it has
  int64_t layers, d_model, d_ff, heads;
  int64_t target_tokens;  // of the text, from which it is worth its time
  double lr;              // peak, for batches of `batch_tokens`
  int64_t batch_tokens;   // at most
};

constexpr std::array<Size, 5> kSizes{{{"tiny", 2, 128, 512, 4, 0, 3e-3, 2048},
                                      {"tiny", 4, 128, 256, 4, 150'000, 3e-3, 4096},
                                      {"small", 4, 256, 1024, 4, 3'000'000, 2e-3, 8192},
                                      {"small", 6, 512, 1024, 4, 15'000'000, 1e-3, 8192},
                                      {"base", 6, 512, 2048, 8, 60'000'000, 7e-4, 25'000}}};

constexpr int64_t kLongestWarmup = 2000;  // updates
constexpr int64_t kMostInMemory = 4096;   // target tokens of one batch of an update
// The text has so many for each piece of its vocabulary: 2,000 pairs of numbers in Thai have 298 of 300 lines right
// with 60 pieces, 290 with 160 and 208 with 400.
constexpr int64_t kCharactersOfPiece = 1000;
constexpr int64_t kSmallestBatch = 256, kBatchesOfAnEpoch = 10, kUpdates = 8000;

void set_size(const Size& size, model::Config& c) {
  c.enc_layers = c.dec_layers = size.layers;
  c.d_model = size.d_model;
  c.d_ff = size.d_ff;
  c.heads = size.heads;
}

// Two significant digits, as people write them.
double rounded(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

// Target tokens of an update: few enough for some thousand updates in the time, and for several in an epoch.
int64_t batch_for(const Size& size, int64_t text, double tokens) {
  double batch = static_cast<double>(text) / kBatchesOfAnEpoch;
  if (tokens > 0) batch = std::min(batch, tokens / kUpdates);
  return std::llround(rounded(std::clamp<double>(batch, kSmallestBatch, static_cast<double>(size.batch_tokens))));
}

// The rate falls when validations stall, and the run ends when that does not help.
void train_until_converged(TrainOptions& o) {
  o.schedule = o.schedule.parse("schedule", "plateau");
  o.plateau_patience = 5;
  o.plateau_factor = 0.3;
  o.patience = 15;
}

}  // namespace

int64_t sizes_of_models() { return std::ssize(kSizes); }

int64_t largest_size(const CorpusFacts& facts) {
  const int64_t tokens = target_tokens(facts, pieces_for(facts));
  int64_t largest = 0;
  for (int64_t i = 0; i < sizes_of_models(); ++i)
    if (tokens >= kSizes[static_cast<size_t>(i)].target_tokens) largest = i;
  return largest;
}

int64_t size_of(const model::Config& architecture) {
  for (int64_t i = 0; i + 1 < sizes_of_models(); ++i) {
    model::Config c;
    set_size(kSizes[static_cast<size_t>(i)], c);
    if (layer_weights(c) >= layer_weights(architecture)) return i;
  }
  return sizes_of_models() - 1;
}

int64_t pieces_for(const CorpusFacts& facts) {
  const int64_t least = facts.alphabet + facts.alphabet / 20 + 8;  // normalization and the special pieces need some
  return std::max(least, std::min<int64_t>({facts.characters() / kCharactersOfPiece, 100 * facts.alphabet, 16'000}));
}

int64_t target_tokens(const CorpusFacts& facts, int64_t pieces) {
  const double per_piece = 1 + std::log2(static_cast<double>(pieces) / static_cast<double>(facts.alphabet + 4)) / 2;
  return std::llround(static_cast<double>(facts.target_characters) / std::max(1.0, per_piece)) + facts.pairs;
}

int64_t layer_weights(const model::Config& c) {
  const int64_t attention = 4 * c.d_model * c.d_model, feed_forward = 2 * c.d_model * c.d_ff;
  return c.enc_layers * (attention + feed_forward) + c.dec_layers * (2 * attention + feed_forward);
}

bool enough_tokens(const model::Config& architecture, double tokens) {
  constexpr double kTokensOfWeight = 4;  // measured: docs/adr/0011
  return tokens >= kTokensOfWeight * static_cast<double>(layer_weights(architecture));
}

int64_t lines_to_hold_out(int64_t pairs) {
  return std::min<int64_t>({1000, std::max<int64_t>(pairs / 20, 100), pairs / 10});
}

TrainOptions recipe(int64_t number, const CorpusFacts& facts, const RunLength& length) {
  const Size& size = kSizes[static_cast<size_t>(number)];
  TrainOptions o;
  o.average_last = 5;
  o.architecture.dropout = 0.3;
  o.architecture.attention_dropout = o.architecture.activation_dropout = 0.1;
  o.preset = size.preset;
  set_size(size, o.architecture);
  o.vocab_size = pieces_for(facts);
  const int64_t batch = batch_for(size, target_tokens(facts, o.vocab_size), length.tokens);
  o.accumulate = (batch + kMostInMemory - 1) / kMostInMemory;
  o.batch_tokens = batch / o.accumulate;
  o.lr = rounded(size.lr * std::sqrt(static_cast<double>(batch) / static_cast<double>(size.batch_tokens)));
  const double updates = length.updates > 0 ? length.updates : length.tokens / static_cast<double>(batch);
  o.warmup = updates > 0 ? std::clamp<int64_t>(std::llround(updates / 10), 1, kLongestWarmup) : kLongestWarmup;
  if (updates == 0) train_until_converged(o);
  o.hold_out = lines_to_hold_out(facts.pairs);
  return o;
}

}  // namespace hexapla::train
