#include "lib/tune/tuning_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files/file.h"
#include "base/files/shell_word.h"
#include "base/options/option_names.h"
#include "inspect/drawing/chart.h"
#include "inspect/drawing/page.h"
#include "inspect/drawing/svg.h"
#include "text/quantities.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::train::tune {
namespace {

using inspect::xml_escaped;

const Trial& trial(const Tuned& t, size_t i) { return t.record.trials[i]; }
const std::string& name(const Tuned& t, size_t i) { return trial(t, i).candidate.name; }
double last_quality(const Tuned& t, size_t i) { return trial(t, i).rungs.back().quality.value_or(0); }
double bits(const Tuned& t, size_t i) { return trial(t, i).rungs.back().bits; }

// Explains the reported p-value.
constexpr const char* kMeaningOfP =
    "p is how often resampling the validation pairs changes the difference by more than its own size; it says nothing "
    "about other seeds: each trial has one.";

std::string number_cell(const std::string& text) { return fmt::format("<td class=\"n\">{}</td>", text); }

std::string standing(const Tuned& tuned, size_t i) {
  const Trial& t = trial(tuned, i);
  if (!t.out.empty()) return "out: " + t.out;
  if (i == tuned.chosen) return "chosen";
  if (t.rungs.size() < tuned.record.seconds.size()) return fmt::format("not among the best of rung {}", t.rungs.size());
  return i == tuned.best ? cat("best ", tuned.record.metric, ", but not better by the rule") : "reached the last rung";
}

std::string trial_row(const Tuned& tuned, size_t i) {
  const Trial& t = trial(tuned, i);
  std::string row = fmt::format("<tr{}><td><a href=\"trials/{:02}\">{}</a></td>",
                                i == tuned.chosen ? " class=\"best\"" : "", i + 1, xml_escaped(t.candidate.name));
  row += number_cell(t.parameters > 0 ? text::grouped(t.parameters) : "");
  for (size_t r = 0; r < tuned.record.seconds.size(); ++r)
    row += number_cell(r < t.rungs.size() ? fmt::format("{:.4f}", t.rungs[r].bits) : "");
  row += number_cell(t.rungs.empty() ? "" : fmt::format("{:.1f}", t.rungs.back().seconds / 60));
  const bool translated = !t.rungs.empty() && t.rungs.back().quality;
  row += number_cell(translated ? fmt::format("{:.2f}", *t.rungs.back().quality) : "");
  return row + fmt::format("<td>{}</td></tr>\n", xml_escaped(standing(tuned, i)));
}

// Updates of all trials in a rung, which are compared at equal updates.
int64_t updates_of(const Tuned& tuned, size_t rung) {
  for (const Trial& t : tuned.record.trials)
    if (t.rungs.size() > rung) return t.rungs[rung].updates;
  return 0;
}

// Below this chrF or BLEU, translations are fragments.
constexpr double kTooYoung = 20;

std::string trials_table(const Tuned& tuned) {
  std::string text =
      "<h2>Trials</h2>\n<div class=\"scroll\"><table>\n<tr><th>trial</th><th class=\"n\">parameters</th>";
  for (size_t r = 0; r < tuned.record.seconds.size(); ++r)
    text += fmt::format("<th class=\"n\">bits after {} updates</th>", text::grouped(updates_of(tuned, r)));
  text += fmt::format("<th class=\"n\">minutes</th><th class=\"n\">{}</th><th></th></tr>\n", tuned.record.metric);
  for (size_t i = 0; i < tuned.record.trials.size(); ++i) text += trial_row(tuned, i);
  return text + "</table></div>\n";
}

std::string charts(const Tuned& tuned) {
  std::vector<inspect::Series> all;
  for (const Trial& t : tuned.record.trials) {
    if (t.rungs.size() < 2) continue;
    inspect::Series s{t.candidate.name, {}, true};
    for (const Measurement& m : t.rungs) s.points.emplace_back(static_cast<double>(m.updates), m.bits);
    all.push_back(std::move(s));
  }
  std::string text = "<h2>Curves</h2>\n<div class=\"charts\">\n";
  for (size_t first = 0; first < all.size(); first += 3) {  // at most three curves per chart
    inspect::Chart chart{"Bits per character", "updates", {}};
    for (size_t i = first; i < std::min(first + 3, all.size()); ++i) chart.series.push_back(all[i]);
    text += inspect::draw_chart(chart);
  }
  return text + "</div>\n";
}

std::string changes_table(const Tuned& tuned, const train::TrainOptions& baseline) {
  const std::vector<GivenOption>& changes = trial(tuned, tuned.chosen).candidate.changes;
  if (changes.empty()) return "";
  std::string text =
      fmt::format("<table>\n<tr><th>option</th><th>chosen</th><th>preset {}</th></tr>\n", xml_escaped(baseline.preset));
  for (const OptionRow& row : train::all_rows(baseline))
    for (const GivenOption& c : changes)
      if (c.name == row.name && (row.is_number() || row.is_switch()))
        text += fmt::format("<tr><td>--{}</td><td>{}</td><td>{}</td></tr>\n", row.name, xml_escaped(c.values.front()),
                            row.in_one_line());
  return text + "</table>\n";
}

std::string how_it_was_done(const Tuned& tuned, const std::string& folder) {
  std::string text = fmt::format(
      "<h2>How it was done</h2>\n<p>Successive halving: all trials were trained for the same number of updates, {} of "
      "them; the better third, and the baseline, went on. They were compared at equal updates, not at equal time: what "
      "else the machine did meanwhile has no part in it, and the minutes of a trial are beside the point. The measure "
      "is "
      "the bits per character of {} validation pairs, which mean the same whatever the vocabulary is; those that "
      "reached "
      "the last rung were compared by {} of their translations, too. {} ",
      text::grouped(updates_of(tuned, 0)), text::grouped(tuned.measured_on), tuned.record.metric, kMeaningOfP);
  text +=
      "The trials had an eighth of the batch, 0.4 times the learning rate and a tenth of the warm-up of the training "
      "in full, and a moving average of the weights in place of the mean of checkpoints. The seed was the same for "
      "all.</p>\n";
  if (!tuned.held_out.empty()) text += fmt::format("<p>{}</p>\n", xml_escaped(spell_options(tuned.held_out, as_flag)));
  return text + fmt::format(
                    "<p>Every folder in {}/trials is a run that <code>hexapla translate</code>, "
                    "<code>inspect</code> and <code>info</code> read.</p>\n",
                    xml_escaped(folder));
}

}  // namespace

