// Office Open XML: text is reordered, its styles move with it, and everything else stays.
#include "documents/office/open_xml.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/office/parts/run_part.h"
#include "documents/office/test_office.h"
#include "documents/xml/xml_events.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct TestPart {
  std::string name, type, xml;
};

std::string office_file(const std::vector<TestPart>& parts) {
  std::string types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">";
  std::vector<TestMember> members{{"[Content_Types].xml", ""}};
  for (const TestPart& p : parts) {
    types += "<Override PartName=\"/" + p.name + "\" ContentType=\"application/vnd.openxmlformats-officedocument." +
             p.type + "+xml\"/>";
    members.push_back({p.name, p.xml});
  }
  members.front().content = types + "</Types>";
  return archive_of(members);
}

const std::string kTypeOfWord = "wordprocessingml.document.main", kWordName = "word/document.xml";

std::string word_xml(const std::string& body) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:document "
         "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" xmlns:r=\"r\"><w:body>" +
         body + "</w:body></w:document>";
}
std::string word(const std::string& body) { return office_file({{kWordName, kTypeOfWord, word_xml(body)}}); }
std::vector<std::string> lines_of_word(const std::string& body) { return open_xml(word(body))->lines(); }

// The body of a translation; if it is a single paragraph, without the paragraph's tags.
std::string body_of(const std::string& file) {
  const std::string xml = part_of(file, kWordName);
  xml_events(xml);  // is well-formed
  const std::size_t begin = xml.find("<w:body>") + 8;
  return xml.substr(begin, xml.find("</w:body>") - begin);
}
std::string translated_paragraph(const std::string& paragraph, bool backwards) {
  const std::string body = body_of(office_translated(*open_xml(word("<w:p>" + paragraph + "</w:p>")), backwards));
  return body.substr(5, body.size() - 11);
}
std::string unchanged_paragraph(const std::string& paragraph) { return translated_paragraph(paragraph, false); }
std::string reversed_paragraph(const std::string& paragraph) { return translated_paragraph(paragraph, true); }

std::string run(const std::string& text, const std::string& style = "") {
  const bool blanks = text.starts_with(" ") || text.ends_with(" ");
  return "<w:r>" + (style.empty() ? "" : "<w:rPr>" + style + "</w:rPr>") + "<w:t" +
         (blanks ? " xml:space=\"preserve\">" : ">") + text + "</w:t></w:r>";
}
const std::string kBold = "<w:b/>", kItalic = "<w:i/>", kProperties = "<w:pPr><w:jc w:val=\"x\"/></w:pPr>";

TEST(Word, StaysAsItIsWhereNothingChanges) {
  for (const std::string& paragraph :
       {run("One two."),
        kProperties + run("One two three ") + run("four", kBold) + run(" ") + run("five", kItalic) + run("."),
        run("狗") + run("在", kBold) + run("跑"), run("كلب ") + run("يجري", kBold) + run("."),
        "<w:bookmarkStart w:id=\"1\"/>" + run("One") + "<w:bookmarkEnd w:id=\"1\"/>", run("a &lt; b &amp; c"),
        run("H") + run("2", "<w:vertAlign w:val=\"subscript\"/>") + run("O")})
    EXPECT_EQ(unchanged_paragraph(paragraph), paragraph);
  const std::string file = word("<w:p><w:r><w:t>12.5</w:t></w:r><w:r/></w:p>");
  EXPECT_EQ(office_translated(*open_xml(file), false), with_members(file, {})) << "no words";
}

TEST(Word, StylesGoWithTheirWords) {
  EXPECT_EQ(reversed_paragraph(kProperties + run("The ") + run("old", kBold) + run(" big dog runs.")),
            kProperties + run("runs. dog big ") + run("old", kBold) + run(" The"));
  EXPECT_EQ(reversed_paragraph(run("one", kBold) + run(" two", kItalic) + run(" three four")),
            run("four three ") + run("two", kItalic) + run(" ") + run("one", kBold));
  EXPECT_EQ(reversed_paragraph(run("all of it", kBold)), run("it of all", kBold));
}

