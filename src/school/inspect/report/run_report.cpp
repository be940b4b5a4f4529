#include "inspect/report/run_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/compute/parallel.h"
#include "base/files/file.h"
#include "base/files/json_lines.h"
#include "decode/opened/open_model.h"
#include "inspect/drawing/chart.h"
#include "inspect/drawing/page.h"
#include "inspect/drawing/svg.h"
#include "inspect/recorder.h"
#include "text/quantities.h"

namespace hexapla::inspect {
namespace {

using nlohmann::json;

// The validations of one of several sets; null objects for lines without it.
std::vector<json> of_set(const std::vector<json>& validations, const std::string& name) {
  std::vector<json> own;
  for (const json& v : validations) {
    json one = json::object();
    if (const auto sets = v.find("sets"); sets != v.end() && sets->is_object() && sets->contains(name))
      one = sets->at(name);
    if (!one.is_object()) one = json::object();
    one["update"] = number_in(v, "update");
    one["epoch"] = number_in(v, "epoch");
    own.push_back(std::move(one));
  }
  return own;
}

// From the last validation.
std::vector<std::string> set_names(const RunRecord& run) {
  std::vector<std::string> names;
  if (run.validations.empty()) return names;
  if (const auto sets = run.validations.back().find("sets"); sets != run.validations.back().end() && sets->is_object())
    for (const auto& item : sets->items()) names.push_back(item.key());
  return names;
}

Series series(const std::string& name, const std::vector<json>& lines, const char* key, bool marked = false) {
  Series s{name, {}, marked};
  for (const json& line : lines) s.points.emplace_back(number_in(line, "update"), number_in(line, key));
  return s;
}

std::string charts(const RunRecord& run) {
  std::vector<Chart> all{
      {"Loss",
       "updates",
       {series("training", run.reports, "loss"), series("validation", run.validations, "loss", true)}},
      {"BLEU and chrF",
       "updates",
       {series("BLEU", run.validations, "bleu", true), series("chrF", run.validations, "chrf", true)}},
      {"Learning rate", "updates", {series("learning rate", run.reports, "learning_rate")}},
      {"Gradient norm", "updates", {series("norm", run.reports, "gradient_norm")}},
      {"Target tokens per second", "updates", {series("tokens/s", run.reports, "tokens_per_second")}}};
  if (run.validations.empty()) all.erase(all.begin() + 1);
  const std::vector<std::string> sets = set_names(run);
  for (size_t first = 0; first < sets.size(); first += 3) {  // a chart has room for three curves
    Chart chart{"BLEU by set", "updates", {}};
    for (size_t i = first; i < std::min(first + 3, sets.size()); ++i)
      chart.series.push_back(series(sets[i], of_set(run.validations, sets[i]), "bleu", true));
    all.push_back(std::move(chart));
  }
  std::string text = "<h2>Curves</h2>\n<div class=\"charts\">\n";
  for (const Chart& c : all) text += draw_chart(c);
  return text + "</div>\n";
}

std::string cell(const json& line, const char* key, const char* format) {
  const double v = number_in(line, key);
  return fmt::format("<td class=\"n\">{}</td>", std::isnan(v) || v < 0 ? "" : fmt::format(fmt::runtime(format), v));
}

// The best model's validation; null if there is none. Earlier versions did not log it: by BLEU.
const json* best_of(const std::vector<json>& lines) {
  const json *best = nullptr, *most = nullptr;
  for (const json& v : lines) {
    if (v.contains("best") && v["best"] == true) best = &v;
    if (number_in(v, "bleu") >= 0 && (!most || number_in(v, "bleu") > number_in(*most, "bleu"))) most = &v;
  }
  return best ? best : most;
}

std::string validation_table(const std::vector<json>& lines) {
  const bool script = std::any_of(lines.begin(), lines.end(), [](const json& v) { return v.contains("script"); });
  std::string text = fmt::format(
      "<div class=\"scroll\"><table>\n<tr><th class=\"n\">update</th><th class=\"n\">epoch</th><th "
      "class=\"n\">loss</th><th "
      "class=\"n\">perplexity</th><th class=\"n\">BLEU</th><th class=\"n\">chrF</th>{}</tr>\n",
      script ? "<th class=\"n\">script</th>" : "");
  const json* const best = best_of(lines);
  for (const json& v : lines)
    text += fmt::format("<tr{}>{}{}{}{}{}{}{}</tr>\n", &v == best ? " class=\"best\"" : "", cell(v, "update", "{:.0f}"),
                        cell(v, "epoch", "{:.0f}"), cell(v, "loss", "{:.4f}"), cell(v, "perplexity", "{:.3f}"),
                        cell(v, "bleu", "{:.2f}"), cell(v, "chrf", "{:.2f}"),
                        script ? fmt::format("<td class=\"n\">{:.4f}</td>", number_in(v, "script")) : "");
  return text + "</table></div>\n";
}

std::string validations(const RunRecord& run) {
  if (run.validations.empty()) return "";
  std::string text = "<h2>Validations</h2>\n";
  const json& last = run.validations.back();
  if (const auto found = last.find("signature"); found != last.end() && found->is_string())
    text += fmt::format("<p class=\"lead\">{}</p>\n", xml_escaped(found->get<std::string>()));
  text += validation_table(run.validations);
  for (const std::string& name : set_names(run))
    text += fmt::format("<h3>of these {}</h3>\n", xml_escaped(name)) + validation_table(of_set(run.validations, name));
  return text;
}

// [source, reference, hypothesis] of every line under this key; omits malformed ones.
std::vector<std::array<std::string, 3>> samples_of(const json& validation, const char* key = "samples") {
  std::vector<std::array<std::string, 3>> all;
  const auto found = validation.find(key);
  if (found == validation.end() || !found->is_array()) return all;
  for (const json& s : *found)
    if (s.is_array() && s.size() == 3 && s[0].is_string() && s[1].is_string() && s[2].is_string())
      all.push_back({s[0], s[1], s[2]});
  return all;
}

std::string sample_tables(const json& validation, const char* key = "samples") {
  std::string text;
  for (const auto& [source, reference, hypothesis] : samples_of(validation, key))
    text += fmt::format(
        "<table class=\"sample\"><tr><th>source</th><td dir=\"auto\">{}</td></tr><tr><th>reference</th>"
        "<td dir=\"auto\">{}</td></tr><tr><th>hypothesis</th><td dir=\"auto\">{}</td></tr></table>\n",
        xml_escaped(source), xml_escaped(reference), xml_escaped(hypothesis));
  return text;
}

std::string samples(const RunRecord& run) {
  if (run.validations.empty() || samples_of(run.validations.back()).empty()) return "";
  std::string text = fmt::format("<h2>Samples</h2>\n<p class=\"lead\">after update {:.0f}</p>\n",
                                 number_in(run.validations.back(), "update"));
  text += sample_tables(run.validations.back());
  if (run.validations.size() < 2) return text;
  text += "<details><summary>the same samples at earlier validations</summary>\n";
  for (size_t i = run.validations.size() - 1; i-- > 0;)
    text += fmt::format("<h3>update {:.0f}</h3>\n", number_in(run.validations[i], "update")) +
            sample_tables(run.validations[i]);
  return text + "</details>\n";
}

// The faults of the best model's translations, and its worst lines.
std::string faults(const RunRecord& run) {
  const json* best = best_of(run.validations);
  if (!best || !best->contains("worst")) return "";
  std::string text = fmt::format(
      "<h2>The worst lines</h2>\n<p class=\"lead\">of update {:.0f}, by chrF. The translations have {:.2f} times the "
      "words "
      "of the references; {:.1f} % of them repeat themselves or do not end.</p>\n",
      number_in(*best, "update"), number_in(*best, "length_ratio"), 100 * number_in(*best, "runaway"));
  return text + sample_tables(*best, "worst");
}

std::string record_row(const std::string& key, const std::string& value) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", xml_escaped(key), xml_escaped(value));
}

template <class Json>
std::string plain(const Json& value) {
  return value.is_string() ? value.template get<std::string>() : json_text(value);
}

std::string record(const RunRecord& run) {
  if (run.history.empty()) return "";
  std::string text = "<h2>Model</h2>\n<table>\n";
  for (const auto& item : run.config.items()) text += record_row(item.key(), plain(item.value()));
  text += "</table>\n<h2>How it was trained</h2>\n<table>\n";
  for (const auto& [key, value] : history_rows(run.history)) text += record_row(key, value);
  return text + "</table>\n";
}

// Without validations and pauses.
double training_seconds(const std::vector<json>& reports) {
  double seconds = 0, tokens = 0;
  for (const json& r : reports) {
    const double now = number_in(r, "target_tokens"), speed = number_in(r, "tokens_per_second");
    if (now > tokens && speed > 0) seconds += (now - tokens) / speed;
    tokens = now;
  }
  return seconds;
}

constexpr double kClear = 0.01;  // of the loss: less is no change

// The state of the run, as the validation losses tell it. Training loss is smoothed and with dropout: only its
// direction counts.
std::string course(const RunRecord& run) {
  std::vector<std::pair<double, double>> losses;  // update, validation loss
  for (const json& v : run.validations)
    if (const double loss = number_in(v, "loss"); std::isfinite(loss))
      losses.emplace_back(number_in(v, "update"), loss);
  if (losses.size() < 4) return "";
  const auto lowest = std::ranges::min_element(losses, {}, &std::pair<double, double>::second);
  const double last = losses.back().second;
  if (last > lowest->second * (1 + kClear))
    return fmt::format("The model overfits since update {}: the validation loss rises, while it trains on",
                       text::grouped(static_cast<long long>(lowest->first)));
  const double before = losses[losses.size() * 3 / 4 - 1].second;  // a quarter of the run ago
  return last < before * (1 - kClear)
             ? "The model was still improving: a longer training gives a better one"
             : "The model has converged: in the last quarter its validation loss did not change";
}

std::string lead(const RunRecord& run) {
  if (run.reports.empty() && run.history.contains("updates"))
    return fmt::format("a model after {} updates, fewer than there are between two reports", run.history.at("updates"));
  if (run.reports.empty()) return "nothing has been reported yet";
  const json& last = run.reports.back();
  std::string text = fmt::format(
      "{} updates, {} target tokens, loss {:.4f}", text::grouped(static_cast<long long>(number_in(last, "update"))),
      text::grouped(static_cast<long long>(number_in(last, "target_tokens"))), number_in(last, "loss"));
  if (const json* best = best_of(run.validations)) {
    const auto by = best->find("compared_by");
    const std::string metric = by != best->end() && by->is_string() ? by->get<std::string>() : "bleu";
    text += fmt::format(", best {} {:.2f} at update {}",
                        metric == "bleu"   ? "BLEU"
                        : metric == "chrf" ? "chrF"
                                           : metric,
                        number_in(*best, metric.c_str()),
                        text::grouped(static_cast<long long>(number_in(*best, "update"))));
  }
  if (run.parameters > 0) text += fmt::format(", {} parameters", text::grouped(run.parameters));
  text += ", trained for " + text::duration(training_seconds(run.reports));
  const std::string how_it_went = course(run);
  return how_it_went.empty() ? text : text + ". " + how_it_went;
}

constexpr size_t kLongestDrawn = 60;  // tokens per side; larger pictures are not readable

// Attention of the decoder's last layer, all heads.
std::string attention_on(const decode::OpenModel& m, const std::string& source, const std::string& target) {
  inspect::Pair pair{m.source.encode(source), m.target.encode(target)};
  const size_t longest = std::max(pair.source.size(), pair.target.size());
  if (pair.source.empty() || pair.target.empty() || longest > kLongestDrawn) return "";
  const model::Config& c = m.file.config;
  if (c.positions == "learned" && static_cast<int64_t>(longest) + 1 > c.max_positions) return "";  // with </s> or <s>
  m.source.end_source(pair.source);
  const inspect::Inspection seen = inspect::inspect_pair(*m.backend, *m.file.net, pair, m.target.bos(), m.target.eos());
  SvgSheet sheet{"Cross-attention, last layer", "rows: the token written, columns: source", {}, {}, {}};
  for (int32_t id : seen.target_out) sheet.rows.push_back(m.target.piece(id));
  for (int32_t id : pair.source) sheet.columns.push_back(m.source.piece(id));
  const inspect::Recorded& weights =
      seen.seen.get(fmt::format("decoder.layers.{}.cross_attention.weights", m.file.config.dec_layers - 1));
  sheet.maps.push_back({"mean of all heads", weights.mean_head()});
  for (int64_t h = 0; h < weights.shape[0]; ++h) sheet.maps.push_back({fmt::format("head {}", h), weights.head(h)});
  return draw_svg(sheet);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> history_rows(const std::map<std::string, std::string>& history) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& [key, value] : history) {
    const auto parsed = json_or_null<nlohmann::ordered_json>(value);
    if (!parsed.is_object() && !parsed.is_array()) {
      rows.emplace_back(key, value);
      continue;
    }
    const auto flat = parsed.flatten();  // keys like /0/hash
    for (const auto& item : flat.items()) {
      std::string name = key + item.key();
      std::replace(name.begin(), name.end(), '/', ' ');
      rows.emplace_back(name, plain(item.value()));
    }
  }
  return rows;
}

