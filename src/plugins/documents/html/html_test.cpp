// HTML: the text between the tags is translated.
#include "documents/html/html.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/html/nesting.h"
#include "text/words.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;

// A fake translation with its alignment: the words in this order, each unchanged but for an
// exclamation mark.
Translation reordered(const std::string& line, const std::vector<int>& order) {
  Translation t;
  for (const std::string_view word : text::words(line)) t.alignment.source_words.emplace_back(word);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string word = t.alignment.source_words[order[i]] + "!";
    t.text += (i > 0 ? " " : "") + word;
    t.alignment.target_words.push_back(word);
    t.alignment.links.emplace_back(order[i], static_cast<int>(i));
  }
  return t;
}

std::string in_order(const std::string& html, const std::vector<int>& order) {
  const PiecesDocument page = html_document({html});
  EXPECT_EQ(page.lines().size(), 1u) << html;
  return page.joined(0, {{reordered(page.lines().front(), order)}}, 0);
}

// Translates every line to itself, aligned word by word.
std::string same(const std::string& html) {
  const PiecesDocument page = html_document({html});
  PendingTranslation::Lines found;
  for (const std::string& line : page.lines()) {
    Translation t;
    t.text = line;
    for (const std::string_view word : text::words(line)) t.alignment.source_words.emplace_back(word);
    t.alignment.target_words = t.alignment.source_words;
    for (int i = 0; i < static_cast<int>(t.alignment.source_words.size()); ++i) t.alignment.links.emplace_back(i, i);
    found.push_back({t});
  }
  return page.joined(0, found, 0);
}

std::vector<std::string> lines_of_page(const std::string& html) { return html_document({html}).lines(); }

TEST(Html, LinesAreWhatIsBetweenBlocks) {
  EXPECT_THAT(lines_of_page("<h1>One two</h1>\n<p class=\"a > b\"> three\n four</p>five<!-- not this --> six"),
              ElementsAre("One two", "three four", "five six"));
  EXPECT_THAT(lines_of_page("<ul><li>a<li>b <i>c</i></ul>d<table><tr><td>e<td>f</table>"),
              ElementsAre("a", "b c", "d", "e", "f"));
  EXPECT_THAT(
      lines_of_page("<!DOCTYPE html><html><head><title>a &amp; b</title><style>p {}</style></head><body>c</body>"),
      ElementsAre("a & b", "c"));
  EXPECT_THAT(lines_of_page("One.<br>Two<br/>three"), ElementsAre("One. Two three"));
  EXPECT_THAT(lines_of_page("<td>a</td><td>b</td>"), ElementsAre("a", "b")) << "outside of a table";
}

TEST(Html, EverythingElseKeepsItsBytes) {
  for (const char* html : {"<h1>One two</h1>\n<P Class=\"a > b\"> three </P><!-- not this -->",
                           " <p> </p> ",
                           "",
                           "<!DOCTYPE html>\n<html lang=en>\n<head><meta charset=utf-8>\n<title>x "
                           "y</title>\n</head>\n<body>\n<p>a b\n</body>",
                           "<a href=\"x\"><img src=\"b.png\"></a> A dog runs.",
                           "<i class=\"fa\"></i> A dog",
                           "<a href=\"x\"><img src=\"b.png\"> A dog</a>",
                           "One.<br>Two",
                           "A dog <img src=x> runs <br> home.",
                           "a <b>c",
                           "a</b> c",
                           "<b>a <i>c</b> d</i>",
                           "<table>a<tr><td>b</table>",
                           "<ruby>runs<rt>x</rt></ruby>.",
                           "dog<sup>1</sup> runs",
                           "We visited <span translate=\"no\">Green Park</span> today.",
                           "Press <x id=\"1\"/> to continue",
                           "Press <kbd>Ctrl</kbd> to <ph>go</ph>",
                           "<x-y>one</x-y> two",
                           "H<sub>2</sub>O",
                           "<p>a<p>b</p></p>",
                           "<select><option>a<option>b</select>",
                           "<svg><text>x</text></svg> a",
                           "x <![CDATA[y]]> z",
                           "a <?php b ?> c",
                           "<script>var a = '<p>';</script>",
                           "<style>p { }</style>",
                           "<code>int x;</code>",
                           "<p",
                           "<!-- x",
                           "&nbsp;",
                           "<p translate=\"no\">x <b>y</b></p>",
                           "<textarea> a </textarea>b",
                           "<script>i<n;'<b>'</script>x",
                           "狗<b>在</b>跑",
                           "<p>สุนัข<b>วิ่ง</b></p>",
                           "<p dir=rtl>كلب <b>يجري</b></p>"})
    EXPECT_EQ(same(html), html);
}