TEST(Word, RunsOfOneStyleAreOne) {
  const std::string spelled =
      "<w:r w:rsidR=\"1\"><w:t>li</w:t></w:r><w:proofErr w:type=\"spellEnd\"/>"
      "<w:r w:rsidR=\"2\"><w:rPr><w:lang w:val=\"en\"/></w:rPr><w:t>brary</w:t></w:r>"
      "<w:r><w:rPr><w:noProof/></w:rPr><w:lastRenderedPageBreak/><w:t xml:space=\"preserve\"> is old</w:t></w:r>";
  EXPECT_THAT(lines_of_word("<w:p>" + spelled + "</w:p>"), ElementsAre("library is old"));
  EXPECT_EQ(unchanged_paragraph(spelled), run("library is old"));
  EXPECT_EQ(reversed_paragraph(run("a ") + run("b", kBold) + run(" ", kItalic) + run("c", kBold) + run(" d e f")),
            run("f e d ") + run("c b", kBold) + run(" a"));
}

TEST(Word, MarkupOccursOnce) {
  const std::string link = "<w:hyperlink r:id=\"x\">", note = "<w:r><w:footnoteReference w:id=\"2\"/></w:r>",
                    image = "<w:r><w:rPr><w:noProof/></w:rPr><w:drawing><x/></w:drawing></w:r>";
  EXPECT_EQ(reversed_paragraph(run("See ") + link + run("this page", kBold) + "</w:hyperlink>" + run(" now please")),
            run("please now ") + link + run("page this", kBold) + "</w:hyperlink>" + run(" See"));
  EXPECT_EQ(reversed_paragraph(run("A dog") + note + run(" runs")), run("runs dog") + note + run(" A"));
  EXPECT_EQ(reversed_paragraph(image + run("A dog")), image + run("dog A"));
  EXPECT_EQ(
      unchanged_paragraph(run("A") +
                          "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\"> b </w:t><w:sym w:char=\"x\"/></w:r>"),
      run("A") + run(" b ", kBold) + "<w:r><w:rPr><w:b/></w:rPr><w:sym w:char=\"x\"/></w:r>");
  EXPECT_EQ(reversed_paragraph("<w:sdt><w:sdtPr/><w:sdtContent>" + run("one two") + "</w:sdtContent></w:sdt>" +
                               run(" three")),
            run("three ") + "<w:sdt><w:sdtPr/><w:sdtContent>" + run("two one") + "</w:sdtContent></w:sdt>");
}

std::string mark(const std::string& type) { return "<w:r><w:fldChar w:fldCharType=\"" + type + "\"/></w:r>"; }
std::string field(const std::string& instruction, const std::string& result) {
  return mark("begin") + "<w:r><w:instrText>" + instruction + "</w:instrText></w:r>" + mark("separate") + result +
         mark("end");
}

TEST(Word, LinksOfFieldsAreTranslatedAndOtherFieldsStay) {
  const std::string page = field("PAGE", run("seven")), link = field(" HYPERLINK \"x\" ", run("two three"));
  EXPECT_THAT(lines_of_word("<w:p>" + run("one ") + page + run(" ") + link + "</w:p>"), ElementsAre("one two three"));
  EXPECT_EQ(reversed_paragraph(run("one ") + link + run(" four five six")),
            run("six five four ") + field(" HYPERLINK \"x\" ", run("three two")) + run(" one"));
  const std::string inserted = field(" HYPERLINK \"x\" ", "<w:ins>" + run("two") + "</w:ins>");
  EXPECT_EQ(reversed_paragraph(run("one ") + inserted + run(" four five six")),
            run("six five four ") + inserted + run(" one"));
  EXPECT_EQ(reversed_paragraph(run("one ") + page + run(" two")), run("two one ") + page);
  EXPECT_THAT(
      lines_of_word("<w:p>" + field("TOC \\o", run("one") + "<w:r><w:tab/></w:r>" + field("PAGEREF x", run("two"))) +
                    "</w:p>"),
      ElementsAre("one"));
  const std::string unfinished = mark("begin") + "<w:r><w:instrText>TOC</w:instrText></w:r>" + mark("separate");
  EXPECT_EQ(reversed_paragraph(unfinished + run("a b")), unfinished + run("b a"));
  EXPECT_EQ(reversed_paragraph(run("a b") + mark("end")), run("b a") + mark("end"));
  EXPECT_EQ(unchanged_paragraph(field("IF " + field("X", run("y")), run("z")) + run("a")),
            field("IF " + field("X", run("y")), run("z")) + run("a"));
  const std::string across =
      mark("begin") + "<w:hyperlink>" + mark("separate") + run("a") + "</w:hyperlink>" + mark("end");
  EXPECT_EQ(unchanged_paragraph(across), across);
}