RunRecord read_run(const std::string& folder, int threads) {
  RunRecord run;
  const auto path = std::filesystem::weakly_canonical(folder);
  run.name = path.filename().string();
  run.reports = json_lines(folder + "/train.jsonl");
  run.validations = json_lines(folder + "/valid.jsonl");
  if (!std::filesystem::exists(folder + "/model.safetensors") && !std::filesystem::exists(folder + "/best.safetensors"))
    return run;
  use_threads(threads);
  const decode::OpenModel m = decode::open_model(folder);
  run.history = m.file.history;
  run.parameters = m.file.parameters->count();
  run.config = parse_json<nlohmann::ordered_json>(m.file.config.to_json(), "a configuration");
  if (!run.validations.empty())
    if (const auto all = samples_of(run.validations.back()); !all.empty()) {
      const auto& [source, reference, hypothesis] = all.front();
      run.attention = attention_on(m, source, hypothesis.empty() ? reference : hypothesis);
    }
  return run;
}

std::string draw_report(const RunRecord& run) {
  std::string text = charts(run) + validations(run) + faults(run) + samples(run);
  if (!run.attention.empty())
    text += "<h2>Attention on the first sample</h2>\n<div class=\"scroll\">\n" + run.attention + "</div>\n";
  return html_page(run.name + ": training", run.name, lead(run), text + record(run));
}

void write_report(const std::string& folder, int threads) {
  write_file_atomically(folder + "/report.html", draw_report(read_run(folder, threads)));
}

}  // namespace hexapla::inspect
