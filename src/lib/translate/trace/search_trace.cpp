#include "lib/translate/trace/search_trace.h"

#include "base/options/option_names.h"
#include "decode/lines/opened_line.h"
#include "decode/search/search.h"
#include "decode/trace/beam_trace.h"
#include "inspect/report/beam_report.h"
#include "inspect/text_pair.h"

namespace hexapla::api {
namespace {

using decode::Fate, decode::TraceEnd;

const char* name_of(Fate fate) {
  switch (fate) {
    case Fate::goes_on:
      return "goes on";
    case Fate::finished:
      return "finished";
    case Fate::too_low:
      return "too low";
    case Fate::left:
      return "left";
    case Fate::beaten:
      break;
  }
  return "beaten";
}

const char* name_of(TraceEnd ending) {
  if (ending == TraceEnd::enough) return "enough";
  return ending == TraceEnd::passed ? "passed" : "longest";
}

SearchHypothesis hypothesis(const text::Ids& ids, const text::Vocabulary& target, double score, double normalized) {
  SearchHypothesis h{{}, target.decode(ids), score, normalized};
  for (const int32_t id : ids) h.tokens.push_back(target.piece(id));
  return h;
}

// The scores of the hypotheses that are live after a step, in order.
std::vector<double> scores_after(const decode::TracedStep& step) {
  std::vector<double> scores;
  for (const decode::TracedCandidate& c : step.candidates)
    if (c.fate == Fate::goes_on) scores.push_back(c.score);
  return scores;
}

SearchStep public_step(const decode::TracedStep& step, const std::vector<double>& scores,
                       const text::Vocabulary& target, int beam_size) {
  SearchStep result;
  for (size_t beam = 0; beam < step.live.size(); ++beam)
    result.beams.push_back(hypothesis(step.live[beam], target, scores.at(beam), 0));
  for (const decode::TracedCandidate& c : step.candidates)
    result.candidates.push_back({c.beam, target.piece(c.id), c.log_p, c.score, c.normalized, name_of(c.fate),
                                 decode::text_of(c.fate, beam_size)});
  return result;
}

struct LineTrace {
  text::Ids source;  // as it was read
  decode::Trace trace;
};
LineTrace trace_line(const decode::OpenModel& m, const std::string& line, const decode::SearchOptions& how,
                     const decode::LineWarning& warn, size_t longest) {
  const text::Ids source = inspect::read_source({*m.backend, *m.file.net, m.source, m.target}, line, warn, longest);
  const std::vector<text::Ids> sources{source};
  const DType dtype = m.file.net->target_embedding().table.value.dtype;
  Arena arena = make_arena(*m.backend, decode::search_memory(*m.file.net, sources, how, dtype));
  Context cx{*m.backend, arena, dtype};
  return {source, decode::trace_search(cx, *m.file.net, source, how, decode::special_ids(m.target),
                                       decode::opened_line(m.target, line).opening)};
}

// source: pieces including </s>.
SearchTrace public_trace(const decode::Trace& trace, const std::vector<std::string>& source,
                         const text::Vocabulary& target, int beam_size) {
  SearchTrace result{source, {}, name_of(trace.ending), decode::text_of(trace.ending, beam_size), {}, {}, {}, {}};
  std::vector<double> scores{0};
  for (const decode::TracedStep& step : trace.steps) {
    result.steps.push_back(public_step(step, scores, target, beam_size));
    scores = scores_after(step);
  }
  for (const decode::Hypothesis& h : trace.found)
    result.finished.push_back(hypothesis(h.ids, target, h.score, h.normalized));
  result.table = inspect::trace_text(trace, target, beam_size);
  result.picture = inspect::trace_svg(trace, target, beam_size);
  return result;
}

}  // namespace

void check_traceable(const decode::TranslateOptions& how) {
  decode::check_traceable(how.search);
  if (how.distinct) throw UsageError("a trace shows equal texts, too; leave out `distinct`", "distinct", "true");
  if (how.mbr) throw UsageError("a trace shows plain beam search; leave out `mbr`", "mbr", "");
  if (how.coverage_penalty != 0)
    throw UsageError("a trace shows plain beam search; leave out `coverage-penalty`", "coverage-penalty",
                     cat(how.coverage_penalty));
}

SearchTrace traced(const decode::OpenModel& m, const std::string& line, const decode::TranslateOptions& how,
                   size_t longest) {
  check_traceable(how);
  std::vector<std::string> warnings;
  const auto warn = [&](size_t, const std::string& what) { warnings.push_back(spell_options(what, as_field)); };
  const auto [source, found] = trace_line(m, line, how.search, warn, longest);
  SearchTrace trace = public_trace(found, inspect::pieces(m.source, source), m.target, how.search.beam_size);
  trace.warnings = std::move(warnings);
  return trace;
}

}  // namespace hexapla::api
