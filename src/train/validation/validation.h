#pragma once
#include "decode/text/translator.h"
#include "train/data/training_data.h"
#include "train/watch/watcher.h"

namespace hexapla::train {

// Of the metric of `best-by`, over all sets together. None where that is a script that failed.
std::optional<double> score_of(const Validation& v, const std::string& metric);

// The batches of each validation set, as indices into data.valid.
std::vector<data::Plan> plan_validation(const TrainingData& data, const TrainOptions& options);

// How the validation sets are translated.
decode::TranslateOptions translation_of(const TrainOptions& options);

// Loss, perplexity, BLEU and chrF on the validation sets, together and each, with five translations to look at. Leaves
// update and epoch alone. valid_tokenize must be resolved (train/validation/valid_tokenizer.h). memory: bytes that
// translating may take, as TranslateOptions::memory; meanwhile the system has what the arena does not hold. among: who
// share the work; the result is the same in all of them, and for any number.
Validation validate(Context& cx, const model::Transformer& model, const TrainingData& data, const TrainOptions& options,
                    size_t memory = 0, cluster::Processes& among = cluster::alone());

// What to say of a run that ends before its first validation; "" of others, and where only the clock ends it.
std::string warning_of_no_validation(const TrainOptions& options, int64_t updates_an_epoch);

// A line of DIR/valid.jsonl.
std::string to_json(const Validation& v);

}  // namespace hexapla::train
