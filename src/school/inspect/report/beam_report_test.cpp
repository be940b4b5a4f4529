#include "inspect/report/beam_report.h"

#include <gmock/gmock.h>

#include <cmath>

namespace hexapla::inspect {
namespace {

using decode::Fate;
using testing::AllOf;
using testing::HasSubstr;

text::Vocabulary small_vocabulary() { return text::Vocabulary::train({"ein hund rennt .", "<&>"}, {.size = 24}); }

// Two steps of beam 2; in the second one, a hypothesis ends, and the search with it.
decode::Trace small_trace(const text::Vocabulary& v) {
  const double half = std::log(0.5), tenth = std::log(0.1);
  const int32_t less = v.encode("<").back();
  decode::Trace t;
  t.steps.push_back({{{}},
                     {{0, 5, half, half, half, Fate::goes_on},
                      {0, less, tenth, tenth, tenth, Fate::goes_on},
                      {0, 6, tenth, tenth, tenth, Fate::beaten}}});
  t.steps.push_back({{{5}, {less}},
                     {{0, v.eos(), half, 2 * half, half, Fate::finished},
                      {1, 7, half, half + tenth, 0, Fate::goes_on},
                      {1, v.eos(), tenth, 2 * tenth, tenth, Fate::too_low}}});
  t.ending = decode::TraceEnd::passed;
  t.found.push_back({{5}, 2 * half, half, {}});
  return t;
}

size_t count_in_report(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(BeamReport, TextSaysWhatBecameOfEachCandidate) {
  const text::Vocabulary v = small_vocabulary();
  EXPECT_THAT(trace_text(small_trace(v), v, 2),
              AllOf(HasSubstr("step 1\n  1: <s>\n"), HasSubstr("  2: <s> "), HasSubstr(" 0.5000   -0.693  goes on\n"),
                    HasSubstr("dropped: 2 better ones go on\n"), HasSubstr(" 0.5000   -1.386  finished\n"),
                    HasSubstr("dropped: ends below rank 2\n"),
                    HasSubstr("the search ends: no live hypothesis can still pass the best finished one\n"),
                    HasSubstr("score -1.386, normalized -0.693\n")));
}

TEST(BeamReport, TheImageHasABoxForEachCandidateAndALineFromItsHypothesis) {
  const text::Vocabulary v = small_vocabulary();
  const std::string svg = trace_svg(small_trace(v), v, 2);
  EXPECT_EQ(count_in_report(svg, "<rect x="), 6u);
  EXPECT_EQ(count_in_report(svg, "<path "), 3u);
  EXPECT_EQ(count_in_report(svg, "#9fd19f"), 1u);
  EXPECT_THAT(svg, AllOf(HasSubstr("p 0.5000, score -1.386, normalized -0.693; finished"), HasSubstr("&lt;"),
                         HasSubstr("step 2"), testing::EndsWith("</svg>\n")));
}

TEST(BeamReport, NothingFoundIsSaid) {
  const text::Vocabulary v = small_vocabulary();
  EXPECT_THAT(trace_svg({}, v, 2), HasSubstr("nothing was found"));
}

}  // namespace
}  // namespace hexapla::inspect
