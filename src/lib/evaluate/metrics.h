#pragma once
// The metrics of EvaluatorOptions.
#include <memory>
#include <vector>

#include "evaluate/metrics/metric.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "hexapla/evaluator.h"

namespace hexapla::api {

using Metrics = std::vector<std::unique_ptr<evaluate::Metric>>;

// `tokenize` auto becomes 13a. UsageError: an unknown metric or tokenizer.
Metrics make_metrics(const EvaluatorOptions& options);
// The tokenizer that suits these references.
evaluate::TokenizerChoice tokenizer_of(const std::vector<evaluate::Sentences>& references);

}  // namespace hexapla::api
