#include "hexapla/evaluator.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "base/range.h"
#include "base/system/cancellation.h"
#include "evaluate/metrics/bootstrap.h"
#include "lib/evaluate/metrics.h"
#include "lib/evaluate/notes.h"
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

namespace api {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  double squares = 0;
  for (const double x : values) squares += (x - mean(values)) * (x - mean(values));
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

MetricScore mean_of(const std::vector<MetricScore>& runs) {
  MetricScore all = runs[0];
  const auto of_all = [&](const auto& value) {
    std::vector<double> values;
    for (const MetricScore& run : runs) values.push_back(value(run));
    return values;
  };
  const std::vector<double> scores = of_all([](const MetricScore& run) { return run.score; });
  all.score = mean(scores);
  all.details = fmt::format("mean of {} runs, standard deviation {:.2f}", runs.size(), deviation(scores));
  for (size_t i = 0; i < all.sentences.size(); ++i)
    all.sentences[i] = mean(of_all([&](const MetricScore& run) { return run.sentences[i]; }));
  evaluate::NumpyGenerator draw(runs.size());
  for (size_t i = 0; i < all.resamples.size(); ++i)
    all.resamples[i] = mean(
        of_all([&](const MetricScore&) { return runs[draw.below(static_cast<uint32_t>(runs.size()))].resamples[i]; }));
  if (all.resamples.empty()) return all;
  const auto interval = evaluate::confidence_interval(all.resamples);
  all.mean = interval.mean, all.half_width = interval.half_width;
  return all;
}

}  // namespace
}  // namespace api

struct Evaluator::Impl {
  static constexpr const char* kind = "evaluator";
  EvaluatorOptions options;

  explicit Impl(const EvaluatorOptions& o) : options(o) {
    kResamples.check("resamples", o.resamples);
    if (o.metrics.empty()) throw UsageError("`metrics` is empty; give any of bleu, chrf, chrf++, ter", "metrics", "");
    api::make_metrics(options);  // checks them
  }

  // "auto" chooses the tokenizer from the references.
  EvaluatorOptions chosen(const std::vector<Lines>& references) const {
    EvaluatorOptions by = options;
    if (by.tokenize == "auto") by.tokenize = api::tokenizer_of(references).name;
    return by;
  }
  MetricScore score(const evaluate::Metric& metric, const SentenceStatistics& sentences, size_t references,
                    int resamples) const {
    const evaluate::MetricStatistics sums = evaluate::sum(sentences);
    MetricScore result{
        metric.name(), metric.score(sums), {}, metric.details(sums), 0, 0, {}, {}, metric.higher_is_better()};
    for (const evaluate::MetricStatistics& one : sentences) result.sentences.push_back(metric.sentence_score(one));
    std::string resampled;
    if (resamples > 0) {
      result.resamples = evaluate::resampled_scores(metric, sentences, {resamples, options.resample_seed});
      const auto interval = evaluate::confidence_interval(result.resamples);
      result.mean = interval.mean, result.half_width = interval.half_width;
      resampled = cat("bs:", resamples, "|seed:", options.resample_seed, "|");
    }
    result.signature = evaluate::signature(metric, references, resampled);
    return result;
  }
  std::vector<MetricScore> scores(const Lines& hypotheses, const std::vector<Lines>& references, int resamples) const {
    const CancelScope scope(options.stop);
    check_lines(hypotheses.size(), references);
    std::vector<MetricScore> results;
    for (const auto& metric : api::make_metrics(chosen(references)))
      results.push_back(
          score(*metric, evaluate::sentence_statistics(*metric, hypotheses, references), references.size(), resamples));
    return results;
  }
};

Evaluator::Evaluator(const EvaluatorOptions& options)
    : impl_(api::guarded([&] { return std::make_unique<Impl>(options); })) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

std::vector<MetricScore> Evaluator::score(const Lines& hypotheses, const std::vector<Lines>& references) const {
  return api::guarded([&] { return impl_->scores(hypotheses, references, impl_->options.resamples); });
}

std::vector<std::vector<double>> Evaluator::score_sentences(const Lines& hypotheses,
                                                            const std::vector<Lines>& references) const {
  return api::guarded([&] {
    std::vector<std::vector<double>> results;
    for (MetricScore& score : impl_->scores(hypotheses, references, 0)) results.push_back(std::move(score.sentences));
    return results;
  });
}

std::vector<Comparison> Evaluator::compare(const Lines& baseline, const Lines& system,
                                           const std::vector<Lines>& references) const {
  return api::guarded([&] {
    const int resamples = impl_->options.resamples > 0 ? impl_->options.resamples : kUsualResamples;
    const auto one = impl_->scores(baseline, references, resamples),
               other = impl_->scores(system, references, resamples);
    std::vector<Comparison> results;
    for (size_t i = 0; i < one.size(); ++i)
      results.push_back({one[i].metric, one[i].score, other[i].score, p_value(one[i], other[i])});
    return results;
  });
}

double Evaluator::p_value(const MetricScore& baseline, const MetricScore& system) {
  return api::guarded([&] {
    if (baseline.resamples.empty() || baseline.resamples.size() != system.resamples.size())
      throw UsageError("two scores are compared by equally many resamples: give `resamples`", "resamples",
                       cat(system.resamples.size()));
    return evaluate::paired_p_value(baseline.resamples, system.resamples, system.score - baseline.score);
  });
}

MetricScore Evaluator::of_runs(const std::vector<MetricScore>& runs) {
  return api::guarded([&] {
    if (runs.empty()) throw UsageError("no run is given; give at least one", "runs", "");
    for (const MetricScore& run : runs)
      if (run.metric != runs[0].metric || run.sentences.size() != runs[0].sentences.size() ||
          run.resamples.size() != runs[0].resamples.size())
        throw UsageError("runs of one system are scored by one metric, on the same text and with the same resamples",
                         "runs", run.metric);
    return runs.size() == 1 ? runs[0] : api::mean_of(runs);
  });
}

std::vector<std::string> Evaluator::notes(const Lines& hypotheses, const std::vector<Lines>& references) const {
  return api::guarded([&] {
    std::vector<std::string> notes;
    if (impl_->options.tokenize == "auto") api::note_tokenizer(impl_->options, references, notes);
    if (!hypotheses.empty()) api::note_hypotheses(impl_->chosen(references), hypotheses, notes);
    for (std::string& note : notes) note = api::spelled_for_caller(note);
    return notes;
  });
}

}  // namespace hexapla