TEST(Word, TabsPartAndBreaksJoin) {
  const std::string tab = "<w:r><w:tab/></w:r>", line = "<w:r><w:br/></w:r>",
                    page = "<w:r><w:br w:type=\"page\"/></w:r>";
  EXPECT_THAT(lines_of_word("<w:p><w:r><w:t>Name:</w:t><w:tab/><w:t>A dog</w:t></w:r></w:p>"),
              ElementsAre("Name:", "A dog"));
  EXPECT_EQ(reversed_paragraph(run("a b") + tab + run("c d", kBold)), run("b a") + tab + run("d c", kBold));
  EXPECT_THAT(lines_of_word("<w:p>" + run("An old") + line + run("library") + page + run("x") + "</w:p>"),
              ElementsAre("An old library", "x"));
  EXPECT_EQ(unchanged_paragraph(run("An old") + line + run("library")), run("An old") + line + run("library"));
  EXPECT_EQ(unchanged_paragraph(
                "<w:r><w:t>well</w:t><w:noBreakHyphen/><w:t>known wo</w:t><w:softHyphen/><w:t>rd</w:t></w:r>"),
            run("well-known word"));
}

TEST(Word, DeletedTextStaysAndInsertedTextIsTranslated) {
  const std::string deleted = "<w:del w:id=\"1\"><w:r><w:delText>gone now</w:delText></w:r></w:del>";
  EXPECT_EQ(reversed_paragraph(run("a ") + "<w:ins w:id=\"2\">" + run("b") + "</w:ins>" + deleted + run(" c d")),
            run("d c ") + "<w:ins w:id=\"2\">" + run("b") + "</w:ins>" + deleted + run(" a"));
}

TEST(Word, ParagraphsInParagraphsComeOnce) {
  const std::string box = "<w:r><w:pict><w:txbxContent><w:p>" + run("in a box") + "<w:r><w:pict><w:p>" +
                          run("inner most") + "</w:p></w:pict></w:r></w:p><w:p>" + run("12") +
                          "</w:p></w:txbxContent></w:pict></w:r>";
  const std::string after_box = "<w:r><w:pict><w:txbxContent><w:p>" + run("box a in") + "<w:r><w:pict><w:p>" +
                                run("most inner") + "</w:p></w:pict></w:r></w:p><w:p>" + run("12") +
                                "</w:p></w:txbxContent></w:pict></w:r>";
  EXPECT_THAT(lines_of_word("<w:p>" + run("out side") + box + "</w:p>"),
              ElementsAre("out side", "in a box", "inner most"));
  EXPECT_EQ(reversed_paragraph(run("out side") + box), run("side out") + after_box);
  EXPECT_EQ(reversed_paragraph(box), after_box) << "no text around it";
}

