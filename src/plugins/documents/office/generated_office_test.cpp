// Thousands of random documents: nothing is lost, whatever the markup and the alignment.
#include <gtest/gtest.h>

#include <map>

#include "documents/office/open_document.h"
#include "documents/office/open_xml.h"
#include "documents/office/test_office.h"
#include "documents/xml/xml_events.h"

namespace hexapla::text::document {
namespace {

using EventKind = XmlEvent::Kind;

class Paragraphs {
 public:
  explicit Paragraphs(std::uint64_t seed) : random_(seed) {}

  std::string word(int depth = 2) {
    std::string xml = below(2) == 0 ? "<w:p><w:pPr/>" : "<w:p>";
    for (std::size_t n = 1 + below(6); n > 0; --n) xml += word_part(depth);
    return xml + "</w:p>";
  }
  std::string open(int depth = 2) { return "<text:p>" + spans(depth) + "</text:p>"; }

 private:
  std::size_t below(std::size_t n) { return random_.below(static_cast<std::uint32_t>(n)); }
  std::string id() { return " id=\"n" + std::to_string(++ids_) + "\""; }
  std::string text() {
    constexpr const char* words[] = {"dog",     "runs", "H2O",       "狗在跑", "สุนัข", "كلب",
                                     "größer.", "a,",   "&lt;b&gt;", "5",      " ",   ""};
    std::string all;
    for (std::size_t n = 1 + below(4); n > 0; --n) all += std::string(words[below(12)]) + (below(3) > 0 ? " " : "");
    return all;
  }
  std::string run(const std::string& content) {
    return "<w:r w:rsidR=\"" + std::to_string(below(9)) + "\"><w:rPr><w:s w:val=\"" + std::to_string(below(4)) +
           "\"/></w:rPr>" + content + "</w:r>";
  }
  std::string mark(const char* type) { return "<w:r" + id() + "><w:fldChar w:fldCharType=\"" + type + "\"/></w:r>"; }
  std::string word_part(int depth) {
    switch (below(depth > 0 ? 10 : 8)) {
      case 0:
        return "<w:bookmarkStart" + id() + "/>";
      case 1:
        return run("<w:t>" + text() + "</w:t><w:tab" + id() + "/><w:t>" + text() + "</w:t><w:br" + id() + "/>");
      case 2:
        return mark("begin") + "<w:r><w:instrText" + id() + ">" + (below(2) == 0 ? "HYPERLINK" : "PAGE") +
               "</w:instrText></w:r>";
      case 3:
        return mark(below(2) == 0 ? "separate" : "end");
      case 8:
        return "<w:hyperlink" + id() + ">" + word_part(depth - 1) + word_part(depth - 1) + "</w:hyperlink>";
      case 9:
        return run("<w:pict" + id() + ">" + word(depth - 1) + "</w:pict>");
      default:
        return run("<w:t xml:space=\"preserve\">" + text() + "</w:t>");
    }
  }
  std::string spans(int depth) {
    std::string xml;
    for (std::size_t n = 1 + below(5); n > 0; --n) {
      const std::size_t kind = below(depth > 0 ? 9 : 5);
      if (kind < 4) xml += text();
      if (kind == 4) xml += below(2) == 0 ? "<text:tab" + id() + "/>" : "<text:line-break" + id() + "/>";
      if (kind == 5 || kind == 6)
        xml += "<text:span text:style-name=\"" + std::to_string(below(4)) + "\">" + spans(depth - 1) + "</text:span>";
      if (kind == 7) xml += "<text:a" + id() + ">" + spans(depth - 1) + "</text:a>";
      if (kind == 8) xml += "<text:note" + id() + ">" + open(depth - 1) + "</text:note>";
    }
    return xml;
  }

  Random random_;
  int ids_ = 0;
};

// All tags with an id, and all visible text without whitespace. In Word documents, text is in runs.
struct Shown {
  std::map<std::string, int> markup;
  std::string text;
};
Shown shown(const std::string& xml) {
  Shown all;
  std::vector<std::string> open;
  for (const XmlEvent& event : xml_events(xml)) {
    if (event.kind == EventKind::end) open.pop_back();
    if (const std::string* const id = event.attribute("id")) ++all.markup[event.name + *id];
    if (event.kind == EventKind::start) open.push_back(event.name);
    if (event.kind != EventKind::text || open.back() == "w:instrText") continue;
    EXPECT_TRUE(open.back() == "w:t" || open.back().starts_with("text:")) << open.back() << " in " << xml;
    EXPECT_TRUE(open.back() != "w:t" || open[open.size() - 2] == "w:r") << xml;
    all.text += event.text;
  }
  all.text = without_blanks(all.text);
  std::sort(all.text.begin(), all.text.end());
  return all;
}

const std::string kWordSpace = "\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"",
                  kTextSpace = "\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"";

// Checks 500 documents of six paragraphs.
template <class Make>
void lose_nothing(const std::string& name, Make&& make, std::shared_ptr<const Document> (*read)(const std::string&)) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const std::string before = make();
    const std::string types =
        "<Types><Override PartName=\"/x.xml\" ContentType=\"wordprocessingml.footer+xml\"/></Types>";
    const std::string file = archive_of({{"[Content_Types].xml", types}, {name, before}});
    const auto document = read(file);
    Document::Lines found;
    for (const std::string& line : document->lines()) found.push_back({shuffled(line, random)});
    const std::string after = part_of(document->joined(0, found, 0), name);
    const Shown was = shown(before), is = shown(after);
    ASSERT_EQ(was.markup, is.markup) << before << "\n" << after;
    ASSERT_EQ(was.text, is.text) << before << "\n" << after;
    ASSERT_FALSE(testing::Test::HasFailure()) << before << "\n" << after;
  }
}

TEST(GeneratedDocuments, OfWordLoseNothing) {
  Paragraphs paragraphs(1);
  const auto make = [&] {
    std::string xml = "<w:body xmlns:w=" + kWordSpace + ">";
    for (int i = 0; i < 6; ++i) xml += paragraphs.word();
    return xml + "</w:body>";
  };
  lose_nothing("x.xml", make, open_xml);
}

TEST(GeneratedDocuments, OfLibreOfficeLoseNothing) {
  Paragraphs paragraphs(1);
  const auto make = [&] {
    std::string xml = "<text:body xmlns:text=" + kTextSpace + ">";
    for (int i = 0; i < 6; ++i) xml += paragraphs.open();
    return xml + "</text:body>";
  };
  lose_nothing("content.xml", make, open_document);
}

}  // namespace
}  // namespace hexapla::text::document
