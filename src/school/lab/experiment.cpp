#include "lab/experiment.h"

#include <array>

#include "base/error.h"
#include "base/nearest.h"

namespace hexapla::lab {

std::span<const Experiment> experiments() {
  static constexpr std::array all = {
      Experiment{"cost", "What does self-attention cost beside recurrence and convolution, and how far does each see?",
                 "*Attention Is All You Need*, section 4 and Table 1: self-attention is faster than recurrence where a "
                 "sentence has fewer tokens than the model has dimensions, and joins any two tokens in one step.",
                 "12", 3, 400, cost},
      Experiment{
          "scale", "Why are scores divided by the square root of d_k?",
          "*Attention Is All You Need*, section 3.2.1 and footnote 4: products of long vectors grow, and push the "
          "softmax into regions where its gradients are extremely small; additive attention does not suffer "
          "from it.",
          "4", 3, 400, scale},
      Experiment{"heads", "How many heads, and does a trained model need all of them?",
                 "*Attention Is All You Need*, section 3.2.2 and Table 3 (A); Michel et al. 2019, *Are Sixteen Heads "
                 "Really Better than One?*",
                 "2", 3, 600, heads},
      Experiment{
          "positions", "What are positions for, and which kind goes beyond the lengths of training?",
          "*Attention Is All You Need*, section 3.5: without recurrence and convolution the order must be put in; "
          "sinusoids were chosen because they may extend to sequences longer than those of training.",
          "3", 3, 2000, positions},
      Experiment{
          "masks", "What does the decoder learn without its mask?",
          "*Attention Is All You Need*, section 3.1: the mask ensures that the predictions for a position depend "
          "only on the outputs before it.",
          "3", 3, 800, masks},
      Experiment{"forcing", "What does a decoder do that has only ever read the right tokens?",
                 "Bengio et al. 2015, *Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks*: "
                 "trained on right "
                 "tokens alone, a model meets its own mistakes only when it translates; Mihaylova and Martins 2019 for "
                 "Transformers.",
                 "16", 3, 800, forcing},
      Experiment{"norm", "Which norm, where, and how deep does it train with and without warm-up?",
                 "*Attention Is All You Need*, sections 3.1 and 5.3; Xiong et al. 2020, *On Layer Normalization in the "
                 "Transformer Architecture*: with the norm inside the residual, warm-up is not needed.",
                 "6", 2, 300, norm},
      Experiment{
          "ffn", "Is the feed-forward network a memory of keys and values?",
          "Geva et al. 2021, *Transformer Feed-Forward Layers Are Key-Value Memories*: each hidden unit is a key that "
          "certain prefixes fire, and its row of the second matrix promotes the tokens that follow them.",
          "1", 3, 1000, ffn},
      Experiment{"experts", "Does a mixture of experts do more with as much computation?",
                 "Fedus et al. 2021, *Switch Transformers*, and Lepikhin et al. 2020, *GShard*: more parameters at the "
                 "same cost improve quality, and a balancing loss spreads the load.",
                 "9", 3, 600, experts},
      Experiment{"softmax", "Softmax or not?",
                 "An open question of the notes. Sigmoid: Ramapuram et al. 2024; max(0, s) / n: Wortsman et al. 2023; "
                 "a kernel: "
                 "Katharopoulos et al. 2020; the four highest scores; no normalization at all.",
                 "3", 3, 800, softmax, true},
      Experiment{
          "smoothing", "What does label smoothing do?",
          "*Attention Is All You Need*, section 5.4: it hurts perplexity, as the model learns to be more unsure, but "
          "improves accuracy and BLEU.",
          "2", 3, 800, smoothing},
      Experiment{
          "tied", "One table of embeddings, or three?",
          "*Attention Is All You Need*, section 3.4: both embeddings and the generator share a matrix (Press and Wolf "
          "2017).",
          "5", 3, 800, tied},
      Experiment{"dropout", "Does dropout help where there is no end of data?",
                 "*Attention Is All You Need*, section 5.4 and Table 3 (D): dropout is very helpful in avoiding "
                 "over-fitting. Here the model sees each of 40,000 pairs a few times at most.",
                 "3", 3, 800, dropout},
      Experiment{
          "table3", "Which parts of the model matter?",
          "*Attention Is All You Need*, section 6.2 and Table 3: heads, the width of keys, the size of the model, "
          "dropout and label smoothing, learned positions.",
          "8", 4, 400, table3, true},
  };
  return all;
}

const Experiment& experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& e : experiments()) {
    if (e.name == name) return e;
    names.emplace_back(e.name);
  }
  const std::string near = nearest(names, name);
  throw UsageError(cat("there is no experiment '", name, "'", near.empty() ? ";" : "; did you mean '" + near + "'?",
                       " 'hexapla lab' lists them"),
                   "name", name);
}

int64_t seeds_of(const Experiment& e, const Settings& settings) {
  return settings.seeds > 0 ? settings.seeds : e.seeds;
}

namespace {

void check_text(const Experiment& e, const Settings& s) {
  if (!e.takes_text && !s.train_sets.empty())
    throw UsageError(cat("`train-sets` ", s.train_sets.front(), " .. does nothing in the experiment ", e.name,
                         ", which makes its own text; leave it out"),
                     "train-sets", s.train_sets.front());
  if (!e.takes_text && s.minutes > 0)
    throw UsageError(cat("`minutes` ", s.minutes, " does nothing in the experiment ", e.name,
                         ", which has a fixed number of updates; give `updates`, or leave it out"),
                     "minutes", cat(s.minutes));
  if (s.minutes > 0 && s.updates > 0)
    throw UsageError(
        cat("`minutes` ", s.minutes, " and `updates` ", s.updates, " both say how long to train; give one of them"),
        "minutes", cat(s.minutes));
  if (!s.train_sets.empty() && s.valid_sets.empty())
    throw UsageError("`valid-sets` is missing: `train-sets` needs other text to measure on", "valid-sets", "");
  if (s.train_sets.empty() && !s.valid_sets.empty())
    throw UsageError(cat("`valid-sets` ", s.valid_sets.front(),
                         " .. is for text of your own: give `train-sets`, too, or leave it out"),
                     "valid-sets", s.valid_sets.front());
}

}  // namespace

Report run(const Experiment& e, Settings settings, Watcher& watcher) {
  check_text(e, settings);
  settings.seeds = seeds_of(e, settings);
  if (settings.updates == 0) settings.updates = e.updates;
  return e.run(settings, watcher);
}

}  // namespace hexapla::lab
