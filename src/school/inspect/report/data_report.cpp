#include "inspect/report/data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/json.h"
#include "data/files/corpus.h"
#include "text/quantities.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

using data::Examination;
using data::ExamineOptions;
using data::Fault;
using data::kWhere;
using data::Where;
using Json = nlohmann::ordered_json;

constexpr int kWordsColumns = 44, kLineColumns = 12;
constexpr size_t kNeverUsedShown = 8;

// A single line at most `columns` wide, safe for the terminal.
std::string shown(const std::string& text, int columns) {
  std::string out = text::printable(text, "");
  if (text::width(out) <= columns) return out;
  while (text::width(out) >= columns && !out.empty()) {
    while (!out.empty() && (out.back() & 0xC0) == 0x80) out.pop_back();
    if (!out.empty()) out.pop_back();
  }
  return out + "…";
}

// Wraps text between words, so that lines fit in `columns` unless a word is wider.
std::string wrapped(const std::string& text, int columns) {
  std::string out;
  int used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (used > 0 && used + 1 + text::width(word) > columns) {
      out += "\n";
      used = 0;
    }
    if (used > 0) out += " ";
    used += text::width(word) + (used > 0);
    out += word;
    at = end + 1;
  }
  return out;
}

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string words_of(Fault fault, const ExamineOptions& options) {
  const std::string words(data::fault_info(fault).words);
  if (fault == Fault::ratio) return fmt::format("{} (ratio above {:g})", words, options.max_ratio);
  if (fault == Fault::too_long)
    return fmt::format("{} (above {} characters)", words, text::grouped(options.max_length));
  return words;
}

std::string mean(int64_t characters, int64_t lines) {
  return fmt::format("{:.1f}", lines == 0 ? 0 : static_cast<double>(characters) / static_cast<double>(lines));
}

class Text {
 public:
  Text(const Examination& found, const ExamineOptions& options, int columns)
      : found_(found), options_(options), columns_(columns) {}

  std::string all() {
    head();
    for (size_t i = 0; i < data::kFaults; ++i) fault(static_cast<Fault>(i));
    if (!none_.empty()) line(wrapped("not found: " + none_, columns_) + "\n");
    step();
    if (found_.tests) tests();
    if (found_.coverage) vocabulary();
    if (found_.clean) clean();
    if (found_.realigned) realigned();
    return out_;
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }

  void wrap(const std::string& text) { line(wrapped(text, columns_)); }

  void head() {
    const bool tsv = !options_.text.tsv.empty();
    line(text::printable(tsv ? found_.source_name : found_.source_name + " + " + found_.target_name));
    if (found_.source_lines == found_.target_lines)
      line(fmt::format("{}, {}", text::counted(found_.source_lines, "line"), text::counted(found_.pairs, "pair")));
    else
      line(fmt::format("{} but {}: the files do not have the same number of lines",
                       text::counted(found_.source_lines, "source line"),
                       text::counted(found_.target_lines, "target line")));
    line(fmt::format("{} and {} characters per line; typical ratio {:.2f}\n",
                     mean(found_.source_characters, found_.source_lines),
                     mean(found_.target_characters, found_.target_lines), found_.typical_ratio));
  }

  void fault(Fault fault) {
    bool any = false;
    for (const Where where : {Where::source, Where::target, Where::pair}) {
      const data::Findings::Finding& finding = found_.findings.of(fault, where);
      if (finding.count == 0) continue;
      any = true;
      const bool side = where != Where::pair;
      line(text::padded((side ? std::string(kWhere[static_cast<size_t>(where)]) + " " : "") + words_of(fault, options_),
                        kWordsColumns) +
           fmt::format("{:>12}  {:7.3f} %", text::grouped(finding.count),
                       100 * share(finding.count, found_.source_lines)));
      for (const data::FaultExample& e : finding.examples) example(e, where);
    }
    if (any && fault == Fault::encoding) encodings();
    if (any) return line("");
    if (fault == Fault::in_test && !found_.tests) return;
    if (fault == Fault::unknown && !found_.coverage) return;
    if (fault == Fault::fields && options_.text.tsv.empty()) return;
    none_ += (none_.empty() ? "" : ", ") + words_of(fault, options_);
  }

  // The likely encoding of each side, and the command that converts it.
  void encodings() {
    for (const Where side : {Where::source, Where::target}) {
      std::string some;
      for (const data::FaultExample& e : found_.findings.of(Fault::encoding, side).examples)
        some += (side == Where::source ? e.source : e.target) + "\n";
      const std::string& name = side == Where::source ? found_.source_name : found_.target_name;
      if (!some.empty()) wrap(text::printable(name + ": " + data::encoding_advice(name, some)));
    }
  }

