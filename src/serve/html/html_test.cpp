// HTML whose text is translated between its tags.
#include <gmock/gmock.h>

#include <sstream>

#include "serve/html/entities.h"
#include "serve/html/html_text.h"

namespace hexapla::serve {
namespace {

using testing::ElementsAre;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

// The words in this order, each as it is but for an exclamation mark: a translation with its alignment.
Translation reordered(const std::string& line, const std::vector<int>& order) {
  Translation t;
  t.alignment.source_words = words_of(line);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string word = t.alignment.source_words[static_cast<std::size_t>(order[i])] + "!";
    t.text += (i > 0 ? " " : "") + word;
    t.alignment.target_words.push_back(word);
    t.alignment.links.emplace_back(order[i], static_cast<int>(i));
  }
  return t;
}

std::string in_order(const std::string& html, const std::vector<int>& order) {
  const HtmlText text({html});
  EXPECT_EQ(text.lines().size(), 1u);
  return text.joined(0, {{reordered(text.lines().front(), order)}}, 0);
}

std::string as_it_is(const std::string& html) {
  const HtmlText text({html});
  PendingTranslation::Lines found;
  for (const std::string& line : text.lines()) {
    std::vector<int> order(words_of(line).size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    found.push_back({reordered(line, order)});
  }
  return text.joined(0, found, 0);
}

TEST(HtmlText, TranslatesWhatIsBetweenBlocks) {
  EXPECT_EQ(as_it_is("<h1>One two</h1>\n<p class=\"a > b\"> three\n four <br> five </p><!-- not this -->"),
            "<h1>One! two!</h1>\n<p class=\"a > b\"> three! four! <br> five! </p><!-- not this -->");
  EXPECT_EQ(as_it_is("plain"), "plain!");
  EXPECT_EQ(as_it_is(" <p> </p> "), " <p> </p> ");
}

TEST(HtmlText, TagsGoWithTheirWords) {
  EXPECT_EQ(in_order("a <b>big</b> dog", {0, 1, 2}), "a! <b>big!</b> dog!");
  EXPECT_EQ(in_order("a <b>big</b> dog", {2, 1, 0}), "dog! <b>big!</b> a!");
  EXPECT_EQ(in_order("a <b>big <i>red</i></b> dog", {1, 2, 0, 3}), "<b>big! <i>red!</i></b> a! dog!");
  EXPECT_EQ(in_order("<b>big</b> <i>red</i> dog", {1, 0, 2}), "<i>red!</i> <b>big!</b> dog!");
  EXPECT_EQ(in_order("<b>big red</b> dog", {0, 2, 1}), "<b>big!</b> dog! <b>red!</b>") << "twice where they lie apart";
  EXPECT_EQ(in_order("un<b>do</b> it", {0, 1}), "<b>undo!</b> it!");
  EXPECT_EQ(in_order("a <img src=x> dog", {1, 0}), "<img src=x>dog! a!");
  EXPECT_EQ(in_order("a <b></b> dog", {0, 1}), "a! dog!<b></b>") << "no tag is lost";
  EXPECT_EQ(in_order("a <b>big</b> dog", {0, 2}), "a! dog!<b></b>");
}

TEST(HtmlText, EveryTagIsPaired) {
  EXPECT_EQ(as_it_is("a <b>c"), "a! <b>c!");
  EXPECT_EQ(as_it_is("a</b> c"), "a!</b> c!");
  EXPECT_EQ(as_it_is("<b>a <i>c</b> d</i>"), "<b>a! <i>c!</b> d!</i>");
}

TEST(HtmlText, TakesWhatNobodyWouldWrite) {
  for (const char* part :
       {"<b>", "</b>", "<b><i></b>", "<b>a </i>", "<", "<a href=\"", "<!--", "<script>", "&#", "<b>a</b> "}) {
    std::string html;
    for (int i = 0; i < 10'000; ++i) html += part;
    const std::string same = as_it_is(html);
    EXPECT_GE(same.size(), html.size()) << part;
  }
}

TEST(HtmlText, LeavesWhatIsNoText) {
  for (const char* html : {"<script>var a = '<p>';</script>", "<style>p { }</style>", "<code>int x;</code>",
                           "<p translate=\"no\">x <b>y</b></p>", "<p", "<!-- x", "&nbsp;"})
    EXPECT_EQ(as_it_is(html), html);
  EXPECT_EQ(as_it_is("see <span translate=\"no\">ACME</span> now"), "see! <span translate=\"no\">ACME</span>now!");
  EXPECT_EQ(as_it_is("1 < 2 & 3 > 2"), "1! &lt;! 2! &amp;! 3! &gt;! 2!");
}

TEST(HtmlText, AsksForAlignmentsOnlyWhereItNeedsThem) {
  EXPECT_FALSE(HtmlText({"<p>a b</p>"}).aligned());
  EXPECT_TRUE(HtmlText({"<p>a <b>b</b></p>"}).aligned());
  EXPECT_THAT(HtmlText({"<p>a <b>b</b></p>", "c"}).lines(), ElementsAre("a b", "c"));
}

TEST(HtmlText, KeepsItsTagsWhereTheAlignmentIsOfOtherWords) {
  const HtmlText text({"a <b>c</b>"});
  Translation t;
  t.text = "x y z", t.alignment.target_words = {"x", "y", "z"}, t.alignment.source_words = {"a"};
  t.alignment.links = {{0, 0}};
  EXPECT_EQ(text.joined(0, {{t}}, 0), "x y z<b></b>");
}

TEST(Entities, ThereAndBack) {
  EXPECT_EQ(without_entities("&lt;&amp;&gt;&quot;&#39;&#x41;&auml;&hellip;&euro;"), "<&>\"'Aä…€");
  for (const char* text : {"&", "&;", "&nothing;", "&#;", "&#xD800;", "&#99999999999;", "a & b", "&amp"})
    EXPECT_EQ(without_entities(text), text);
  EXPECT_EQ(with_entities("a < b & c > d"), "a &lt; b &amp; c &gt; d");
}

}  // namespace
}  // namespace hexapla::serve
