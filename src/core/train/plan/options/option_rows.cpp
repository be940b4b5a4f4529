// The table of training options.
#include "train/plan/options/options.h"

namespace hexapla::train {

OptionRows TrainOptions::rows() {
  const std::string from = given_vocabulary(*this);
  const When trained{from.empty(),
                     "applies to a vocabulary that is trained, but this one comes from `" + from + "`: leave it out"};
  OptionTable rows;
  rows.add({"train-sets", train_sets,
            "text to train on: source and target files in turn, or .tsv files; \"-\" is stdin", AnyValue{},
            Effect::content});
  rows.add(
      {"valid-sets", valid_sets,
       "text to validate on: source and target files in turn, or .tsv files; several sets are reported by name and "
       "together",
       AnyValue{}, Effect::content});
  rows.add({"model", model, "folder of the run: checkpoints, logs, final model", AnyValue{}, Effect::none});
  rows.add({"preset", preset,
            "a model and the recipe that trains it: tiny, small, base, big, or auto, which chooses by the text, the "
            "time and "
            "the speed of the machine",
            AnyValue{}, Effect::last});
  rows.add(
      {"vocab", vocab, "SentencePiece model for both sides, instead of training one", AnyValue{}, Effect::vocabulary});
  rows.add({"vocab-size", vocab_size, "size of the vocabulary that is trained if none is given",
            Range<int64_t>{8, 1 << 22}, Effect::vocabulary, trained});
  return OptionRows(rows) + text.rows(trained) + rows_of_limits() + rows_of_course() + rows_of_recipe() +
         rows_of_outcome();
}

// Machine, batches, end of the run.
OptionRows TrainOptions::rows_of_limits() {
  OptionTable rows;
  rows.add({"seed", seed, "random seed for initialization, shuffling and dropout", ranges::kSeed, Effect::fixed});
  rows.add({"threads", threads, "compute threads; 0: one per available core; the result does not depend on it",
            ranges::kThreads, Effect::none});
  rows.add(
      {"precision", precision,
       "precision of the operands of matrix products: f32, bf16, or auto: bf16 if faster on this processor, else f32",
       AnyValue{}, Effect::fixed});
  rows.add({"device", device, kDeviceHelp, AnyValue{}, Effect::none});
  rows.add({"batch-tokens", batch_tokens, "target tokens per batch; auto: as many as `memory` allows, at most 25000",
            Range<int64_t>{.least = 1, .most = 1 << 24, .zero = "auto"}, Effect::fixed});
  rows.add({"memory", memory, "MiB that training may use; 0: four fifths of the memory of the machine or the container",
            ranges::kMebibytes, Effect::none});
  rows.add({"accumulate", accumulate,
            "batches per update (gradient accumulation); the loss is the mean over all their target tokens",
            Range<int64_t>{1, 1'000'000}, Effect::fixed});
  rows.add(
      {"shards", shards,
       "parts that the batches of an update are computed in, at most `accumulate`, by that many processes or fewer: "
       "the result depends on it, and not on the number of processes",
       Range<int64_t>{1, 1024}, shards > 1 ? Effect::fixed : Effect::none});
  rows.add(
      {"overlap", overlap,
       "sum the gradients of several processes during the backward pass: on, off, or auto: if they run on more than "
       "one host; the result does not depend on it",
       Effect::none,
       When{shards > 1, "is for several processes, which take at least 2 `shards`: give those, or leave it out"}});
  rows.add({"max-length", max_length, "leave out pairs with more tokens than this on either side",
            Range<int64_t>{2, 1 << 20}, Effect::fixed});
  rows.add({"max-updates", max_updates,
            "stop after this many updates; 0: no limit; the preset's number applies only if no other limit is given",
            ranges::kCount, Effect::last});
  rows.add({"max-epochs", max_epochs, "stop after this many epochs; 0: no limit", ranges::kCount, Effect::last});
  rows.add(
      {"max-minutes", max_minutes,
       "stop after this many minutes, including the time before a resume, with a warm-up and a `cooldown` that fit "
       "into them; 0: no limit",
       Range<double>{0, 1e7}, Effect::last});
  return rows;
}

// Validations, checkpoints, reports.
OptionRows TrainOptions::rows_of_course() {
  const When validating{validates(), "is for validation: give `valid-sets` or `hold-out`, or leave it out"};
  OptionTable rows;
  rows.add({"check-text", check_text,
            "look for faults in the text before a run begins, which takes seconds: on or off; text whose sides are "
            "shifted is "
            "refused, the rest is noted",
            Effect::none});
  rows.add(
      {"hold-out", hold_out,
       "validate on this many lines of the training sets, which are not trained on (nor lines like them); 0: none",
       Range<int64_t>{0, 100'000}, hold_out > 0 ? Effect::fixed : Effect::none,
       When{valid_sets.empty() || hold_out == 0, "is for a training without `valid-sets`: leave one of them out"}});
  rows.add({"valid-every", valid_every,
            "updates (500) or epochs (1e) between validations; auto: at the end of an epoch, so that they take about a "
            "tenth of the training at most, and within long epochs",
            AnyValue{}, Effect::noted, validating});
  rows.add({"save-every", save_every,
            "updates (500) or epochs (1e) between checkpoints; auto: at the end of an epoch, if it is not too short",
            AnyValue{}, Effect::noted});
  rows.add({"save-minutes", save_minutes,
            "minutes after which to save, too, wherever the run is: a killed run loses no more; 0: never",
            Range<double>{0, 1e7}, Effect::none});
  rows.add(
      {"report-every", report_every,
       "updates (50) or epochs (1e) between reports; auto: every 50 updates, and more often at first and at the end",
       AnyValue{}, Effect::last});
  rows.add({"valid-beam", valid_beam, "beam size of validation; 1: greedy", ranges::kBeam, Effect::noted, validating});
  rows.add({"valid-tokenize", valid_tokenize,
            "tokenizer of the validation BLEU: 13a, none, intl, char, zh, ja-mecab, ko-mecab; auto: by the references' "
            "script",
            AnyValue{}, Effect::noted, validating});
  rows.add(
      {"valid-script", valid_script,
       "program that scores translations: called with the files of translations, references and sources, it prints a "
       "number",
       AnyValue{}, Effect::noted, validating});
  rows.add({"valid-script-minutes", valid_script_minutes, "time limit for that program; 0: none", Range<double>{0, 1e6},
            Effect::last, When{!valid_script.empty(), "is for `valid-script`: give a program, or leave it out"}});
  rows.add(
      {"best-by", best_by,
       "metric that selects the best validated model: bleu, chrf, loss or script; auto: BLEU, but chrF or the loss "
       "where BLEU cannot tell models apart (several sets count as one)",
       Effect::fixed, validating});
  rows.add({"patience", patience, "stop after this many validations without a better model; 0: never", ranges::kCount,
            Effect::last});
  return rows;
}

OptionRows TrainOptions::rows_of_recipe() {
  const When stalling{schedule == "plateau", "is for `schedule` plateau: choose that, or leave it out"};
  const When guided{!guided_alignment.empty(), "is for `guided-alignment`: give a file of alignments, or leave it out"};
  OptionTable rows;
  rows.add({"schedule", schedule,
            "learning rate after warm-up: inverse-sqrt (the paper's), linear, cosine, constant or plateau",
            Effect::fixed});
  rows.add({"lr", lr, "peak learning rate; 0: the paper's, `lr-factor` * (`dim-model` * `warmup`)^-0.5", ranges::kFrom0,
            Effect::noted});
  rows.add({"lr-factor", lr_factor, "factor applied to the paper's learning rate", ranges::kFrom0, Effect::noted,
            When{lr == 0,
                 "scales the paper's learning rate, but `lr` sets it directly: give `lr` 0, too, or leave it out"}});
  rows.add({"warmup", warmup, "updates during which the learning rate rises linearly to its peak", ranges::kCountFrom1,
            Effect::noted});
  rows.add(
      {"decay-updates", decay_updates,
       "update at which linear and cosine decay and a `cooldown` end; 0: the `max-updates` that the run started with",
       ranges::kCount, Effect::fixed,
       When{schedule == "linear" || schedule == "cosine" || cooldown > 0,
            "is for `schedule` linear and cosine and for a `cooldown`: choose one of them, or leave it out"}});
  rows.add({"cooldown", cooldown,
            "updates at the end of the run over which the learning rate falls to 0; auto: the last quarter of "
            "`max-minutes`, none where that is not given",
            Range<int64_t>{.least = 1, .most = ranges::kCount.most, .zero = "auto"},
            cooldown > 0 ? Effect::noted : Effect::none});
  rows.add({"min-lr", min_lr, "lower bound of the learning rate after warm-up", ranges::kFrom0, Effect::fixed,
            When{schedule != "constant" || cooldown > 0 || max_minutes > 0,
                 "is for a learning rate that falls, but `schedule` is constant: choose another, or leave it out"}});
  rows.add({"plateau-factor", plateau_factor, "plateau: factor applied to the learning rate when validations stall",
            ranges::kBelow1, Effect::fixed, stalling});
  rows.add({"plateau-patience", plateau_patience,
            "plateau: validations without a better model before the rate is lowered", ranges::kCountFrom1,
            Effect::fixed, stalling});
  rows.add({"init-gain", init_gain, "factor applied to the Xavier-uniform limits of the initial weights",
            ranges::kAbove0, Effect::fixed,
            When{given_vocabulary(*this) != "init-from",
                 "is for new weights, but all of them come from `init-from`: leave one of them out"}});
  rows.add({"label-smoothing", label_smoothing, "probability mass that is spread evenly over the vocabulary",
            ranges::kBelow1, Effect::fixed});
  rows.add({"adam-beta1", beta1, "Adam's beta 1", ranges::kBelow1, Effect::fixed});
  rows.add({"adam-beta2", beta2, "Adam's beta 2", ranges::kBelow1, Effect::fixed});
  rows.add({"adam-eps", adam_eps, "Adam's epsilon", ranges::kAbove0, Effect::fixed});
  rows.add({"clip-norm", clip_norm, "clip the gradient to this norm; 0: off", ranges::kFrom0, Effect::noted});
  rows.add(
      {"guided-alignment", guided_alignment,
       "word alignments of the training set, one line of '0-0 1-2' per pair: one attention head learns to follow them",
       AnyValue{}, Effect::content});
  rows.add({"guided-alignment-units", guided_alignment_units,
            "what the links number: words, blanks (whitespace-separated words in any script) or pieces",
            Effect::content, guided});
  rows.add({"guided-alignment-weight", guided_alignment_weight, "weight of the alignment loss", ranges::kFrom0,
            Effect::fixed, guided});
  rows.add({"guided-alignment-layer", guided_alignment_layer,
            "decoder layer of the guided head, from 0; -1: the last but one", Range<int64_t>{-1, 255}, Effect::fixed,
            guided});
  rows.add({"guided-alignment-head", guided_alignment_head, "number of the guided head, from 0",
            Range<int64_t>{0, 4095}, Effect::fixed, guided});
  return rows;
}

// Options that determine the resulting model.
OptionRows TrainOptions::rows_of_outcome() {
  const When averaged{final_model != "best", "makes a mean, but `final-model` best takes none: leave one of them out"};
  OptionTable rows;
  rows.add({"max-loss-jump", max_loss_jump,
            "stop if the loss of an update exceeds this multiple of the running mean; 0: only if it is not finite",
            Range<double>{.least = 1, .most = ranges::kFloat, .or_zero = true}, Effect::last});
  rows.add({"weight-decay", weight_decay, "decoupled weight decay (AdamW), applied to the matrices of linear layers",
            ranges::kFrom0, Effect::fixed});
  rows.add({"ema", ema,
            "validate and save an exponential moving average of the parameters with this decay (0.999); 0: off",
            ranges::kBelow1, Effect::fixed});
  rows.add({"average-last", average_last, "checkpoint averaging: mean of the last N checkpoints; 0: none",
            Range<int64_t>{0, 1'000'000}, Effect::noted, averaged});
  rows.add({"average-best", average_best, "checkpoint averaging: mean of the N best validated models; 0: none",
            Range<int64_t>{0, 1'000'000}, Effect::fixed, averaged});
  rows.add(
      {"final-model", final_model,
       "the result of the run: the better of mean and best model by `best-by` (better), always the mean, or always the "
       "best",
       Effect::last,
       When{average_last > 0 || average_best > 0,
            "is for a mean of models: give `average-last` or `average-best`, or leave it out"}});
  rows.add({"keep", keep, "checkpoints to keep on disk (at least `average-last`)", Range<int64_t>{1, 1'000'000},
            Effect::last});
  rows.add({"init-from", init_from,
            "start from the weights of this model; its dimensions and vocabulary apply unless given", AnyValue{},
            Effect::content});
  rows.add({"freeze", freeze,
            "parts of the model that are not trained: encoder,embeddings,decoder.layers.*.self_attention", AnyValue{},
            Effect::fixed});
  return rows;
}

}  // namespace hexapla::train
