#include "cli/text/evaluate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "base/json.h"
#include "lib/display.h"

namespace hexapla::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSignificant = .05;

using Scores = std::vector<MetricScore>;  // by each metric

std::string interval_text(const MetricScore& s) { return fmt::format("μ = {:.1f} ± {:.1f}", s.mean, s.half_width); }

// "20.8 (μ = 20.8 ± 0.5)"
std::string score_text(const MetricScore& s) {
  return s.resamples.empty() ? fmt::format("{:.1f}", s.score) : fmt::format("{:.1f} ({})", s.score, interval_text(s));
}

// The signature "BLEU|nrefs:1|case:mixed|..." is the metric's name and the rest, as in sacreBLEU's
// JSON.
Json score_json(const MetricScore& s) {
  const std::string pairs = s.signature.substr(s.signature.find('|') + 1);
  Json j{{"name", s.metric}, {"score", s.score}, {"signature", pairs}};
  if (!s.resamples.empty()) {
    j["confidence_mean"] = s.mean;
    j["confidence_var"] = s.half_width;
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
std::vector<size_t> ranked(const MetricScore& s, int64_t count, bool best) {
  std::vector<size_t> order(s.sentences.size());
  std::iota(order.begin(), order.end(), 0);
  const bool falling = best == s.higher_is_better;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return falling ? s.sentences[a] > s.sentences[b] : s.sentences[a] < s.sentences[b];
  });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  return order;
}

std::string ranked_text(const Evaluation& e, const MetricScore& s, const char* title,
                        const std::vector<size_t>& lines) {
  std::string text = fmt::format("\n{} {} by {}:\n", title, lines.size(), s.metric);
  for (const size_t i : lines) {
    text += fmt::format("line {}: {:.1f}\n", i + 1, s.sentences[i]);
    if (!e.source.empty()) text += fmt::format("  source:     {}\n", e.source[i]);
    for (const Evaluator::Lines& reference : e.references) text += fmt::format("  reference:  {}\n", reference[i]);
    text += fmt::format("  hypothesis: {}\n", e.systems[0].lines()[i]);
  }
  return text;
}

Json ranked_json(const Evaluation& e, const MetricScore& s, const std::vector<size_t>& lines) {
  Json list = Json::array();
  for (const size_t i : lines) {
    Json one{{"line", i + 1}, {"score", s.sentences[i]}};
    if (!e.source.empty()) one["source"] = e.source[i];
    one["references"] = Json::array();
    for (const Evaluator::Lines& reference : e.references) one["references"].push_back(reference[i]);
    one["hypothesis"] = e.systems[0].lines()[i];
    list.push_back(one);
  }
  return list;
}

void print_scores(std::ostream& out, const Evaluation& e, const Scores& scored, const ReportOptions& o) {
  for (const MetricScore& s : scored)
    out << s.signature << " = " << score_text(s) << (s.details.empty() ? "" : " ") << s.details << "\n";
  const MetricScore& first = scored.front();
  if (o.worst > 0) out << text::printable(ranked_text(e, first, "worst", ranked(first, o.worst, false)));
  if (o.best > 0) out << text::printable(ranked_text(e, first, "best", ranked(first, o.best, true)));
}

// Bytes that are not UTF-8 become U+FFFD, because JSON requires UTF-8.
std::string dumped(const Json& json) { return text::printable(json_text(json, 1)) + "\n"; }

void print_scores_json(std::ostream& out, const Evaluation& e, const Scores& scored, const ReportOptions& o) {
  Json all = Json::array();
  for (const MetricScore& s : scored) {
    all.push_back(score_json(s));
    if (o.sentence_level) all.back()["sentence_scores"] = s.sentences;
  }
  const MetricScore& first = scored.front();
  if (o.worst > 0) all[0]["worst"] = ranked_json(e, first, ranked(first, o.worst, false));
  if (o.best > 0) all[0]["best"] = ranked_json(e, first, ranked(first, o.best, true));
  out << dumped(all.size() == 1 ? all[0] : all);
}

void print_sentences(std::ostream& out, const Scores& scored) {
  out << "line";
  for (const MetricScore& s : scored) out << "\t" << s.metric;
  out << "\n";
  for (size_t i = 0; i < scored[0].sentences.size(); ++i) {
    out << i + 1;
    for (const MetricScore& s : scored) out << fmt::format("\t{:.4f}", s.sentences[i]);
    out << "\n";
  }
}

// sacreBLEU gives equal systems the smallest possible p-value, so it is not shown.
std::string verdict(const MetricScore& baseline, const MetricScore& other) {
  if (other.resamples == baseline.resamples) return "no difference";
  const double p = Evaluator::p_value(baseline, other);
  return fmt::format("p = {:.4f}{}", p, p < kSignificant ? " *" : "");
}

// scores: of each system. The baseline is first.
void print_comparison(std::ostream& out, const Evaluation& e, const std::vector<Scores>& scores, size_t metric) {
  const MetricScore& baseline = scores[0][metric];
  out << baseline.signature << "\n";
  for (size_t i = 0; i < scores.size(); ++i) {
    const MetricScore& s = scores[i][metric];
    out << fmt::format(
        "  {:<26}{:<16}{}\n", score_text(s), i == 0 ? "baseline" : verdict(baseline, s),
        text::printable(e.systems[i].name) + (e.systems[i].runs.size() > 1 ? " (" + s.details + ")" : ""));
  }
}

// sacreBLEU's format: an object per system, containing an object per metric.
Json comparison_json(const Evaluation& e, const std::vector<Scores>& scores) {
  Json all = Json::array();
  for (size_t i = 0; i < scores.size(); ++i) {
    Json system{{"system", (i == 0 ? "Baseline: " : "") + e.systems[i].name}};
    for (size_t metric = 0; metric < scores[i].size(); ++metric) {
      const MetricScore& s = scores[i][metric];
      system[s.metric] = Json{{"score", s.score},
                              {"p_value", i == 0 ? Json() : Json(Evaluator::p_value(scores[0][metric], s))},
                              {"mean", s.mean},
                              {"ci", s.half_width},
                              {"signature", s.signature.substr(s.signature.find('|') + 1)}};
    }
    all.push_back(system);
  }
  return all;
}

}  // namespace

void print_report(std::ostream& out, const Evaluation& e, const std::vector<Scores>& scores, const ReportOptions& o) {
  const Scores& first = scores.front();
  if (scores.size() > 1 && o.json)
    out << dumped(comparison_json(e, scores));
  else if (scores.size() > 1)
    for (size_t metric = 0; metric < first.size(); ++metric) print_comparison(out, e, scores, metric);
  else if (o.json)
    print_scores_json(out, e, first, o);
  else if (o.sentence_level)
    print_sentences(out, first);
  else
    print_scores(out, e, first, o);
}

}  // namespace hexapla::cli
