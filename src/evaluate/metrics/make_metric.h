#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "evaluate/metrics/metric.h"

namespace hexapla {

// UsageError unless `name` is bleu, chrf, chrf++ or ter, or where an option of them has an unknown value.
struct MetricOptions {
  std::string tokenize = "13a";  // BLEU: one of bleu_tokenizer_names()
  bool lowercase = false;        // BLEU
  bool chrf_lowercase = false;
  bool ter_case_sensitive = false, ter_normalized = false, ter_no_punct = false, ter_asian_support = false;
};
std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options);

}  // namespace hexapla
