#include "evaluate/metrics/make_metric.h"

#include "base/error.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/metrics/chrf.h"
#include "evaluate/metrics/ter.h"

namespace hexapla::evaluate {

std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& o) {
  const BleuOptions bleu{.lowercase = o.lowercase, .tokenize = o.tokenize};
  if (name == "bleu") return std::make_unique<Bleu>(bleu);
  if (name == "chrf") return std::make_unique<Chrf>(ChrfOptions{.lowercase = o.chrf_lowercase});
  if (name == "chrf++") return std::make_unique<Chrf>(ChrfOptions{.word_order = 2, .lowercase = o.chrf_lowercase});
  if (name == "ter") {
    return std::make_unique<Ter>(TerOptions{.normalized = o.ter_normalized,
                                            .no_punct = o.ter_no_punct,
                                            .asian_support = o.ter_asian_support,
                                            .case_sensitive = o.ter_case_sensitive});
  }
  throw UsageError(cat("unknown metric '", name, "'; allowed are bleu, chrf, chrf++ and ter"), "metrics",
                   std::string(name));
}

}  // namespace hexapla::evaluate