TEST(Html, TagsGoWithTheirWords) {
  EXPECT_EQ(in_order("a <b>big</b> dog", {2, 1, 0}), "dog! <b>big</b>! a!");
  EXPECT_EQ(in_order("a <b>big <i>red</i></b> dog", {1, 2, 0, 3}), "<b>big! <i>red</i></b>! a! dog!");
  EXPECT_EQ(in_order("<b>big</b> <i>red</i> dog", {1, 0, 2}), "<i>red</i>! <b>big</b>! dog!");
  EXPECT_EQ(in_order("un<b>do</b> it", {1, 0}), "it! un<b>do</b>!");
  EXPECT_EQ(in_order("a <b></b> dog", {0, 1}), "a! <b></b> dog!");
}

TEST(Html, WhatIsNotTranslatedStandsForItself) {
  EXPECT_THAT(lines_of_page("We saw <span translate=no>Green Park</span> today."), ElementsAre("We saw today."));
  EXPECT_THAT(lines_of_page("<p TRANSLATE='NO'>a</p><p>b</p>"), ElementsAre("b"));
  EXPECT_THAT(lines_of_page("<div class=\"x NoTranslate\"><div>Keep this.</div> Keep this too.</div> not this"),
              ElementsAre("not this"));
  EXPECT_THAT(lines_of_page("<div translate=no>a <p translate=yes>b</p> c</div>"), ElementsAre("b"));
  EXPECT_THAT(lines_of_page("<a href=\"/docs/notranslate-guide\">Read the guide now</a>"),
              ElementsAre("Read the guide now"));
  EXPECT_THAT(lines_of_page("<link href=\"notranslate.css\"><p>a</p><hr class=\"notranslate\"><p>b</p>"),
              ElementsAre("a", "b"));
  EXPECT_THAT(lines_of_page("Press <x id=\"1\"/> to <kbd>q</kbd>, or <ph>p</ph>"), ElementsAre("Press to, or p"));
  EXPECT_THAT(lines_of_page("dog<sup>1</sup> runs on the 10<sup>th</sup>"), ElementsAre("dog runs on the 10th"));
  EXPECT_THAT(lines_of_page("A dog<a href=x>1</a>. Back <a>↩︎</a> H<sub>2</sub>O <b>5</b> dogs"),
              ElementsAre("A dog. Back H2O 5 dogs"));
}

TEST(Html, EntitiesAreCharacters) {
  EXPECT_THAT(lines_of_page("A &rarr; B &hearts; &alpha; &le; &#x41; &copy 1 &xyzzy; & x"),
              ElementsAre("A → B ♥ α ≤ A © 1 &xyzzy; & x"));
  EXPECT_EQ(same("1 < 2 & 3 &gt; &copy;"), "1 < 2 & 3 &gt; &copy;");
  EXPECT_EQ(in_order("1 < 2 & &copy;", {3, 0, 1, 2, 4}), "&amp;! 1! &lt;! 2! ©!");
}

TEST(Html, TakesWhatNobodyWouldWrite) {
  for (const char* part :
       {"</b>", "<p>", "<li>", "<", "<!--", "<script>", "&#", "<b>a</b> ", "<br>", "<td>x", "</p>", "<!x>"}) {
    std::string html;
    for (int i = 0; i < 10'000; ++i) html += part;
    EXPECT_GE(same(html).size(), html.size()) << part;
  }
}

TEST(Html, RefusesWhatWouldTakeForever) {
  for (const char* part : {"<b>", "<div>", "<font size=1>", "<x/>", "<table>", "<b><i></b>"}) {
    std::string html;
    for (int i = 0; i < 100'000; ++i) html += part;
    EXPECT_THROW(html_tokens(html), DataError) << part;
  }
  std::string html;
  for (int i = 0; i < 500; ++i) html += "<b class=x>";
  for (int i = 0; i < 100'000; ++i) html += "<p>x";
  EXPECT_THROW(readable_page(html), DataError) << "copies of 500 elements in every paragraph";
  for (const char* hidden : {"<b =\"", "<!--", "<svg></svg><script><!--</script>", "<svg><title>", "<xmp><!--</xmp>",
                             "<select><iframe><input>", "<!-- --!>"}) {
    std::string page = hidden;
    for (int i = 0; i < 100'000; ++i) page += "<b>";
    try {
      html_tokens(page);  // whatever the reader leaves to the parser must be rejected
    } catch (const DataError&) {
    }
  }
  EXPECT_NO_THROW(readable_page("<!-- <b> --><script>'<b>'</script><p><p><li><li><br><br>"));
}

TEST(Html, AsksForAlignmentsOnlyWhereItNeedsThem) {
  EXPECT_THAT(html_document({"<p>a b</p><p>a <b>b</b></p>"}).aligned(), ElementsAre(false, true));
  EXPECT_THAT(html_document({"<p>a <b>b</b></p>", "c"}).lines(), ElementsAre("a b", "c"));
}

}  // namespace
}  // namespace hexapla::text::document
