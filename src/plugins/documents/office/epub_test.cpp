// E-books: pages and contents are translated and stay well-formed XML.
#include "documents/office/epub.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/html/html.h"
#include "documents/office/test_office.h"
#include "documents/xml/xml_events.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kPageBegin =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" \"x.dtd\">\n"
    "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/><meta charset=\"utf-8\"/><script src=\"x\"/></head>"
    "<body class=\"b\">\n";
const std::string kPageEnd = "\n</body></html>\n";
const std::string kNcx =
    "<ncx xmlns=\"http://www.daisy.org/z3986/2005/ncx/\"><docTitle><text>The Book</text></docTitle>"
    "<navLabel><text>Part one</text></navLabel></ncx>";
const std::string kPackage =
    "<package xmlns=\"http://www.idpf.org/2007/opf\"><dc:title>The Book</dc:title><manifest>"
    "<item href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/>"
    "<item href=\"Text/a%20b.xhtml\" media-type=\"application/xhtml+xml\"/>"
    "<item href=\"gone.xhtml\" media-type=\"application/xhtml+xml\"/>"
    "<item href=\"../out/c.xhtml\" media-type=\"application/xhtml+xml\"/></manifest></package>";

std::vector<TestMember> book(const std::string& body) {
  return {{"mimetype", "application/epub+zip", true},
          {"META-INF/container.xml", "<container><rootfile full-path=\"OEBPS/x.opf\"/></container>"},
          {"OEBPS/x.opf", kPackage},
          {"OEBPS/toc.ncx", kNcx},
          {"OEBPS/Text/a b.xhtml", kPageBegin + body + kPageEnd},
          {"out/c.xhtml", kPageBegin + "<p>Last page</p>" + kPageEnd}};
}
std::string page_after(const std::string& body, bool backwards) {
  const std::string page = part_of(office_translated(*epub(archive_of(book(body))), backwards), "OEBPS/Text/a b.xhtml");
  xml_events(page);  // is well-formed
  return page.substr(kPageBegin.size(), page.size() - kPageBegin.size() - kPageEnd.size());
}

TEST(Epub, PagesAndContentsAreTranslated) {
  const std::string file = archive_of(book("<p>One page</p>"));
  const auto document = epub(file);
  EXPECT_THAT(document->lines(), ElementsAre("Part one", "One page", "Last page"));
  const std::string after = office_translated(*document, true);
  EXPECT_EQ(part_of(after, "OEBPS/x.opf"), kPackage);
  EXPECT_THAT(part_of(after, "OEBPS/toc.ncx"),
              HasSubstr("<docTitle><text>The Book</text></docTitle><navLabel><text>one Part"));
  EXPECT_THAT(part_of(after, "out/c.xhtml"), HasSubstr("<p>page Last</p>"));
}

TEST(Epub, PagesStayXml) {
  for (const char* body :
       {"<p>A <b>big</b> dog<br/>runs.</p>", "<p><a id=\"p1\"/>A dog</p>", "<div/><p/><p>x <a id='y'/> z</p>",
        "<p>a<svg><path d=\"x\"/><text>y z</text></svg> b</p>", "<p>a <m:math><m:mi>x</m:mi><m:mo/></m:math> b</p>",
        "<ul><li>a</li><li/></ul><table><tr><td/><td>b</td></tr></table><hr/>", "<p>x <![CDATA[a > b]]> y</p>",
        "<p>狗<i>在</i>跑 สุนัข<b>วิ่ง</b> كلب <b>يجري</b></p>", "<iframe src=\"x\"/><p>a</p><textarea/><style/>b"})
    EXPECT_EQ(page_after(body, false), body);
  EXPECT_EQ(page_after("<p>caf&eacute; &lt; x&nbsp;&amp; y</p>", true), "<p>y x\u00A0&amp; &lt; café</p>");
  EXPECT_EQ(page_after("<p>one <b>two</b><a id=\"p\"/> three four</p>", true),
            "<p>four three <b>two</b><a id=\"p\"/> one</p>");
}

TEST(Epub, RefusesWhatCannotBeTranslated) {
  const auto error_of = [](const std::vector<TestMember>& members) -> std::string {
    try {
      epub(archive_of(members));
    } catch (const DataError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(error_of({{"a", "b"}}), HasSubstr("META-INF/container.xml"));
  EXPECT_THAT(error_of({{"META-INF/container.xml", "<container/>"}}), HasSubstr("names no package"));
  EXPECT_THAT(error_of(book("<p>")), HasSubstr("OEBPS/Text/a b.xhtml, line"));
  auto locked = book("<p>a</p>");
  locked.push_back({"META-INF/encryption.xml", "<e><CipherReference URI=\"OEBPS/Text/a%20b.xhtml\"/></e>"});
  EXPECT_THAT(error_of(locked), HasSubstr("is encrypted"));
  locked.back().content = "<e><CipherReference URI=\"OEBPS/font.otf\"/></e>";
  EXPECT_EQ(error_of(locked), "none") << "a font";
}

}  // namespace
}  // namespace hexapla::text::document
