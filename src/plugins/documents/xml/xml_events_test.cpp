// XML is read as events that together cover all of its bytes.
#include "documents/xml/xml_events.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/xml/xml_text.h"

namespace hexapla::text::document {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using EventKind = XmlEvent::Kind;

// "start a", "text x y", ... in order.
std::vector<std::string> told(std::string_view xml) {
  std::vector<std::string> all;
  for (const XmlEvent& e : xml_events(xml)) {
    constexpr const char* kinds[] = {"start", "end", "empty", "text", "cdata", "entity", "other"};
    const bool text = e.kind == EventKind::text || e.kind == EventKind::cdata;
    std::string event = kinds[static_cast<int>(e.kind)];
    event += " " + (text                         ? e.text
                    : e.kind == EventKind::other ? std::string(xml.substr(e.begin, e.end - e.begin))
                                                 : e.name);
    for (const XmlAttribute& a : e.attributes) event += " " + a.name + "=" + a.value;
    all.push_back(event);
  }
  return all;
}

std::string together(std::string_view xml) {
  std::string all;
  for (const XmlEvent& e : xml_events(xml)) {
    EXPECT_EQ(e.begin, all.size()) << xml;
    EXPECT_LT(e.begin, e.end) << xml;
    all += xml.substr(e.begin, e.end - e.begin);
  }
  return all;
}

std::string error_of_xml(std::string_view xml) {
  try {
    xml_events(xml, "x.xml");
  } catch (const DataError& e) {
    return e.what();
  }
  return "none";
}

TEST(XmlEvents, AreTagsAndTextsInOrder) {
  EXPECT_THAT(told("<w:p a='1' w:b=\"x &amp; &#x41;\"><b/>a &lt; b<i>c</i></w:p>"),
              ElementsAre("start w:p a=1 w:b=x & A", "empty b", "text a < b", "start i", "text c", "end i", "end w:p"));
  EXPECT_THAT(told("<a>x<!-- y -->z<![CDATA[1 < 2\n&amp;]]>&nbsp;&amp;<b  /></a>\n"),
              ElementsAre("start a", "text x", "other <!-- y -->", "text z", "cdata 1 < 2\n&amp;", "entity nbsp",
                          "text &", "empty b", "end a", "other \n"));
  EXPECT_THAT(
      told("<?xml version='1.0'?><!DOCTYPE html><a><![CDATA[]]><b></b></a>"),
      ElementsAre("other <?xml version='1.0'?><!DOCTYPE html>", "start a", "cdata ", "start b", "end b", "end a"));
  EXPECT_THAT(told("<a>一\r\n二\r三</a>"), ElementsAre("start a", "text 一\n二\n三", "end a"));
  EXPECT_THAT(told("<a b='/'>x</a >"), ElementsAre("start a b=/", "text x", "end a"));
}

TEST(XmlEvents, TogetherAreTheDocument) {
  for (const char* xml : {"\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<a>b</a>\r\n",
                          "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" \"x.dtd\" [<!ATTLIST a b CDATA "
                          "'c'>]><a>&eacute;x&nbsp;</a>",
                          "<a><?pi x?>1<?pi y?>&#10;<b/><![CDATA[x]]><![CDATA[y]]>z<!-- <b> --></a><!-- end -->",
                          "<ก>สุนัข<b>วิ่ง</b> كلب</ก>", "<a\n x = '1'\n/>"})
    EXPECT_EQ(together(xml), xml);
}

TEST(XmlEvents, HaveAttributesOnlyAsWritten) {
  const auto events = xml_events("<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a d='e'/>");
  EXPECT_EQ(events.back().attribute("b"), nullptr);
  ASSERT_NE(events.back().attribute("d"), nullptr);
  EXPECT_EQ(*events.back().attribute("d"), "e");
}

TEST(XmlEvents, ErrorsNameThePlace) {
  EXPECT_THAT(error_of_xml("<a>\n <b></a>"), AllOf(HasSubstr("x.xml, line 2, column"), HasSubstr("mismatched tag")));
  for (const char* xml : {"", "<a>", "<a></a><b/>", "<a", "x", "<a b=1/>", "<a>&</a>", "<a>\xFF</a>", "<a>\x01</a>",
                          "<a>]]></a>", "<a b='' b=''/>", "<a><![CDATA[x</a>"})
    EXPECT_THAT(error_of_xml(xml), HasSubstr("x.xml, line 1, column")) << xml;
}

TEST(XmlEvents, AreOfUtf8Alone) {
  EXPECT_THAT(error_of_xml(std::string_view("\xFF\xFE<\0a\0/\0>\0", 10)),
              HasSubstr("x.xml is in UTF-16; save it in UTF-8"));
  EXPECT_THAT(error_of_xml(std::string_view("\0<\0a\0/\0>", 8)), HasSubstr("UTF-16"));
  EXPECT_THAT(error_of_xml("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE4</a>"),
              HasSubstr("is in ISO-8859-1; save"));
  EXPECT_EQ(error_of_xml("<?xml version='1.0' encoding='utf-8'?><a>ä</a>"), "none");
}

TEST(XmlEvents, RefuseWhatWouldGrow) {
  EXPECT_THAT(error_of_xml("<!DOCTYPE a [\n<!ENTITY b 'ha'><!ENTITY c '&b;&b;'>]><a>&c;</a>"),
              AllOf(HasSubstr("line 2"), HasSubstr("entity b")));
  EXPECT_THAT(error_of_xml("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"), HasSubstr("entity b"));
  EXPECT_THAT(error_of_xml("<!DOCTYPE a [<!ENTITY % b '<!ENTITY c \"x\">'>%b;]><a>&c;</a>"), HasSubstr("entity b"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  EXPECT_THAT(error_of_xml(deep), HasSubstr("no element")) << "not closed, but not too deep";
  EXPECT_THAT(error_of_xml(deep + "<a>"), HasSubstr("more than 1000 elements"));
  std::string many = "<a>";
  for (int i = 0; i < 2'500'001; ++i) many += "<b c=''/>";
  EXPECT_THAT(error_of_xml(many + "</a>"), HasSubstr("x.xml has more than 5000000 tags"));
}

TEST(XmlEvents, AnErrorOfTheReceiverComesThrough) {
  EXPECT_THROW(read_xml("<a>b</a>", "x", [](const XmlEvent&) { throw UsageError("stop"); }), UsageError);
}

TEST(XmlText, IsWrittenSoThatItIsReadAsItWas) {
  EXPECT_EQ(with_entities("a < b & \"c\" > d\x01"), "a &lt; b &amp; \"c\" &gt; d\x01");
  for (const std::string text : {"a < b & \"c\" > 'd' ]]>", "一\r\n\t二", "สุนัข", ""}) {
    const std::string xml =
        "<a b=\"" + xml_attribute(text) + "\" c='" + xml_attribute(text) + "'>" + xml_text(text) + "</a>";
    const auto events = xml_events(xml);
    EXPECT_EQ(*events[0].attribute("b"), text);
    EXPECT_EQ(*events[0].attribute("c"), text);
    EXPECT_EQ(events[1].kind == EventKind::text ? events[1].text : "", text);
  }
  EXPECT_EQ(xml_text(std::string_view("a\0b\x01\xFF\uFFFE", 8)), "a\uFFFDb\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(xml_attribute("\x1B"), "\uFFFD");
}

}  // namespace
}  // namespace hexapla::text::document
