#include "inspect/drawing/picture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/error.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

const Picture kSmall{{"<s>", "▁Ja"}, {"▁a", "yes"}, {0, 1, 0.5, 0.25}};

TEST(picture, in_shades) {
  EXPECT_EQ(draw_picture(kSmall),
            "      y\n"
            "    ▁ e\n"
            "    a s\n"
            "<s>│  ██│\n"
            "▁Ja│▒▒░░│\n"
            "\n"
            "weight: 0 │  ░░▒▒▓▓██│ 1\n");
}

TEST(picture, a_masked_cell_is_no_zero) {
  Picture masked = kSmall;
  masked.masked = {false, true, false, false};
  EXPECT_EQ(draw_picture(masked),
            "      y\n"
            "    ▁ e\n"
            "    a s\n"
            "<s>│  ··│\n"
            "▁Ja│▒▒░░│\n"
            "\n"
            "weight: 0 │  ░░▒▒▓▓██│ 1   ·· masked\n");
  EXPECT_THAT(draw_picture(masked, {.color = true}), testing::HasSubstr("\033[0m··\n"));
  masked.masked = {false, false, false, false};
  EXPECT_EQ(draw_picture(masked), draw_picture(kSmall));
  masked.masked = {true};
  EXPECT_THROW(draw_picture(masked), InternalError);
  EXPECT_EQ(masked_by({0, -std::numeric_limits<double>::infinity(), -1e9}), (std::vector<bool>{false, true, false}));
}

TEST(picture, in_colors) {
  const std::string text = draw_picture(kSmall, {.color = true, .unit = "share"});
  EXPECT_EQ(text.substr(0, text.find("share")),
            "      y\n"
            "    ▁ e\n"
            "    a s\n"
            "<s> \033[48;5;233m  \033[0m\033[48;5;229m  \033[0m\n"
            "▁Ja \033[48;5;162m  \033[0m\033[48;5;54m  \033[0m\n"
            "\n");
  EXPECT_TRUE(text.ends_with("\033[48;5;229m  \033[0m 1\n"));
}

TEST(picture, wide_characters_and_marks_keep_their_columns) {
  EXPECT_EQ(draw_picture({{"犬が", "e\u0301"}, {"走る", "\u0301"}, {1, 0, 0, 1}}),
            "     走\n"
            "     る◌\u0301\n"
            "犬が│██  │\n"
            "   e\u0301│  ██│\n"
            "\n"
            "weight: 0 │  ░░▒▒▓▓██│ 1\n");
}

TEST(picture, too_wide_comes_in_blocks_of_the_same_width) {
  const Picture wide{{"q"}, {"0", "1", "2", "3", "4", "5"}, {1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(draw_picture(wide, {.width = 12}),
            "  0 1 2\n"
            "q│██████│\n"
            "\n"
            "  3 4 5\n"
            "q│██████│\n"
            "\n"
            "weight: 0 │  ░░▒▒▓▓██│ 1\n");
}

TEST(picture, no_line_is_wider_than_the_terminal) {
  Picture p;
  for (int i = 0; i < 70; ++i) p.columns.push_back("▁column" + std::to_string(i));
  p.rows = {"▁a_row_with_a_label_of_many_characters", "短"};
  p.values.assign(140, 0.3);
  for (int columns : {40, 80, 81, 200}) {
    std::istringstream lines(draw_picture(p, {.width = columns}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text::width(line), columns) << line;
  }
}

TEST(picture, numbers_outside_of_the_scale) {
  const PictureOptions o{.low = 0, .high = 1};
  EXPECT_EQ(draw_cell(-3, o), "  ");
  EXPECT_EQ(draw_cell(NAN, o), "  ");
  EXPECT_EQ(draw_cell(-INFINITY, o), "  ");
  EXPECT_EQ(draw_cell(INFINITY, o), "██");
  EXPECT_EQ(draw_cell(7, o), "██");
  EXPECT_EQ(largest({1, NAN, INFINITY, 2, -INFINITY}), 2);
  EXPECT_EQ(largest({}), 0);
}

TEST(picture, every_shade_has_its_step) {
  const PictureOptions o{.low = 0, .high = 1};
  for (const auto& [value, cell] : std::vector<std::pair<double, std::string>>{
           {0.19, "  "}, {0.21, "░░"}, {0.41, "▒▒"}, {0.61, "▓▓"}, {0.81, "██"}})
    EXPECT_EQ(draw_cell(value, o), cell) << value;
}

TEST(picture, a_matrix_of_zeros_is_dark) {
  EXPECT_EQ(draw_picture({{"q"}, {"k"}, {0}}),
            "  k\n"
            "q│  │\n"
            "\n"
            "weight: 0 │  ░░▒▒▓▓██│ 0\n");
}

TEST(picture, labels_are_shortened_by_their_width) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "ab…");
  EXPECT_EQ(shortened("犬が走る", 4), "犬…");
  EXPECT_EQ(shortened("a\tb\033[1m\u009b", 20), "a·b·[1m·");
  EXPECT_EQ(shortened("a\xFF", 20), "a\uFFFD");
}

TEST(picture, values_have_to_fit_the_labels) { EXPECT_THROW(draw_picture({{"q"}, {"k"}, {1, 2}}), InternalError); }

TEST(picture, a_cell_needs_a_scale) { EXPECT_THROW(draw_cell(1, {}), InternalError); }

}  // namespace
}  // namespace hexapla::inspect