std::string why_chosen(const Tuned& t) {
  const std::string& metric = t.record.metric;
  if (t.best == 0)
    return fmt::format("Chosen: {}, the baseline. No other trial has a better {} ({:.2f}).", name(t, 0), metric,
                       last_quality(t, 0));
  if (!t.p)
    return fmt::format("Chosen: {}, {} {:.2f}. The baseline has failed.", name(t, t.best), metric,
                       last_quality(t, t.best));
  const std::string scores =
      fmt::format("{} {:.2f} against {:.2f}, p = {:.3f}; {:.4f} bits per character against {:.4f}", metric,
                  last_quality(t, t.best), last_quality(t, 0), *t.p, bits(t, t.best), bits(t, 0));
  if (t.chosen == t.best)
    return fmt::format("Chosen: {}. It is better than the baseline, {} ({}). {}", name(t, t.best), name(t, 0), scores,
                       kMeaningOfP);
  const char* const but = *t.p < kSignificant ? "but needs no fewer bits per character: the two measures disagree"
                                              : "but the choice of the validation pairs may have made the difference";
  return fmt::format("Chosen: {}, the baseline. {} has a better {}, {} ({}). {}", name(t, 0), name(t, t.best), metric,
                     but, scores, kMeaningOfP);
}

std::string doubt_of(const Tuned& t) {
  const double best = last_quality(t, t.best);
  if (best >= kTooYoung) return "";
  return fmt::format(
      "The best trial has a {} of {:.2f}: with so little training, trials predict the full training poorly. Give more "
      "minutes and a new folder.",
      t.record.metric, best);
}

void write_tuning_report(const std::string& folder, const Tuned& tuned, const train::TrainOptions& baseline,
                         const train::TrainOptions& chosen) {
  std::string body = fmt::format("<p>{} {}</p>\n", xml_escaped(why_chosen(tuned)), xml_escaped(doubt_of(tuned)));
  body += changes_table(tuned, baseline);
  body += fmt::format("<p>To train it in full, in {}:</p>\n<p><code>hexapla train -c {}</code></p>\n",
                      xml_escaped(chosen.model), xml_escaped(shell_word(tuned.options_file)));
  body += trials_table(tuned) + charts(tuned) + how_it_was_done(tuned, folder);
  const std::string lead = fmt::format("{} in {}", text::counted(std::ssize(tuned.record.trials), "trial"),
                                       text::duration(tuned.record.spent));
  const std::string heading = std::filesystem::weakly_canonical(folder).filename().string();
  write_file_atomically(folder + "/report.html", inspect::html_page(heading + ": tuning", heading, lead, body));
}

}  // namespace hexapla::train::tune
