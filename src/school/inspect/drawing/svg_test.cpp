#include "inspect/drawing/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/range.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

SvgSheet small_sheet(size_t maps) {
  SvgSheet sheet{"Title & <more>", "said \"so\"", {"<s>", "▁Ja"}, {"▁a", "b&c", "</s>"}, {}};
  for (size_t i = 0; i < maps; ++i) sheet.maps.push_back({"head " + std::to_string(i), {0, 0.5, 1, 0.25, 0, 0}});
  return sheet;
}

size_t count_in_svg(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// "", or an error in the nesting of the elements, or in text with an unescaped < or &.
std::string elements_fault(const std::string& xml) {
  std::vector<std::string> open;
  static const std::regex tag(R"(<(/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(/?)>|<)");
  for (std::sregex_iterator i(xml.begin(), xml.end(), tag), end; i != end; ++i) {
    const std::smatch& m = *i;
    if (m[2].length() == 0) return "a < without a tag at byte " + std::to_string(m.position());
    if (m[4].length() > 0) continue;
    if (m[1].length() == 0)
      open.push_back(m[2]);
    else if (open.empty() || open.back() != m[2])
      return "</" + m[2].str() + "> closes nothing";
    else
      open.pop_back();
  }
  if (!open.empty()) return "<" + open.back() + "> is never closed";
  static const std::regex bare("&(?!(amp|lt|gt|quot);)");
  return std::regex_search(xml, bare) ? "a bare &" : "";
}

TEST(svg, is_well_formed) {
  for (size_t maps : {1, 2, 8}) EXPECT_EQ(elements_fault(draw_svg(small_sheet(maps))), "") << maps << " maps";
  EXPECT_EQ(elements_fault("<a><b></a></b>"), "</a> closes nothing");
  EXPECT_EQ(elements_fault("<a>1 < 2</a>").substr(0, 3), "a <");
}

TEST(svg, hatches_what_is_masked_and_says_so) {
  SvgSheet sheet = small_sheet(2);
  const std::string plain = draw_svg(sheet);
  for (SvgMap& map : sheet.maps) map.masked = {false, false, false, false, true, true};
  const std::string text = draw_svg(sheet);
  EXPECT_EQ(elements_fault(text), "");
  EXPECT_EQ(count_in_svg(text, "<path fill=\"url(#masked)\""), 2u);
  EXPECT_EQ(count_in_svg(text, ">masked<"), 1u);
  EXPECT_EQ(count_in_svg(plain, "masked"), 0u);
  sheet.maps[0].masked.assign(6, false), sheet.maps[1].masked.clear();
  EXPECT_EQ(draw_svg(sheet), plain);
  sheet.maps[0].masked = {true};
  EXPECT_THROW(draw_svg(sheet), InternalError);
}

using SvgFile = TestFolder;
TEST_F(SvgFile, is_what_an_xml_parser_reads) {
  if (std::system("python3 -c 'import xml.etree.ElementTree' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  const std::string path = at("sheet.svg");
  SvgSheet sheet = small_sheet(3);
  sheet.rows[0] = "\x01\x1B<&>'\"\xFF\xEF\xBF\xBF";
  write_file_atomically(path, draw_svg(sheet));
  const std::string command =
      "python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' '" + path + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(svg, small_multiples_share_their_labels) {
  const std::string text = draw_svg(small_sheet(3));
  EXPECT_EQ(count_in_svg(text, ">head "), 3u);
  EXPECT_EQ(count_in_svg(text, ">&lt;s&gt;</text>"), 1u);   // rows: at the left only
  EXPECT_EQ(count_in_svg(text, ">&lt;/s&gt;</text>"), 3u);  // columns: under every map of the last row
  EXPECT_EQ(count_in_svg(text, "b&amp;c"), 3u);
}

TEST(svg, a_cell_is_as_dark_as_its_weight) {
  const std::string text = draw_svg(small_sheet(1));
  EXPECT_EQ(count_in_svg(text, "<path fill=\"#082a5c\""), 1u);  // 1: the darkest
  EXPECT_EQ(count_in_svg(text, "<path "), 3u);                  // 0.25, 0.5 and 1; zeros stay blank
}

TEST(svg, the_scale_is_that_of_all_maps) {
  SvgSheet sheet = small_sheet(2);
  sheet.maps[0].values.assign(6, 0.1);
  sheet.maps[1].values.assign(6, 0.4);
  const std::string text = draw_svg(sheet);
  EXPECT_EQ(count_in_svg(text, "0.4  attention weight"), 1u);
  EXPECT_EQ(count_in_svg(text, "<path fill=\"#082a5c\""), 1u);
}

TEST(svg, maps_do_not_leave_the_sheet) {
  for (size_t maps : {1, 5, 16}) {
    const std::string text = draw_svg(small_sheet(maps));
    std::smatch size;
    ASSERT_TRUE(std::regex_search(text, size, std::regex("width=\"(\\d+)\" height=\"(\\d+)\"")));
    static const std::regex cell("M(\\d+) (\\d+)h(\\d+)");
    for (std::sregex_iterator i(text.begin(), text.end(), cell), end; i != end; ++i) {
      EXPECT_LE(std::stoi((*i)[1]) + std::stoi((*i)[3]), std::stoi(size[1]));
      EXPECT_LE(std::stoi((*i)[2]) + std::stoi((*i)[3]), std::stoi(size[2]));
    }
  }
}

// Titles at the same height, from left to right: each ends before the next begins, and the last within the sheet.
void expect_titles_apart(const SvgSheet& sheet) {
  const std::string text = draw_svg(sheet);
  std::smatch size;
  ASSERT_TRUE(std::regex_search(text, size, std::regex("width=\"(\\d+)\"")));
  std::map<double, std::map<double, double>> ends;  // by height and beginning
  static const std::regex title("<text x=\"([\\d.]+)\" y=\"([\\d.]+)\" font-size=\"12\" [^>]*>([^<]*)</text>");
  const auto number = [](const std::string& digits) { return parse_number<double>(digits).value(); };
  constexpr double bold_em = 0.7;  // of a letter, in DejaVu Sans Bold, which is a wide one
  for (std::sregex_iterator i(text.begin(), text.end(), title), end; i != end; ++i)
    ends[number((*i)[2])][number((*i)[1])] = number((*i)[1]) + 12 * bold_em * text::width((*i)[3].str());
  size_t titles = 0;
  for (const auto& [y, row] : ends) {
    double before = 0;
    for (const auto& [x, until] : row) EXPECT_GT(x, std::exchange(before, until)) << "at height " << y;
    EXPECT_LT(before, number(size[1]));
    titles += row.size();
  }
  EXPECT_EQ(titles, sheet.maps.size());
}

TEST(svg, titles_of_narrow_maps_stand_apart) {
  for (size_t columns : {1, 2, 5, 30})
    for (size_t maps : {1, 2, 8, 16}) {
      SvgSheet sheet{"Title", "said", {"▁Ja"}, std::vector<std::string>(columns, "猫"), {}};
      for (size_t i = 0; i < maps; ++i) sheet.maps.push_back({"head " + std::to_string(i), {}});
      sheet.maps.front().title = "mean of all heads";
      sheet.maps.back().title = "一番目の頭";
      for (SvgMap& map : sheet.maps) map.values.assign(columns, 0.5);
      expect_titles_apart(sheet);
      if (testing::Test::HasFailure()) FAIL() << columns << " columns, " << maps << " maps";
    }
}

TEST(svg, escapes_what_xml_forbids) {
  EXPECT_EQ(xml_escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
  EXPECT_EQ(xml_escaped("\x1B\xFF\xEF\xBF\xBE"), "\uFFFD\uFFFD\uFFFD");
}

TEST(svg, maps_have_to_fit_the_labels) {
  SvgSheet sheet = small_sheet(1);
  EXPECT_THROW(draw_svg(small_sheet(0)), InternalError);
  sheet.maps[0].values.pop_back();
  EXPECT_THROW(draw_svg(sheet), InternalError);
}

}  // namespace
}  // namespace hexapla::inspect