TEST(Word, PrefixesAreTheDocuments) {
  const std::string xml =
      "<ns0:document xmlns:ns0=\"http://purl.oclc.org/ooxml/wordprocessingml/main\"><ns0:p><ns0:r><ns0:rPr>"
      "<ns0:b/></ns0:rPr><ns0:t>a b</ns0:t></ns0:r></ns0:p></ns0:document>";
  const auto document = open_xml(office_file({{kWordName, kTypeOfWord, xml}}));
  EXPECT_THAT(document->lines(), ElementsAre("a b"));
  EXPECT_EQ(part_of(office_translated(*document, false), kWordName), xml);
}

TEST(Word, AllPartsWithText) {
  std::vector<TestPart> parts{{kWordName, kTypeOfWord, word_xml("<w:p>" + run("a") + "</w:p>")}};
  for (const char* part : {"header", "footer", "footnotes", "endnotes", "comments", "settings"})
    parts.push_back({std::string("word/") + part + ".xml", std::string("wordprocessingml.") + part,
                     word_xml("<w:p>" + run(part) + "</w:p>")});
  EXPECT_THAT(open_xml(office_file(parts))->lines(),
              ElementsAre("a", "header", "footer", "footnotes", "endnotes", "comments"));
}

TEST(Word, TranslationsAreText) {
  const auto document = open_xml(word("<w:p>" + run("a") + "</w:p>"));
  Translation t;
  t.text = "<b> & \x01\x12\x14\x15 0; \xFF";
  EXPECT_EQ(body_of(document->joined(0, {{t}}, 0)),
            "<w:p>" + run("&lt;b&gt; &amp; \uFFFD\uFFFD\uFFFD\uFFFD 0; \uFFFD") + "</w:p>");
}

TEST(Slides, TextIsInRunsWithoutXmlSpace) {
  const std::string
      begin = "<p:sld xmlns:p=\"p\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:p><a:pPr/>",
      end = "<a:endParaRPr lang=\"en\"/></a:p></p:sld>", name = "ppt/slides/slide1.xml";
  const auto slide = [&](const std::string& runs) {
    return open_xml(office_file({{name, "presentationml.slide", begin + runs + end}}));
  };
  const std::string b = "<a:r><a:rPr lang=\"en\" b=\"1\" dirty=\"0\"/><a:t>";
  const auto bold_dog = slide("<a:r><a:rPr lang=\"en\"/><a:t>A big </a:t></a:r>" + b +
                              "dog</a:t></a:r><a:r><a:rPr lang=\"de\" "
                              "err=\"1\"/><a:t> runs</a:t></a:r><a:fld type=\"slidenum\"><a:t>1</a:t></a:fld>");
  EXPECT_THAT(bold_dog->lines(), ElementsAre("A big dog runs"));
  EXPECT_EQ(part_of(office_translated(*bold_dog, true), name),
            begin + "<a:r><a:rPr lang=\"en\"/><a:t>runs </a:t></a:r>" + b +
                "dog</a:t></a:r><a:r><a:rPr lang=\"en\"/><a:t> big A</a:t></a:r>"
                "<a:fld type=\"slidenum\"><a:t>1</a:t></a:fld>" +
                end);
  const auto two = slide("<a:r><a:t>a b\tc</a:t></a:r><a:br/><a:r><a:t>d</a:t></a:r>");
  EXPECT_THAT(two->lines(), ElementsAre("a b", "c d"));
  EXPECT_EQ(part_of(office_translated(*two, false), name),
            begin + "<a:r><a:t>a b\tc</a:t></a:r><a:br/><a:r><a:t>d</a:t></a:r>" + end);
}

const std::string kSheetSpace = " xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";

