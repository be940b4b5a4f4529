// Attributes of a page are translated on request.
#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/formats/formats.h"
#include "documents/html/html.h"
#include "documents/test_translations.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;

std::string in_chinese(const std::string& page) { return translated(*read(*format_of("a.html"), page, true), chinese); }
std::vector<std::string> values(const std::string& page) {
  std::vector<std::string> all;
  for (const HtmlAttribute& a : html_attributes(page)) all.push_back(a.text);
  return all;
}

TEST(HtmlAttributes, AreThoseThatPeopleRead) {
  EXPECT_THAT(values("<img alt='A dog' src=a.png title=Max id=alt><input placeholder=\"Your name\" value=x>"
                     "<textarea placeholder=Text></textarea><p title=P>x</p>"),
              ElementsAre("A dog", "Max", "Your name", "Text", "P"));
  EXPECT_THAT(values("<meta name=Description content='About dogs'><meta property=og:description content=Dogs>"
                     "<meta name=viewport content=wide><meta name=author content=Max>"),
              ElementsAre("About dogs", "Dogs"));
  EXPECT_THAT(values("<link title=dark href=a.css><style title=dark></style><img alt><script title=x></script>"),
              ElementsAre("x"));
  EXPECT_THAT(values("<!-- <img alt=no> --><script>'<img alt=no>'</script>"), ElementsAre());
}

TEST(HtmlAttributes, OfWhatIsNotTranslatedStay) {
  EXPECT_THAT(values("<div translate=no title=a><img alt=b><p translate=yes title=c></p></div>"), ElementsAre("c"));
  EXPECT_THAT(values("<p class=notranslate title=a>x</p><code><b title=a>x</b></code>"), ElementsAre());
}

TEST(HtmlAttributes, AreTranslatedInTheirQuotes) {
  EXPECT_EQ(in_chinese("<p>a <img src='x' alt='two dogs' /> b"), "<p>狗 <img src='x' alt='狗狗' /> 狗");
  EXPECT_EQ(in_chinese("<img alt=dog><img alt=\"\"><img alt=' '>"), "<img alt=\"狗\"><img alt=\"\"><img alt=' '>");
  const Words quotes = [](const auto&) { return std::vector<std::string>{"\"<'&>\""}; };
  EXPECT_EQ(translated(*read(*format_of("a.htm"), "<img alt=dog title='dog'>", true), quotes),
            "<img alt=\"&quot;&lt;&apos;&amp;&gt;&quot;\" title='&quot;&lt;&apos;&amp;&gt;&quot;'>");
}

TEST(HtmlAttributes, EndNoLineAndMoveWithTheirElement) {
  const auto page = read(*format_of("a.html"), "<p title=cat>one <a title='the dog' href=x>two</a> three", true);
  EXPECT_THAT(page->lines(), ElementsAre("one two three", "cat", "the dog"));
  EXPECT_EQ(translated(*page, reversed), "<p title=cat>three <a title='dog the' href=x>two</a> one");
}

TEST(HtmlAttributes, AreLeftAloneWithoutARequest) {
  EXPECT_THAT(read(*format_of("a.html"), "<img alt=dog>")->lines(), ElementsAre());
}

TEST(HtmlAttributes, OfOtherFormatsAreRefused) {
  EXPECT_THROW(read(*format_of("a.md"), "![dog](a.png)", true), UsageError);
  EXPECT_THROW(read(*format_of("a.docx"), "", true), UsageError);
}

TEST(HtmlAttributes, OfBrokenPagesKeepTheBytes) {
  for (const std::string page :
       {"<img alt='dog", "<img alt=", "<img alt=dog", "<p title=a title=b><b><p title=c></b>x</p>",
        "\xEF\xBB\xBF<p title=a>", "<table><p title=a>x<tr title=b></table>", "<img alt=\"a\nb\r\nc\">",
        "<svg title=a><a title=b>x</a></svg>"})
    EXPECT_EQ(translated(*read(*format_of("a.html"), page, true), [](const auto& words) { return words; }), page);
}

}  // namespace
}  // namespace hexapla::text::document