  void example(const data::FaultExample& e, Where where) {
    const int room = columns_ - kLineColumns - 2;
    std::string text;
    if (where == Where::pair)
      text = text::padded(shown(e.source, room / 2 - 2), room / 2 - 2) + " | " + shown(e.target, room / 2 - 2);
    else
      text = shown(where == Where::source ? e.source : e.target, room);
    const std::string number = text::grouped(e.line);
    line(std::string(static_cast<size_t>(std::max<int>(0, kLineColumns - static_cast<int>(number.size()))), ' ') +
         number + "  " + text);
  }

  void step() {
    const data::ShiftPath& path = found_.path;
    if (!path.can_judge)
      return wrap(
          fmt::format("in step: unknown; length, numbers and punctuation of the two sides have too little in common "
                      "({:.3f} nats per pair) or the text is too short. Are these translations?",
                      path.information));
    for (const data::ShiftPlace& place : found_.shifts) wrap("OUT OF STEP: " + shift_text(place));
    for (const data::LostPassage& lost : path.lost)
      wrap(fmt::format(
          "PERHAPS OUT OF STEP: from about line {} to {}, the two sides have too little in common. Either these are "
          "no translations, or they are shifted by more than {} lines: look at them, and try a larger max-shift",
          text::grouped(lost.begin + 1), text::grouped(lost.end), options_.shifts.max_shift));
    if (found_.shifts.empty() && path.lost.empty())
      line(fmt::format("in step: no shift of up to {} lines found", options_.shifts.max_shift));
    line(fmt::format("         ({:.2f} nats per pair; a shifted passage of fewer than {} may go unnoticed)",
                     path.information, text::counted(path.shortest, "pair")));
  }

  void tests() {
    for (size_t i = 0; i < 2; ++i)
      line(fmt::format("test set: {} of {} in the text", text::grouped(static_cast<long long>(found_.tests->found[i])),
                       text::counted(static_cast<int64_t>(found_.tests->sentences[i]),
                                     "different " + std::string(kWhere[i]) + " sentence")));
  }

  void vocabulary() {
    const data::Coverage& c = *found_.coverage;
    for (const Where where : {Where::source, Where::target}) {
      const data::Coverage::Side& side = c.of(where);
      line(fmt::format("vocabulary, {}: {}, {:.2f} per word; unknown {:.4f} %, bytes {:.4f} %",
                       kWhere[static_cast<size_t>(where)], text::counted(side.tokens, "piece"),
                       share(side.tokens, side.words), 100 * share(side.unknown, side.tokens),
                       100 * share(side.bytes, side.tokens)));
    }
    if (c.joint()) return never_used(c, Where::source, "vocabulary");
    never_used(c, Where::source, "vocabulary, source");
    never_used(c, Where::target, "vocabulary, target");
  }

  void never_used(const data::Coverage& c, Where side, const char* name) {
    const text::Vocabulary& v = c.vocabulary(side);
    const std::vector<int32_t> never = c.never_used(side);
    std::string pieces;
    for (size_t i = 0; i < std::min(never.size(), kNeverUsedShown); ++i)
      pieces += (i == 0 ? ": " : " ") + text::printable(v.piece(never[i]), "");
    line(fmt::format("{}: {} of {} never used{}{}", name, text::grouped(static_cast<long long>(never.size())),
                     text::counted(v.size(), "piece"), pieces, never.size() > kNeverUsedShown ? " ..." : ""));
  }

  void realigned() {
    const data::Realigned& r = *found_.realigned;
    line(text::printable(
        fmt::format("\nrealigned: {} in {}", text::counted(r.kept, "pair"), fmt::join(options_.realigned, " + "))));
    line(fmt::format("  left out: {} and {}\n", text::counted(r.source_left_out, "source line"),
                     text::counted(r.target_left_out, "target line")));
    line("do these lines belong together?");
    for (const data::FaultExample& e : r.look) example(e, Where::pair);
  }

  void clean() {
    const Examination::Clean& c = *found_.clean;
    if (!c.written) return line("the clean text was not written: the sides are out of step, or may be");
    line(text::printable(
        fmt::format("\nclean: {} in {}", text::counted(c.kept, "pair"), fmt::join(options_.clean, " + "))));
    for (size_t i = 0; i < data::kFaults; ++i) {
      if (c.dropped[i] > 0)
        line(text::padded("  dropped: " + words_of(static_cast<Fault>(i), options_), kWordsColumns) +
             fmt::format("{:>12}", text::grouped(c.dropped[i])));
    }
  }

  const Examination& found_;
  const ExamineOptions& options_;
  int columns_;
  std::string out_, none_;
};

