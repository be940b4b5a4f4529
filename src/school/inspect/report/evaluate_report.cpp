#include "inspect/report/evaluate_report.h"
#include "base/json.h"
#include "text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>

namespace hexapla::inspect {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSignificant = .05;

struct Scored {
  const evaluate::Metric* metric = nullptr;
  std::string signature;  // begins with the metric's name
  std::vector<double> sentences;
  double score = 0;
  std::string details;
  std::vector<double> resamples;  // empty unless requested
  evaluate::ConfidenceInterval interval{};
};

Scored score(const Evaluation& e, const System& system, const evaluate::Metric& metric, const ReportOptions& options) {
  const std::vector<evaluate::MetricStatistics> statistics =
      evaluate::sentence_statistics(metric, system.lines, e.references);
  const evaluate::MetricStatistics sums = evaluate::sum(statistics);
  Scored s{.metric = &metric, .score = metric.score(sums), .details = metric.details(sums)};
  for (const evaluate::MetricStatistics& one : statistics) s.sentences.push_back(metric.sentence_score(one));
  std::string resampled;
  if (options.confidence || e.systems.size() > 1) {
    s.resamples = evaluate::resampled_scores(metric, statistics, options.resample);
    s.interval = evaluate::confidence_interval(s.resamples);
    resampled = fmt::format("bs:{}|seed:{}|", options.resample.samples, options.resample.seed);
  }
  s.signature = evaluate::signature(metric, e.references.size(), resampled);
  return s;
}

std::string interval_text(const Scored& s) {
  return fmt::format("μ = {:.1f} ± {:.1f}", s.interval.mean, s.interval.half_width);
}

// "20.8 (μ = 20.8 ± 0.5)"
std::string score_text(const Scored& s) {
  return s.resamples.empty() ? fmt::format("{:.1f}", s.score) : fmt::format("{:.1f} ({})", s.score, interval_text(s));
}

// The signature "BLEU|nrefs:1|case:mixed|..." is the metric's name and the rest, as in sacreBLEU's
// JSON.
Json score_json(const Scored& s) {
  const std::string pairs = s.signature.substr(s.signature.find('|') + 1);
  Json j{{"name", s.metric->name()}, {"score", s.score}, {"signature", pairs}};
  if (!s.resamples.empty()) {
    j["confidence_mean"] = s.interval.mean;
    j["confidence_var"] = s.interval.half_width;
    j["confidence"] = interval_text(s);
  }
  if (!s.details.empty()) j["verbose_score"] = s.details;
  for (size_t from = 0; from < pairs.size();) {
    const size_t to = std::min(pairs.find('|', from), pairs.size()), colon = pairs.find(':', from);
    j[pairs.substr(from, colon - from)] = pairs.substr(colon + 1, to - colon - 1);
    from = to + 1;
  }
  return j;
}

// The `count` worst or best sentences; ties in text order.
std::vector<size_t> ranked(const Scored& s, int64_t count, bool best) {
  std::vector<size_t> order(s.sentences.size());
  std::iota(order.begin(), order.end(), 0);
  const bool falling = best == s.metric->higher_is_better();
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return falling ? s.sentences[a] > s.sentences[b] : s.sentences[a] < s.sentences[b];
  });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  return order;
}

std::string ranked_text(const Evaluation& e, const Scored& s, const char* title, const std::vector<size_t>& lines) {
  std::string text = fmt::format("\n{} {} by {}:\n", title, lines.size(), s.metric->name());
  for (const size_t i : lines) {
    text += fmt::format("line {}: {:.1f}\n", i + 1, s.sentences[i]);
    if (!e.source.empty()) text += fmt::format("  source:     {}\n", e.source[i]);
    for (const evaluate::Sentences& reference : e.references) text += fmt::format("  reference:  {}\n", reference[i]);
    text += fmt::format("  hypothesis: {}\n", e.systems[0].lines[i]);
  }
  return text;
}

Json ranked_json(const Evaluation& e, const Scored& s, const std::vector<size_t>& lines) {
  Json list = Json::array();
  for (const size_t i : lines) {
    Json one{{"line", i + 1}, {"score", s.sentences[i]}};
    if (!e.source.empty()) one["source"] = e.source[i];
    one["references"] = Json::array();
    for (const evaluate::Sentences& reference : e.references) one["references"].push_back(reference[i]);
    one["hypothesis"] = e.systems[0].lines[i];
    list.push_back(one);
  }
  return list;
}

