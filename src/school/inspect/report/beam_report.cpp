#include "inspect/report/beam_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "inspect/drawing/picture.h"
#include "inspect/drawing/svg.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

using decode::Fate, decode::Trace, decode::TracedCandidate, decode::TracedStep;

std::string piece(const text::Vocabulary& v, int32_t id) { return text::printable(v.piece(id), ""); }

std::string text_of_pieces(const text::Vocabulary& v, const text::Ids& ids) {
  std::string text = "<s>";
  for (const int32_t id : ids) text += cat(" ", piece(v, id));
  return text;
}

std::string numbers(const TracedCandidate& c) {
  const std::string normalized = c.fate == Fate::finished ? fmt::format(", normalized {:.3f}", c.normalized) : "";
  return fmt::format("p {:.4f}, score {:.3f}{}", std::exp(c.log_p), c.score, normalized);
}

std::string step_text(const TracedStep& step, size_t number, const text::Vocabulary& v, int beam_size) {
  std::string text = fmt::format("step {}\n", number);
  for (size_t beam = 0; beam < step.live.size(); ++beam)
    text += fmt::format("  {}: {}\n", beam + 1, text_of_pieces(v, step.live[beam]));
  int widest = text::width("token");
  for (const TracedCandidate& c : step.candidates) widest = std::max(widest, text::width(piece(v, c.id)));
  text += fmt::format("  rank  extends  {}       p    score\n", text::padded("token", widest));
  for (size_t rank = 0; rank < step.candidates.size(); ++rank) {
    const TracedCandidate& c = step.candidates[rank];
    text += fmt::format("  {:>4} {:>8}  {} {:>7.4f} {:>8.3f}  {}\n", rank + 1, c.beam + 1,
                        text::padded(piece(v, c.id), widest), std::exp(c.log_p), c.score, text_of(c.fate, beam_size));
  }
  return text + "\n";
}

// The image, in pixels.
constexpr int kTreeMargin = 24, kColumn = 200, kBox = 132, kRow = 26, kBoxHeight = 20, kHead = 88;
constexpr int kLongestPiece = 12;  // characters

int x_of(size_t step) { return kTreeMargin + static_cast<int>(step) * kColumn; }
int y_of(size_t rank) { return kTreeMargin + kHead + static_cast<int>(rank) * kRow; }

const char* color_of(Fate fate) {
  if (fate == Fate::goes_on) return "#86b6dc";
  return fate == Fate::finished ? "#9fd19f" : "#f1f4f8";
}

// The rank of each live hypothesis of a step among the candidates of the previous step.
std::vector<size_t> ranks_of_live(const TracedStep& before) {
  std::vector<size_t> ranks;
  for (size_t rank = 0; rank < before.candidates.size(); ++rank)
    if (before.candidates[rank].fate == Fate::goes_on) ranks.push_back(rank);
  return ranks;
}

std::string line_to(size_t step, size_t from_rank, size_t to_rank, bool kept) {
  const int x = x_of(step - 1) + kBox, y = y_of(from_rank) + kBoxHeight / 2;
  return fmt::format("<path d=\"M{} {}L{} {}\" stroke=\"{}\" stroke-width=\"{}\"/>\n", x, y, x_of(step),
                     y_of(to_rank) + kBoxHeight / 2, kept ? "#14558f" : "#d5dbe2", kept ? 1.6 : 1.0);
}

std::string box_of(size_t step, size_t rank, const TracedCandidate& c, const text::Vocabulary& v, int beam_size) {
  const int x = x_of(step), y = y_of(rank);
  std::string text = fmt::format("<g><title>{}</title>", xml_escaped(numbers(c) + "; " + text_of(c.fate, beam_size)));
  text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{}\"/>", x, y, kBox,
                      kBoxHeight, color_of(c.fate));
  text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x + 6, y + 14,
                      xml_escaped(shortened(piece(v, c.id), kLongestPiece)));
  return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.3f}</text></g>\n", x + kBox - 6, y + 14,
                            std::exp(c.log_p));
}

std::string column_of(const Trace& t, size_t step, const text::Vocabulary& v, int beam_size) {
  const std::vector<TracedCandidate>& candidates = t.steps[step].candidates;
  const std::vector<size_t> parents = step > 0 ? ranks_of_live(t.steps[step - 1]) : std::vector<size_t>();
  std::string lines, boxes;
  for (size_t rank = 0; rank < candidates.size(); ++rank) {
    const TracedCandidate& c = candidates[rank];
    const bool kept = c.fate == Fate::goes_on || c.fate == Fate::finished;
    if (step > 0) lines += line_to(step, parents.at(c.beam), rank, kept);
    boxes += box_of(step, rank, c, v, beam_size);
  }
  return fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#616e7c\">step {}</text>\n", x_of(step), y_of(0) - 8, step + 1) +
         lines + boxes;
}

}  // namespace

std::string trace_text(const Trace& t, const text::Vocabulary& target, int beam_size) {
  std::string text;
  for (size_t i = 0; i < t.steps.size(); ++i) text += step_text(t.steps[i], i + 1, target, beam_size);
  text += fmt::format("the search ends: {}\n", text_of(t.ending, beam_size));
  for (const decode::Hypothesis& h : t.found)
    text += fmt::format("  {}  score {:.3f}, normalized {:.3f}\n", text::printable(target.decode(h.ids), ""), h.score,
                        h.normalized);
  return text;
}

std::string trace_svg(const Trace& t, const text::Vocabulary& target, int beam_size) {
  size_t most = 0;
  for (const TracedStep& step : t.steps) most = std::max(most, step.candidates.size());
  const int width = std::max(700, x_of(t.steps.size()) + kTreeMargin), bottom = y_of(most) + kTreeMargin;
  const std::string best = t.found.empty() ? "nothing was found" : target.decode(t.found.front().ids);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"system-ui, 'Noto Sans', 'DejaVu Sans', Arial, sans-serif\" font-size=\"12\" fill=\"#1f2933\">\n"
      "<title>Beam search</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, bottom);
  text += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"17\" font-weight=\"600\">{}</text>\n", kTreeMargin,
                      kTreeMargin + 12, xml_escaped(shortened(best, 80)));
  const auto remark = [&](int y, const std::string& words) {
    text += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#616e7c\">{}</text>\n", kTreeMargin, y, xml_escaped(words));
  };
  remark(kTreeMargin + 34,
         fmt::format("beam of {}; blue goes on, green is finished, gray is dropped; numbers: probability of "
                     "the token",
                     beam_size));
  remark(kTreeMargin + 52, "the search ends: " + text_of(t.ending, beam_size));
  for (size_t step = 0; step < t.steps.size(); ++step) text += column_of(t, step, target, beam_size);
  return text + "</svg>\n";
}

}  // namespace hexapla::inspect