Json faults_json(const Examination& found) {
  Json all = Json::array();
  for (size_t i = 0; i < data::kFaults; ++i) {
    for (const Where where : {Where::source, Where::target, Where::pair}) {
      const data::Findings::Finding& finding = found.findings.of(static_cast<Fault>(i), where);
      if (finding.count == 0) continue;
      Json examples = Json::array();
      for (const data::FaultExample& e : finding.examples)
        examples.push_back({{"line", e.line}, {"source", e.source}, {"target", e.target}});
      all.push_back({{"fault", data::fault_info(static_cast<Fault>(i)).id},
                     {"where", kWhere[static_cast<size_t>(where)]},
                     {"count", finding.count},
                     {"harmless", data::fault_info(static_cast<Fault>(i)).harmless},
                     {"examples", examples}});
    }
  }
  return all;
}

Json step_json(const Examination& found) {
  Json shifts = Json::array();
  for (const data::ShiftPlace& p : found.shifts)
    shifts.push_back(
        {{"line", p.line}, {"before", p.before}, {"after", p.after}, {"evidence", p.evidence}, {"exact", p.exact}});
  Json lost = Json::array();
  for (const data::LostPassage& l : found.path.lost)
    lost.push_back({{"from", l.begin + 1}, {"to", l.end}, {"evidence", l.evidence}});
  return {{"can_judge", found.path.can_judge},
          {"nats_a_pair", found.path.information},
          {"shortest", found.path.shortest},
          {"shifts", shifts},
          {"lost", lost}};
}

Json coverage_json(const data::Coverage& c) {
  Json out;
  for (const Where where : {Where::source, Where::target}) {
    const data::Coverage::Side& s = c.of(where);
    out[std::string(kWhere[static_cast<size_t>(where)])] = {
        {"pieces", s.tokens}, {"words", s.words}, {"unknown", s.unknown}, {"bytes", s.bytes}};
  }
  // For the pieces shared by both sides, or for each side's own.
  const auto add_pieces = [&](Json& to, Where side) {
    to["size"] = c.vocabulary(side).size();
    to["never_used"] = Json::array();
    for (const int32_t id : c.never_used(side)) to["never_used"].push_back(c.vocabulary(side).piece(id));
  };
  if (c.joint()) {
    add_pieces(out, Where::source);
  } else {
    for (const Where side : {Where::source, Where::target})
      add_pieces(out[std::string(kWhere[static_cast<size_t>(side)])], side);
  }
  return out;
}

Json realigned_json(const data::Realigned& r, const ExamineOptions& options) {
  Json look = Json::array();
  for (const data::FaultExample& e : r.look)
    look.push_back({{"line", e.line}, {"source", e.source}, {"target", e.target}});
  return {{"files", options.realigned},
          {"pairs", r.kept},
          {"source_left_out", r.source_left_out},
          {"target_left_out", r.target_left_out},
          {"look", look}};
}

Json clean_json(const Examination::Clean& clean, const ExamineOptions& options) {
  Json dropped = Json::object();
  for (size_t i = 0; i < data::kFaults; ++i) {
    if (clean.dropped[i] > 0) dropped[std::string(data::fault_info(static_cast<Fault>(i)).id)] = clean.dropped[i];
  }
  return {{"files", options.clean}, {"written", clean.written}, {"pairs", clean.kept}, {"dropped", dropped}};
}

}  // namespace

std::string shift_text(const data::ShiftPlace& place) {
  const int by = place.after - place.before, n = std::abs(by);
  const std::string lines = n == 1 ? "1 {} line is" : cat(n) + " {} lines are";
  auto named = [&](const char* side) { return fmt::format(fmt::runtime(lines), side); };
  const std::string partner =
      place.after == 0 ? "i" : fmt::format("i {} {}", place.after < 0 ? "-" : "+", std::abs(place.after));
  const char *missing = by < 0 ? "target" : "source", *surplus = by < 0 ? "source" : "target";
  return fmt::format("from {}line {} on, source line i goes with target line {}: {} missing there, or {} too many",
                     place.exact ? "" : "about ", text::grouped(place.line), partner, named(missing), named(surplus));
}

std::string data_report(const Examination& found, const ExamineOptions& options, int columns) {
  return Text(found, options, columns).all();
}

std::string data_json(const Examination& found, const ExamineOptions& options) {
  Json out{{"source", found.source_name},
           {"target", found.target_name},
           {"source_lines", found.source_lines},
           {"target_lines", found.target_lines},
           {"pairs", found.pairs},
           {"source_characters", found.source_characters},
           {"target_characters", found.target_characters},
           {"typical_ratio", found.typical_ratio},
           {"findings", faults_json(found)},
           {"step", step_json(found)}};
  if (found.tests) {
    for (size_t i = 0; i < 2; ++i)
      out["tests"][std::string(kWhere[i])] = {{"sentences", found.tests->sentences[i]},
                                              {"found", found.tests->found[i]}};
  }
  if (found.coverage) out["vocabulary"] = coverage_json(*found.coverage);
  if (found.clean) out["clean"] = clean_json(*found.clean, options);
  if (found.realigned) out["realigned"] = realigned_json(*found.realigned, options);
  return text::printable(json_text(out, 1)) + "\n";
}

}  // namespace hexapla::inspect
