// Markdown: paragraphs, headings and tables are translated.
#include "documents/markdown/markdown.h"

#include <gtest/gtest.h>

#include "documents/markdown/markdown_inlines.h"
#include "documents/test_translations.h"

namespace hexapla::text::document {
namespace {

PiecesDocument read(const std::string& text) { return PiecesDocument({markdown(text)}); }
std::string in_capital_letters(const std::string& text) { return translated(read(text), in_capitals); }
std::string turned(const std::string& text) { return translated(read(text), reversed); }
std::string into(const std::string& text, const std::string& translation) {
  return translated(read(text), [&](const auto&) { return std::vector<std::string>{translation}; });
}

TEST(Markdown, KeepsWhatIsNoText) {
  for (const char* text :
       {"", "```sh\nls a\n```\n", "    code here\n", "~~~\na\n", "<div>\nhtml b\n</div>\n", "[ref]: http://x \"t\"\n",
        "---\n", "* * *\n", "---\ntitle: a b\n---\n", "+++\na = 1\n+++\n", "<!-- a\n\nb -->\n", "![an image](x.png)\n",
        "`a b`\n", "<http://a.b>\n", "http://a_b.org/c_d\n", "|---|\n", "\xEF\xBB\xBF---\na: b\n---\n"})
    EXPECT_EQ(in_capital_letters(text), text);
}

TEST(Markdown, TranslatesTextBetweenMarks) {
  EXPECT_EQ(in_capital_letters("# a dog #\n\nb c\n---\n\n> - d\n>   e\n\n1. [ ] f\r\n\r\n   g\n"),
            "# A DOG #\n\nB C\n---\n\n> - D E\n\n1. [ ] F\r\n\r\n   G\n");
  EXPECT_EQ(in_capital_letters("---\nt: a\n---\na  \nb\\\nc\n[x y]: http://z\n"),
            "---\nt: a\n---\nA  \nB\\\nC \\[X Y]: http://z\n");
  EXPECT_EQ(in_capital_letters("| a | b \\| c |\n|:--|---|\n| `x\\|y` | **d** |\n"),
            "| A | B \\| C |\n|:--|---|\n| `x\\|y` | **D** |\n");
  EXPECT_EQ(in_capital_letters("[r]: http://x\n[^n]: a note\n\nsee [r], [R][], [this][r], [other] and[^n]\n"),
            "[r]: http://x\n[^n]: A NOTE\n\nSEE [R][r], [R][R], [THIS][r], \\[OTHER] AND[^n]\n");
  EXPECT_EQ(in_capital_letters("狗**在**跑 \n\nสุนัข\n\nكلب _b_\n"), "狗**在**跑 \n\nสุนัข\n\nكلب _B_\n");
  EXPECT_EQ(in_capital_letters("a\rb\r\r# c\r"), "A B\r\r# C\r");
}

TEST(Markdown, MarksGoWithTheirWords) {
  EXPECT_EQ(turned("a **big *red*** [old dog](http://x.org/(y) \"t\") ~~ran~~ `c` <b>home</b>"),
            "<b>home</b> ~~ran~~ `c` [dog old](http://x.org/(y) \"t\") ***red* big** a");
  EXPECT_EQ(turned("a ![b](c.png) dog"), "dog a ![b](c.png)");
  EXPECT_EQ(turned("one \\* two &amp; snake_case_word"), "snake_case_word & two * one");
}

TEST(Markdown, WhatWouldBeMarkupIsEscaped) {
  EXPECT_EQ(into("a", "# b"), "\\# b");
  EXPECT_EQ(into("a", "1. b"), "1\\. b");
  EXPECT_EQ(into("a", "- b *c* _d_ `e` [f] <g> &h; ~~i~~"),
            "\\- b \\*c\\* \\_d\\_ \\`e\\` \\[f] \\<g> \\&h; \\~~i\\~~");
  EXPECT_EQ(into("a", "2 * 3 < 4 & snake_case"), "2 * 3 < 4 & snake_case");
  EXPECT_EQ(into("a\n---\n", "---"), "\\---\n---\n");
  EXPECT_EQ(into("# a", "C #"), "# C \\#");
  EXPECT_EQ(into("|a|\n|-|\n", "b|c"), "|b\\|c|\n|-|\n");
}

TEST(Markdown, MarksPair) {
  const auto kinds = [](const std::string& text) {
    std::string all;
    for (const Token& t : markdown_tokens(text, {})) all += "tocpb"[static_cast<int>(t.kind)];
    return all;
  };
  EXPECT_EQ(kinds("**a**"), "otc");
  EXPECT_EQ(kinds("*a **b* c**"), "otptctp");
  EXPECT_EQ(kinds("***a** b*"), "ootctc");
  EXPECT_EQ(kinds("**a *b***"), "ototcc");
  EXPECT_EQ(kinds("2 * 3 * 4"), "t");
  EXPECT_EQ(kinds("a_b_c"), "t");
  EXPECT_EQ(kinds("[a *b](c) d*"), "otptctp");
  EXPECT_EQ(kinds("``a`b``"), "p");
  EXPECT_EQ(kinds("`a"), "t");
}

// Any text keeps its marks, and unchanged text keeps its bytes.
TEST(Markdown, LosesNothing) {
  const std::vector<std::string> parts{"a dog ",
                                       "**",
                                       "*",
                                       "_",
                                       "`",
                                       "``",
                                       "[",
                                       "](x)",
                                       "]",
                                       "![",
                                       "<b>",
                                       "</b>",
                                       "\n",
                                       "\n\n",
                                       "> ",
                                       "- ",
                                       "1. ",
                                       "# ",
                                       "| a | b |\n|--|--|\n",
                                       "    ",
                                       "```\n",
                                       "~~",
                                       "\\",
                                       "&amp;",
                                       "狗",
                                       "สุนัข",
                                       "  \n",
                                       "[r]: y\n",
                                       "---\n",
                                       "\r\n",
                                       "http://a.b/c_d ",
                                       "<!-- ",
                                       "{0} "};
  std::uint32_t state = 1;
  const auto random = [&](std::size_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t k = random(20); k > 0; --k) text += parts[random(parts.size())];
    ASSERT_EQ(translated(read(text), [](const auto& words) { return words; }), text);
    const std::string back = turned(text);
    for (const char c : {'`', '|'})
      ASSERT_EQ(std::count(back.begin(), back.end(), c), std::count(text.begin(), text.end(), c)) << text << "\n===\n"
                                                                                                  << back;
  }
}

TEST(Markdown, TakesWhatNobodyWouldWrite) {
  for (const std::string part :
       {"*",         "**a", "_a ",     "[",     "![",   "]",   "[a](",    "[a]: b\n", "`",    "` `` ", "<",
        "<a ",       "<a>", "> ",      ">",     "- ",   "* ",  "1. ",     "|",        "|a",   "\\",    "&",
        "&amp;",     "# ",  "#",       "\n",    "  \n", "a\n", "~~",      "~~~\n",    "<!--", "<?",    "www.",
        "http://a ", "(",   "[a][b] ", "- a\n", "  ",   "\t",  "***a** ", "[^a] ",    "狗*"}) {
    std::string all;
    while (all.size() < 100'000) all += part;
    EXPECT_EQ(translated(read(all), [](const auto& words) { return words; }), all) << part;
  }
}

}  // namespace
}  // namespace hexapla::text::document
