#include "lib/evaluate/metrics.h"

#include "evaluate/metrics/make_metric.h"

namespace hexapla::api {

Metrics make_metrics(const EvaluatorOptions& o) {
  const evaluate::MetricOptions how{o.tokenize == "auto" ? "13a" : o.tokenize,
                                    o.lowercase,
                                    o.chrf_lowercase,
                                    o.ter_case_sensitive,
                                    o.ter_normalized,
                                    o.ter_no_punct,
                                    o.ter_asian_support};
  Metrics metrics;
  for (const std::string& name : o.metrics) metrics.push_back(evaluate::make_metric(name, how));
  return metrics;
}

evaluate::TokenizerChoice tokenizer_of(const std::vector<evaluate::Sentences>& references) {
  evaluate::Sentences all;
  for (const evaluate::Sentences& lines : references) all.insert(all.end(), lines.begin(), lines.end());
  return evaluate::tokenizer_for(all);
}

}  // namespace hexapla::api
