#include "hexapla/evaluator.h"

#include "base/range.h"
#include "base/system/cancellation.h"
#include "evaluate/metrics/bootstrap.h"
#include "lib/evaluate/metrics.h"
#include "lib/guard.h"

namespace hexapla {
namespace {

using SentenceStatistics = std::vector<evaluate::MetricStatistics>;
constexpr Range<int64_t> kResamples{.least = 2, .most = 1'000'000, .or_zero = true};
constexpr int kUsualResamples = 1000;

void check_lines(size_t hypotheses, const std::vector<Evaluator::Lines>& references) {
  if (hypotheses == 0) throw UsageError("there is no hypothesis to score", "hypotheses", "");
  if (references.empty()) throw UsageError("there is no reference to score with", "references", "");
  for (const Evaluator::Lines& lines : references)
    if (lines.size() != hypotheses)
      throw UsageError(cat("there are ", hypotheses, " hypotheses, but ", lines.size(),
                           " references; line i of one must belong to line i of the other"),
                       "references", cat(lines.size()));
}

}  // namespace

struct Evaluator::Impl {
  static constexpr const char* kind = "evaluator";
  EvaluatorOptions options;

  explicit Impl(const EvaluatorOptions& o) : options(o) {
    kResamples.check("resamples", o.resamples);
    if (o.metrics.empty()) throw UsageError("`metrics` is empty; give any of bleu, chrf, chrf++, ter", "metrics", "");
    api::make_metrics(options);  // checks them
  }

  // "auto" chooses the tokenizer from the references.
  api::Metrics metrics(const std::vector<Lines>& references) const {
    EvaluatorOptions by = options;
    if (by.tokenize == "auto") by.tokenize = api::tokenizer_of(references).name;
    return api::make_metrics(by);
  }
  evaluate::ResampleOptions resampling() const {
    return {options.resamples > 0 ? options.resamples : kUsualResamples, options.resample_seed};
  }

  MetricScore score(const evaluate::Metric& metric, const SentenceStatistics& sentences, size_t references) const {
    const evaluate::MetricStatistics sums = evaluate::sum(sentences);
    MetricScore result{metric.name(), metric.score(sums), {}, metric.details(sums), 0, 0};
    std::string resampled;
    if (options.resamples > 0) {
      const auto interval = evaluate::confidence_interval(evaluate::resampled_scores(metric, sentences, resampling()));
      result.mean = interval.mean, result.half_width = interval.half_width;
      resampled = cat("bs:", options.resamples, "|seed:", options.resample_seed, "|");
    }
    result.signature = evaluate::signature(metric, references, resampled);
    return result;
  }
};

Evaluator::Evaluator(const EvaluatorOptions& options)
    : impl_(api::guarded([&] { return std::make_unique<Impl>(options); })) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

std::vector<MetricScore> Evaluator::score(const Lines& hypotheses, const std::vector<Lines>& references) const {
  return api::guarded([&] {
    const CancelScope scope(impl_->options.stop);
    check_lines(hypotheses.size(), references);
    std::vector<MetricScore> results;
    for (const auto& metric : impl_->metrics(references))
      results.push_back(
          impl_->score(*metric, evaluate::sentence_statistics(*metric, hypotheses, references), references.size()));
    return results;
  });
}

std::vector<std::vector<double>> Evaluator::score_sentences(const Lines& hypotheses,
                                                            const std::vector<Lines>& references) const {
  return api::guarded([&] {
    const CancelScope scope(impl_->options.stop);
    check_lines(hypotheses.size(), references);
    std::vector<std::vector<double>> results;
    for (const auto& metric : impl_->metrics(references)) {
      results.emplace_back();
      for (const auto& of_sentence : evaluate::sentence_statistics(*metric, hypotheses, references))
        results.back().push_back(metric->sentence_score(of_sentence));
    }
    return results;
  });
}

std::vector<Comparison> Evaluator::compare(const Lines& baseline, const Lines& system,
                                           const std::vector<Lines>& references) const {
  return api::guarded([&] {
    const CancelScope scope(impl_->options.stop);
    check_lines(baseline.size(), references);
    check_lines(system.size(), references);
    std::vector<Comparison> results;
    for (const auto& metric : impl_->metrics(references)) {
      const SentenceStatistics one = evaluate::sentence_statistics(*metric, baseline, references),
                               other = evaluate::sentence_statistics(*metric, system, references);
      Comparison& c = results.emplace_back(
          Comparison{metric->name(), metric->score(evaluate::sum(one)), metric->score(evaluate::sum(other)), 1});
      c.p_value = evaluate::paired_p_value(evaluate::resampled_scores(*metric, one, impl_->resampling()),
                                           evaluate::resampled_scores(*metric, other, impl_->resampling()),
                                           c.system - c.baseline);
    }
    return results;
  });
}

}  // namespace hexapla
