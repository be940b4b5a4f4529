#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "evaluate/metrics/metric.h"

namespace hexapla::evaluate {

struct MetricOptions {
  std::string tokenize = "13a";  // BLEU: a name for bleu_tokenizer()
  bool lowercase = false;        // BLEU
  bool chrf_lowercase = false;
  bool ter_case_sensitive = false, ter_normalized = false, ter_no_punct = false, ter_asian_support = false;
};
// UsageError: `name` is not bleu, chrf, chrf++ or ter, or one of its options has an unknown value.
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options);

}  // namespace hexapla::evaluate
