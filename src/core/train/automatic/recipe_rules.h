#pragma once
// The recipe of `preset` auto: a model and a way to train it that suit the text and the time (docs/adr/0011). Each rule
// names what supports it.
#include "train/automatic/corpus_facts.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

// Sizes of models, from the smallest.
int64_t sizes_of_models();
// The largest one that is worth training on this much text, in the time of any machine.
int64_t largest_size(const CorpusFacts& facts);
// The one whose layers have about as many weights as this model's.
int64_t size_of(const model::Config& architecture);

// Pieces of the vocabulary.
int64_t pieces_for(const CorpusFacts& facts);
// About how many target tokens the text has with so many pieces.
int64_t target_tokens(const CorpusFacts& facts, int64_t pieces);

// Weights of the layers of this model, without embeddings.
int64_t layer_weights(const model::Config& architecture);
// Is a model of this architecture trained well by so many target tokens?
bool enough_tokens(const model::Config& architecture, double tokens);

// How long a run is: about so many target tokens, or so many updates, of any size; both 0: until it does not improve.
struct RunLength {
  double tokens = 0, updates = 0;
};
// The recipe with a model of this size.
TrainOptions recipe(int64_t size, const CorpusFacts& facts, const RunLength& length);

int64_t lines_to_hold_out(int64_t pairs);

}  // namespace hexapla::train
