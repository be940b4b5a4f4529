// XML with user-given meanings of tags, as in DeepL's API.
#include "documents/tags/xml_tokens.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/html/html.h"
#include "text/words.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PiecesDocument document_of(Pieces pieces) {
  std::vector<Pieces> all;
  all.push_back(std::move(pieces));
  return PiecesDocument(std::move(all));
}
PiecesDocument xml_document(const std::string& xml, const TagRules& rules = {}) {
  return document_of(xml_pieces(xml, "the text", rules));
}
std::vector<std::string> lines_of_xml(const std::string& xml, const TagRules& rules = {}) {
  return xml_document(xml, rules).lines();
}
std::vector<std::string> html_lines(const std::string& html, const TagRules& rules) {
  return document_of(pieces_of(html_tokens(html), rules, with_entities)).lines();
}

// Translates each line to its words in this order; none: unchanged.
std::string xml_translated(const std::string& xml, const TagRules& rules = {}, const std::vector<int>& order = {}) {
  const PiecesDocument document = xml_document(xml, rules);
  PendingTranslation::Lines found;
  for (const std::string& line : document.lines()) {
    Translation t;
    for (const std::string_view word : text::words(line)) t.alignment.source_words.emplace_back(word);
    const std::size_t count = order.empty() ? t.alignment.source_words.size() : order.size();
    for (std::size_t i = 0; i < count; ++i) {
      const int from = order.empty() ? static_cast<int>(i) : order[i];
      t.alignment.target_words.push_back(t.alignment.source_words[from]);
      t.alignment.links.emplace_back(from, static_cast<int>(i));
      t.text += (i > 0 ? " " : "") + t.alignment.target_words.back();
    }
    if (order.empty()) t.text = line;
    found.push_back({t});
  }
  return document.joined(0, found, 0);
}

TEST(XmlTokens, TagsWithinATextAreInline) {
  EXPECT_THAT(lines_of_xml("A <x>dog</x> runs."), ElementsAre("A dog runs."));
  EXPECT_THAT(lines_of_xml("<doc>A <x><y>big</y> <z>dog</z></x> runs.</doc>"), ElementsAre("A big dog runs."));
  EXPECT_THAT(lines_of_xml("Press <x id=\"1\"/> to <b>go</b> on"), ElementsAre("Press to go on"));
  EXPECT_EQ(xml_translated("A <x>dog</x> runs.", {}, {2, 1, 0}), "runs. <x>dog</x> A");
}

