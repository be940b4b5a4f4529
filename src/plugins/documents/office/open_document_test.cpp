// OpenDocument: text is reordered, its spans move with it, and everything else stays.
#include "documents/office/open_document.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/office/test_office.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;

const std::string kBegin =
    "<office:document-content xmlns:office=\"o\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" "
    "xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\">"
    "<style:style style:name=\"T1\" style:family=\"text\"><style:text-properties fo:font-weight=\"bold\" "
    "officeooo:rsid=\"1\"/></style:style><style:style style:name=\"T2\" style:family=\"text\"><style:text-properties "
    "fo:font-weight=\"bold\" officeooo:rsid=\"2\"/></style:style><style:style style:name=\"T3\" style:family=\"text\">"
    "<style:text-properties officeooo:rsid=\"3\" fo:language=\"en\"/></style:style>";

std::string open_file(const std::string& body) {
  return archive_of({{"mimetype", "application/vnd.oasis.opendocument.text", true},
                     {"content.xml", kBegin + body + "</office:document-content>"},
                     {"settings.xml", "<a/>"}});
}
std::vector<std::string> lines_of_body(const std::string& body) { return open_document(open_file(body))->lines(); }
std::string after(const std::string& body, bool backwards) {
  const std::string xml = part_of(office_translated(*open_document(open_file(body)), backwards), "content.xml");
  return xml.substr(kBegin.size(), xml.size() - kBegin.size() - std::string("</office:document-content>").size());
}
std::string paragraph(const std::string& content) { return "<text:p>" + content + "</text:p>"; }
std::string span(const std::string& style, const std::string& content) {
  return "<text:span text:style-name=\"" + style + "\">" + content + "</text:span>";
}

TEST(OpenDocument, StaysAsItIsWhereNothingChanges) {
  for (const std::string& content : std::vector<std::string>{
           std::string("One two."), "One " + span("T1", "two") + " three.", "狗" + span("T1", "在") + "跑",
           "كلب " + span("T1", "يجري") + ".", span("T4", "One ") + span("T1", "big") + span("T4", " dog runs"),
           span("T4", "a " + span("T1", "b") + " c d"), "<text:s text:c=\"3\"/>One", "a &lt; b &amp; c",
           "H" + span("sub", "2") + "O", span("Strong", "un") + span("T1", "do") + " it is",
           "One<text:bookmark text:name=\"x\"/> two", "One<text:line-break/>two", "a b c<text:tab/>d"})
    EXPECT_EQ(after(paragraph(content), false), paragraph(content));
}

TEST(OpenDocument, StylesGoWithTheirWords) {
  EXPECT_EQ(after("<text:h>The " + span("T1", "old") + " big dog</text:h>", true),
            "<text:h>dog big " + span("T1", "old") + " The</text:h>");
  EXPECT_EQ(after(paragraph("See <text:a href=\"x\">" + span("T1", "this page") + "</text:a> now"), true),
            paragraph("now <text:a href=\"x\">" + span("T1", "page this") + "</text:a> See"));
}

TEST(OpenDocument, SpansThatLookTheSameAreOne) {
  EXPECT_THAT(lines_of_body(paragraph("li" + span("T3", "brary") + " of <text:s/>old")), ElementsAre("library of old"));
  EXPECT_EQ(after(paragraph("a" + span("T3", " b c d ") + span("T1", "e") + span("T2", "f g")), true),
            paragraph(span("T1", "g ef") + " d c b a"));
}

TEST(OpenDocument, NotesAndFieldsOccurOnce) {
  const auto note = [](const std::string& text) {
    return "<text:note><text:note-citation>1</text:note-citation><text:note-body>" + paragraph(text) +
           "</text:note-body></text:note>";
  };
  const std::string page = span("T1", "<text:page-number>7</text:page-number>");
  EXPECT_THAT(lines_of_body(paragraph("A dog" + note("a " + span("T1", "note")) + " runs")),
              ElementsAre("A dog runs", "a note"));
  EXPECT_EQ(after(paragraph("A dog" + note("a " + span("T1", "big") + " note") + " runs"), true),
            paragraph("runs dog" + note("note " + span("T1", "big") + " a") + " A"));
  EXPECT_EQ(after(paragraph("one two " + page), true), paragraph("two one " + page));
  EXPECT_EQ(after(paragraph(note("x y")), true), paragraph(note("y x")));
}

TEST(OpenDocument, WhatIsDeletedStays) {
  const std::string changes = "<text:tracked-changes>" + paragraph("old text") + "</text:tracked-changes>";
  EXPECT_EQ(after(changes + paragraph("a b"), true), changes + paragraph("b a"));
}

TEST(OpenDocument, RefusesWhatIsNoDocument) {
  EXPECT_THROW(open_document(archive_of({{"a", "b"}})), DataError);
  EXPECT_THROW(open_document(open_file("<text:p>")), DataError);
  const auto with_password = {TestMember{"content.xml", "\x01\x02"},
                              TestMember{"META-INF/manifest.xml", "<a><manifest:encryption-data/></a>"}};
  try {
    open_document(archive_of(with_password));
    FAIL();
  } catch (const DataError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("without one"));
  }
}

}  // namespace
}  // namespace hexapla::text::document
