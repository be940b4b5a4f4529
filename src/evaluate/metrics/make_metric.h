#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "evaluate/metrics/metric.h"

namespace hexapla::evaluate {

struct MetricOptions {
  std::string tokenize = "13a";  // BLEU: as bleu_tokenizer() knows it
  bool lowercase = false;        // BLEU
  bool chrf_lowercase = false;
  bool ter_case_sensitive = false, ter_normalized = false, ter_no_punct = false, ter_asian_support = false;
};
// UsageError unless `name` is bleu, chrf, chrf++ or ter, or where an option of them has an unknown value.
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options);

}  // namespace hexapla::evaluate