TEST(Sheets, StringsAreTranslatedAndNumbersStay) {
  const std::string strings =
      "<sst" + kSheetSpace +
      " count=\"5\"><si><t>One two</t></si><si><t>12.5</t></si><si><r><t>a </t></r><r><rPr><b/></rPr>"
      "<t>b c d</t></r><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si><si><t>- x y&#10;- "
      "z</t></si><si><t>Head</t></si></sst>";
  const std::string sheet =
      "<worksheet" + kSheetSpace +
      "><c t=\"inlineStr\"><is><t>in line</t></is></c><c><f>A1&amp;\"x y\"</f><v>1</v></c></worksheet>";
  const std::string table = "<table" + kSheetSpace + "><tableColumn name=\"Head\"/></table>";
  const std::string file = office_file({{"xl/strings.xml", "spreadsheetml.sharedStrings", strings},
                                        {"xl/sheet.xml", "spreadsheetml.worksheet", sheet},
                                        {"xl/table.xml", "spreadsheetml.table", table}});
  const auto document = open_xml(file);
  EXPECT_THAT(document->lines(), ElementsAre("One two", "a b c d", "- x y", "- z", "in line"));
  const std::string after = office_translated(*document, true);
  EXPECT_EQ(part_of(after, "xl/strings.xml"),
            "<sst" + kSheetSpace +
                " count=\"5\"><si><t>two One</t></si><si><t>12.5</t></si><si><r><rPr><b/></rPr><t "
                "xml:space=\"preserve\">d c b </t></r>"
                "<r><t>a</t></r></si><si><t>y x -\nz -</t></si><si><t>Head</t></si></sst>");
  EXPECT_THAT(part_of(after, "xl/sheet.xml"),
              HasSubstr("<is><t>line in</t></is></c><c><f>A1&amp;\"x y\"</f><v>1</v></c>"));
}

TEST(OpenXml, RefusesWhatIsNoDocument) {
  EXPECT_THROW(open_xml("text"), DataError);
  EXPECT_THROW(open_xml(archive_of({{"a.xml", "<a/>"}})), DataError);
  EXPECT_THROW(open_xml(archive_of({{"[Content_Types].xml", "<Types/>"}})), DataError);
  EXPECT_THROW(open_xml(word("<w:p>")), DataError);
  std::string deep, wide;
  for (int i = 0; i < 400; ++i) deep += "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:pict>";
  EXPECT_THROW(open_xml(word(deep)), DataError);
  for (int i = 0; i < 20'000; ++i)
    wide += run("a" + std::to_string(i) + " ") + run("b ", kBold) + mark("begin") + "<w:r><w:br/></w:r>";
  const auto document = open_xml(word("<w:p>" + wide + "</w:p>"));
  EXPECT_EQ(body_of(office_translated(*document, false)).size() > wide.size() / 2, true);
  EXPECT_THAT(open_xml(word(""))->lines(), IsEmpty());
}

TEST(OpenXml, RefusesWhatWouldGrow) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::string style = "<w:rPr>" + repeated("<w:lang/>", 10'000) + "</w:rPr>";
  for (const std::string& content : {style + "<w:t>a</w:t>" + repeated("<w:br/>", 10'000),
                                     style + "<w:t>a</w:t></w:r><w:bookmarkStart/><w:r><w:t>" +
                                         repeated("a</w:t></w:r><w:bookmarkStart/><w:r><w:t>", 10'000) + "</w:t>",
                                     "<w:t>" + repeated("a\tb\t", 100'000) + "</w:t>"}) {
    const std::string xml = word_xml("<w:p><w:r>" + content + "</w:r></w:p>");
    EXPECT_THROW(RunPart(xml, "x").member(), DataError) << content.size();
  }
  EXPECT_NO_THROW(
      RunPart(word_xml("<w:p>" + repeated(run("a\tb", kBold) + run("c"), 10'000) + "</w:p>"), "x").member());
}

TEST(OpenXml, PointsInARowAreOne) {
  std::string marks;
  for (int i = 0; i < 50'000; ++i) marks += "<w:bookmarkStart w:id=\"" + std::to_string(i) + "\"/>";
  const std::string paragraph = "<w:p>" + run("a dog") + marks + run(" runs") + "</w:p>";
  const auto document = open_xml(word(paragraph));
  EXPECT_THAT(document->lines(), testing::ElementsAre("a dog runs")) << "not cut where a line has many points";
  EXPECT_THAT(body_of(office_translated(*document, false)), HasSubstr(marks));
}

}  // namespace
}  // namespace hexapla::text::document
