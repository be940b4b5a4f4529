#include "inspect/drawing/chart.h"

#include <gmock/gmock.h>
#include <clocale>

#include <cmath>
#include <cstdio>
#include <limits>

namespace hexapla::inspect {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

TEST(Chart, TicksAreRoundNumbersInside) {
  EXPECT_THAT(ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(ticks(1.3, 4.4, 3), ElementsAre(2, 4));
  EXPECT_THAT(ticks(-1, 1, 4), ElementsAre(-1, -0.5, 0, 0.5, 1));
  EXPECT_THAT(ticks(1000, 4000, 6), ElementsAre(1000, 1500, 2000, 2500, 3000, 3500, 4000));
  EXPECT_THAT(ticks(5, 5, 5), ElementsAre(5));
  EXPECT_THAT(ticks(100, 100.00000000000004, 5), ElementsAre(100));
}

TEST(Chart, CornersOfTheDataAreCornersOfTheFrame) {
  const std::string svg = draw_chart({"loss", "updates", {{"training", {{0, 1}, {100, 3}}}}});
  EXPECT_THAT(svg, AllOf(HasSubstr("d=\"M62.0 210.0L548.0 34.0\""), HasSubstr("aria-label=\"loss\"")));
}

TEST(Chart, TheLegendIsBelowWhereTheTitleTakesItsPlace) {
  Chart c{"loss", "updates", {{"training", {{0, 1}, {100, 3}}}, {"validation", {{0, 1}, {100, 2}}}}};
  EXPECT_THAT(draw_chart(c), HasSubstr("y=\"18.0\" text-anchor=\"end\" class=\"tick\">validation<"));
  c.title = std::string(50, 'M');
  EXPECT_THAT(draw_chart(c), HasSubstr("y=\"244.0\" text-anchor=\"end\" class=\"tick\">validation<"));
}

// The names of all series are inside the picture and overlap neither each other nor the axis name.
TEST(Chart, NoNameIsCutOffOrOverAnother) {
  std::setlocale(LC_NUMERIC, "C");  // for sscanf() below, whose input is locale-independent
  const std::vector<std::string> names{"routers", "the strongest experts", "the strongest of units as they stand",
                                       "微调后的模型在验证集上的困惑度", std::string(200, 'n')};
  for (size_t a = 0; a < names.size(); ++a)
    for (size_t b = 0; b < names.size(); ++b) {
      const Chart c{"Wrong dates, %",
                    "active units, %",
                    {{names[a], {{0, 1}, {9, 2}}}, {names[b], {{0, 3}}}, {names[(a + b) % 5], {{0, 1}}}}};
      const std::string svg = draw_chart(c);
      double height = 0;
      ASSERT_EQ(sscanf(svg.c_str() + svg.find("viewBox"), "viewBox=\"0 0 560 %lf\"", &height), 1);
      double end = 0, line = 0;
      for (size_t at = svg.find("h20\"/>"); at != std::string::npos; at = svg.find("h20\"/>", at + 1)) {
        double x = 0, y = 0, ends = 0;
        ASSERT_EQ(sscanf(svg.c_str() + svg.rfind("M", at), "M%lf %lf", &x, &y), 2);
        ASSERT_EQ(sscanf(svg.c_str() + svg.find(" x=\"", at), " x=\"%lf", &ends), 1);
        if (y == line) {
          EXPECT_GT(x, end);
        }
        EXPECT_TRUE(x >= 0 && ends > x && ends <= 560 && y + 4 <= height) << svg;
        if (y + 4 == 244) {
          EXPECT_LT(ends, 548 - 6.6 * 15) << "the axis' name";
        }
        end = ends, line = y;
      }
    }
}

TEST(Chart, ErrorBarsReachFromTheLowestToTheHighest) {
  const std::string svg = draw_chart({"loss", "heads", {{"mean", {{0, 2}, {4, 2}}, true, {{1, 3}, {2, 2}}}}});
  EXPECT_THAT(svg, HasSubstr("class=\"curve bar s0\" d=\"M59.0 210.0h6m-3 0V34.0m-3 0h6\""))
      << "the second point has no spread, and the bar is what the scale must hold";
}

TEST(Chart, EveryColorIsThereForViewersWithoutCustomProperties) {
  const std::string style = kChartStyle;
  EXPECT_EQ(count(style, ": var(--"), count(style, "fill: #") + count(style, "stroke: #"));
}

TEST(Chart, TextIsEscaped) {
  const std::string svg = draw_chart({"a<b>&\"c\"", "x<", {{"</svg>", {{0, 1}}}}});
  EXPECT_THAT(svg, AllOf(HasSubstr("a&lt;b&gt;&amp;&quot;c&quot;"), HasSubstr("&lt;/svg&gt;")));
  EXPECT_EQ(count(svg, "</svg>"), 1u);
}

TEST(Chart, WithoutPointsItSaysSo) {
  EXPECT_THAT(draw_chart({"loss", "updates", {}}), HasSubstr("nothing was recorded"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(draw_chart({"loss", "updates", {{"a", {{1, nan}, {2, INFINITY}}}}}), HasSubstr("nothing was recorded"));
}

TEST(Chart, OnePointIsADot) {
  EXPECT_THAT(draw_chart({"BLEU", "updates", {{"BLEU", {{5, 0}}}}}), HasSubstr("<circle"));
  EXPECT_THAT(draw_chart({"BLEU", "updates", {{"BLEU", {{5, 0}, {6, 1}}}}}), Not(HasSubstr("<circle")));
}

TEST(Chart, ManyPointsAreThinnedButPeaksStay) {
  Series s{"training", {}};
  for (int i = 0; i < 100000; ++i) s.points.emplace_back(i, i == 77777 ? 50 : 1);
  const std::string svg = draw_chart({"loss", "updates", {s}});
  EXPECT_LT(svg.size(), 20000u);
  EXPECT_THAT(svg, HasSubstr(" 34.0L"));  // top of the frame
}

TEST(Sparkline, GoesFromTheLowestToTheHighest) {
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 10), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline({9, 9, 0, 7}, 2), "▁█");
  EXPECT_EQ(sparkline({3, 3}, 10), "▅▅");
  EXPECT_EQ(sparkline({}, 10), "");
  EXPECT_EQ(sparkline({0, std::numeric_limits<double>::quiet_NaN(), 1}, 10), "▁·█");
}

}  // namespace
}  // namespace hexapla::inspect