TEST(XmlTokens, TheStructureSaysWhichTagsEndASentence) {
  EXPECT_THAT(lines_of_xml("<document>\n <meta><title>A title</title></meta>\n <content><par>One. <b>Two.</b></par>\n"
                           "  <par>Three.</par></content></document>"),
              ElementsAre("A title", "One. Two.", "Three."));
  EXPECT_THAT(lines_of_xml("<par>The firm said it had been </par><par> conducting it.</par>"),
              ElementsAre("The firm said it had been", "conducting it."));
  EXPECT_THAT(lines_of_xml("<ul><li>one <ul><li>two</li><li>three</li></ul></li><li>four</li></ul>"),
              ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(lines_of_xml("<a>狗<b>在</b>跑</a><a>สุนัข<b>วิ่ง</b></a><a>كلب <b>يجري</b></a>"),
              ElementsAre("狗在跑", "สุนัขวิ่ง", "كلب يجري"));
  EXPECT_THAT(lines_of_xml("<a>one &#10;two&#xA;three\nfour</a>"), ElementsAre("one", "two", "three four"));
}

TEST(XmlTokens, RulesSayItOtherwise) {
  const std::string firm = "<par>The firm said</par><par>that it is <b>so</b>.</par>";
  EXPECT_THAT(lines_of_xml(firm, {.non_splitting = {"par"}}), ElementsAre("The firm said that it is so."));
  EXPECT_THAT(lines_of_xml(firm, {.splitting = {"b"}}), ElementsAre("The firm said", "that it is", "so", "."));
  EXPECT_THAT(lines_of_xml(firm, {.outline = false}), ElementsAre("The firm said that it is so."));
  EXPECT_THAT(lines_of_xml(firm, {.splitting = {"par"}, .outline = false}),
              ElementsAre("The firm said", "that it is so."));
  EXPECT_THAT(lines_of_xml("<p><b>The firm</b> <i>says</i></p>", {.non_splitting = {"p"}}),
              ElementsAre("The firm says"));
  EXPECT_THAT(lines_of_xml("<p><b>The firm</b> <i>says</i></p>"), ElementsAre("The firm", "says"));
  EXPECT_THAT(lines_of_xml("one<br/>two<hr a='b'/>three", {.splitting = {"br", "hr"}}),
              ElementsAre("one", "two", "three"));
}

TEST(XmlTokens, IgnoredElementsStandForThemselves) {
  const TagRules keep{.ignored = {"keep"}};
  EXPECT_THAT(lines_of_xml("We saw <keep>Green <b>Park</b></keep> today.", keep), ElementsAre("We saw today."));
  EXPECT_EQ(xml_translated("We saw <keep>Green Park</keep> today", keep, {2, 0, 1}),
            "today We saw <keep>Green Park</keep>");
  EXPECT_THAT(lines_of_xml("<keep>a <keep>b</keep> c</keep><p>d</p><keep/> e", keep), ElementsAre("d e"));
  EXPECT_THAT(lines_of_xml("<keep>a</keep> <KEEP>b</KEEP>", keep), ElementsAre("b"));
}

TEST(XmlTokens, RulesAreForHtml) {
  EXPECT_THAT(html_lines("We saw <keep>Green Park</keep> today.", {.ignored = {"keep"}}), ElementsAre("We saw today."));
  EXPECT_THAT(html_lines("<p>one<p>two</p><div>three</div>", {.ignored = {"p"}}), ElementsAre("one", "three"));
  EXPECT_THAT(html_lines("<p>one</p><p>two <b>three</b></p>", {.non_splitting = {"p"}}), ElementsAre("one two three"));
  EXPECT_THAT(html_lines("<p>one</p><p>two</p><hr>three", {.outline = false}), ElementsAre("one two", "three"));
  EXPECT_THAT(html_lines("one <b>two</b><br>three", {.splitting = {"b", "br"}}), ElementsAre("one", "two", "three"));
}

TEST(XmlTokens, EverythingElseKeepsItsBytes) {
  for (const char* xml :
       {"", " ", "a", "<?xml version=\"1.0\"?>\r\n<!DOCTYPE a>\r\n<a>\r\n  b\r\n</a>\r\n", "<a>\r\n b <c/> d\r</a>",
        "<!-- a --><b>c</b><?d e?>", "<a b='c > d'>e</a >", "<a>&unknown;b &lt; c &amp; d</a>", "<a> <b/> <c></c> </a>",
        "<keep>a &quot;b&quot;</keep> c", "a <keep>b</keep>c", "<x:a xmlns:x='y'>b</x:a>"})
    EXPECT_EQ(xml_translated(xml, {.ignored = {"keep"}}), xml);
  EXPECT_EQ(xml_translated("<![CDATA[a < b]]> &quot;c&quot; caf&eacute;&nbsp;"),
            "<![CDATA[a < b]]> &quot;c&quot; caf&eacute;&nbsp;");
}

TEST(XmlTokens, ErrorsNameThePlace) {
  const auto error = [](const std::string& xml) -> std::string {
    try {
      xml_pieces(xml, "text 2", {});
    } catch (const DataError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(error("a <b>c"), HasSubstr("text 2, line 1, column 9: mismatched tag"));
  EXPECT_THAT(error("a\n</b>"), HasSubstr("text 2, line 2, column 3: mismatched tag"));
  EXPECT_THAT(error("a & b"), HasSubstr("text 2, line 1, column 4: "));
  for (const char* xml : {"</fragment><fragment>", "<b>a</c>", "<a", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
                          "a<?xml version='1.0'?>", "\x01", "a<!DOCTYPE a>", "<a b></a>", "]]>"})
    EXPECT_THAT(error(xml), HasSubstr("text 2, line 1, column")) << xml;
}

TEST(XmlTokens, TakeWhatNobodyWouldWrite) {
  const TagRules rules{.ignored = {"k"}, .splitting = {"s"}, .non_splitting = {"n"}};
  for (const char* part : {"<b>a</b> ", "<k>", "<k/>", "a<s/>", "<n>a</n>", "&nbsp;", "&x;", "&lt;", "&#10;a", "\r\n",
                           "<!--a-->", "<![CDATA[a]]>", "<a b='c'/>", "狗"}) {
    std::string xml;
    while (xml.size() < 100'000) xml += part;
    try {
      EXPECT_GT(xml_translated(xml, rules).size(), xml.size() / 20) << part;
    } catch (const DataError&) {
      EXPECT_STREQ(part, "<k>");
    }
  }
  std::string deep, ends;
  for (int i = 0; i < 990; ++i) deep += "<a>b", ends = "</a>" + ends;
  EXPECT_EQ(xml_translated(deep + ends), deep + ends);
}

}  // namespace
}  // namespace hexapla::text::document