void print_scores(std::ostream& out, const Evaluation& e, const std::vector<Scored>& scored, const ReportOptions& o) {
  for (const Scored& s : scored)
    out << s.signature << " = " << score_text(s) << (s.details.empty() ? "" : " ") << s.details << "\n";
  const Scored& first = scored.front();
  if (o.worst > 0) out << text::printable(ranked_text(e, first, "worst", ranked(first, o.worst, false)));
  if (o.best > 0) out << text::printable(ranked_text(e, first, "best", ranked(first, o.best, true)));
}

// Bytes that are not UTF-8 become U+FFFD, because JSON requires UTF-8.
std::string dumped(const Json& json) { return text::printable(json_text(json, 1)) + "\n"; }

void print_scores_json(std::ostream& out, const Evaluation& e, const std::vector<Scored>& scored,
                       const ReportOptions& o) {
  Json all = Json::array();
  for (const Scored& s : scored) {
    all.push_back(score_json(s));
    if (o.sentence_level) all.back()["sentence_scores"] = s.sentences;
  }
  const Scored& first = scored.front();
  if (o.worst > 0) all[0]["worst"] = ranked_json(e, first, ranked(first, o.worst, false));
  if (o.best > 0) all[0]["best"] = ranked_json(e, first, ranked(first, o.best, true));
  out << dumped(all.size() == 1 ? all[0] : all);
}

void print_sentences(std::ostream& out, const std::vector<Scored>& scored) {
  out << "line";
  for (const Scored& s : scored) out << "\t" << s.metric->name();
  out << "\n";
  for (size_t i = 0; i < scored[0].sentences.size(); ++i) {
    out << i + 1;
    for (const Scored& s : scored) out << fmt::format("\t{:.4f}", s.sentences[i]);
    out << "\n";
  }
}

double p_value(const Scored& baseline, const Scored& other) {
  return evaluate::paired_p_value(baseline.resamples, other.resamples, other.score - baseline.score);
}

// sacreBLEU gives equal systems the smallest possible p-value, so it is not shown.
std::string verdict(const Scored& baseline, const Scored& other) {
  if (other.resamples == baseline.resamples) return "no difference";
  const double p = p_value(baseline, other);
  return fmt::format("p = {:.4f}{}", p, p < kSignificant ? " *" : "");
}

// Systems compared by one metric, with the baseline first.
void print_comparison(std::ostream& out, const Evaluation& e, const std::vector<Scored>& scored) {
  out << scored[0].signature << "\n";
  for (size_t i = 0; i < scored.size(); ++i) {
    out << fmt::format("  {:<26}{:<16}{}\n", score_text(scored[i]), i == 0 ? "baseline" : verdict(scored[0], scored[i]),
                       text::printable(e.systems[i].name));
  }
}

// sacreBLEU's format: an object per system, containing an object per metric.
Json comparison_json(const Evaluation& e, const std::vector<std::vector<Scored>>& by_metric) {
  Json all = Json::array();
  for (size_t i = 0; i < e.systems.size(); ++i) {
    Json system{{"system", (i == 0 ? "Baseline: " : "") + e.systems[i].name}};
    for (const std::vector<Scored>& scored : by_metric) {
      const Scored& s = scored[i];
      system[s.metric->name()] = Json{{"score", s.score},
                                      {"p_value", i == 0 ? Json() : Json(p_value(scored[0], s))},
                                      {"mean", s.interval.mean},
                                      {"ci", s.interval.half_width},
                                      {"signature", s.signature.substr(s.signature.find('|') + 1)}};
    }
    all.push_back(system);
  }
  return all;
}

void compare(std::ostream& out, const Evaluation& e, const std::vector<std::unique_ptr<evaluate::Metric>>& metrics,
             const ReportOptions& options) {
  std::vector<std::vector<Scored>> by_metric;
  for (const auto& metric : metrics) {
    by_metric.emplace_back();
    for (const System& system : e.systems) by_metric.back().push_back(score(e, system, *metric, options));
    if (!options.json) print_comparison(out, e, by_metric.back());
  }
  if (options.json) out << dumped(comparison_json(e, by_metric));
}

}  // namespace

void print_report(std::ostream& out, const Evaluation& e, const std::vector<std::unique_ptr<evaluate::Metric>>& metrics,
                  const ReportOptions& options) {
  if (e.systems.size() > 1) return compare(out, e, metrics, options);
  std::vector<Scored> scored;
  for (const auto& metric : metrics) scored.push_back(score(e, e.systems[0], *metric, options));
  if (options.json)
    print_scores_json(out, e, scored, options);
  else if (options.sentence_level)
    print_sentences(out, scored);
  else
    print_scores(out, e, scored, options);
}

}  // namespace hexapla::inspect
