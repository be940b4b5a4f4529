#pragma once
#include "decode/text/translator.h"
#include "train/feed/training_data.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

// About how many target tokens training takes in the time of a validation. length: of the translations relative to the
// references.
int64_t validation_cost(const TrainingData& data, const TrainOptions& options, double length = 1);

// Batches of each validation set, as indices into data.valid.
std::vector<data::Plan> plan_validation(const TrainingData& data, const TrainOptions& options);

// Options for translating the validation sets.
decode::TranslateOptions translation_of(const TrainOptions& options);

// Computes loss, perplexity, BLEU and chrF on the validation sets, together and separately, and
// picks five example translations. Does not set update and epoch. valid_tokenize must be resolved
// (train/measure/valid_tokenizer.h). memory: bytes for translation, as in
// TranslateOptions::memory; meanwhile the arena returns its unused memory to the system. among:
// processes that share the work; the result is the same in each and for any number.
Validation validate(Context& cx, const model::Transformer& model, const TrainingData& data, const TrainOptions& options,
                    size_t memory = 0, cluster::Processes& among = cluster::alone());

// Warning that a run ends before its first validation; "" if it does not. updates_in_time: about how many updates the
// clock allows; 0: no limit.
std::string warning_of_no_validation(const TrainOptions& options, int64_t updates_an_epoch, double updates_in_time);

}  // namespace hexapla::train
