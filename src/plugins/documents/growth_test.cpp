// The cost of a stranger's file grows with its size, not with the square of it (docs/adr/0100-untrusted-files.md).
#include <cstdlib>
#include <optional>

#include "base/compute/test_growth.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "documents/formats/formats.h"
#include "documents/office/test_office.h"
#include "documents/tags/xml_tokens.h"
#include "documents/test_translations.h"
#include "text/characters.h"
#include "text/lines/sentences.h"
#include "text/marked/protected_text.h"

namespace hexapla::text::document {
namespace {

using test::once, test::Shape;

struct Case {
  std::string name;
  std::function<void(const std::string& text)> work;
  std::vector<Shape> shapes;
};

// Reads a file with this ending, and writes it with its words in another order.
std::function<void(const std::string&)> file(const std::string& ending, const std::string& before = "",
                                             const std::string& after = "") {
  return [=](const std::string& text) { translated(*read(*format_of("a" + ending), before + text + after), reversed); };
}
// A file that is an archive with this member.
std::function<void(const std::string&)> office(const std::string& ending, const std::string& member,
                                               const std::string& before, const std::string& after,
                                               const std::string& types = "") {
  return [=](const std::string& text) {
    std::vector<TestMember> members{{member, before + text + after, true}};
    if (!types.empty()) members.push_back({"[Content_Types].xml", types, true});
    translated(*read(*format_of("a" + ending), archive_of(members)), reversed);
  };
}

const std::vector<Shape> kHtml{{"<p>a <b>b</b></p>"},
                               {once("<p "), "a\1 ", once(">")},
                               {"<p a\1>"},
                               {"<html a\1=1>"},
                               {"<body a\1=1>"},
                               {"<b>", "</b>"},
                               {"<b><i></b>"},
                               {"<rp>"},
                               {"<li><dd>"},
                               {"<optgroup>"},
                               {once("<svg>"), "<source>"},
                               {once("<svg>"), "<path d='M'/>"},
                               {"<b><object></b></object>"},
                               {"<a><p>a</a>"},
                               {"<table>", "<td>a"},
                               {"<font size=\1>a"},
                               {"</p>"},
                               {"&amp"},
                               {"&#65;<"},
                               {"<i translate=no>", "1", "</i>"},
                               {"<i>", "1 ", "</i>"},
                               {"<a b=\"<a b='"},
                               {"<!--"},
                               {"<img alt=x>"}};
const std::vector<Shape> kMarkdown{{"a *b* [c](d)\n\n"},
                                   {"- ", "\n"},
                                   {"- a\n", "\n"},
                                   {"> ", once("\n"), "\n"},
                                   {"|a", once("\n"), "|-", once("\n"), "|a", once("\n")},
                                   {once("|a|\n|-|\n"), "|a\n"},
                                   {"|a", once("\n"), "|-", once("\n"), "|\n"},
                                   {"*[", "]"},
                                   {once("*["), "_a ", "b* "},
                                   {"[", "]"},
                                   {"![", "](x)"},
                                   {"[a](("},
                                   {"[a\1]: b\n", "[a\1] "},
                                   {"[a]: b\n", "[", "]"},
                                   {"**a _b "},
                                   {"*", "b* "},
                                   {"`a`` "},
                                   {"<a "},
                                   {"<b>", "</b>"},
                                   {"a\n---\n"},
                                   {"a\n"},
                                   {"&amp;"},
                                   {"\\"},
                                   {"1. a\n   "}};
const std::vector<Shape> kInXml{{"a <b>b</b> "},
                                {"<b>", "</b>"},
                                {once("<b "), "a\1='' ", once("/>")},
                                {"<b a='1'/>"},
                                {"&amp;"},
                                {"&a;"},
                                {"&eacute;"},
                                {"&#65;"},
                                {"<!--x-->"},
                                {"<![CDATA[x]]>"},
                                {"\n"},
                                {"<bx id='\1'/>", "<ex id='\1'/>"},
                                {"<bx id='1'/>"},
                                {"<g id='\1'>x</g>"},
                                {"<?x y?>"}};
const std::vector<Shape> kWord{
    {"<w:p><w:r><w:t>a b</w:t></w:r></w:p>"},
    {"<w:p>", "<w:r><w:t>a b</w:t></w:r>", "</w:p>"},
    {once("<w:p>"), "<w:r><w:t>a b</w:t></w:r>", once("</w:p>")},
    {once("<w:p>"), "<w:r><w:rPr><w:b w:c='\1'/></w:rPr><w:t>a b</w:t></w:r>", once("</w:p>")},
    {once("<w:p><w:r><w:rPr>"), "<w:b/>", once("</w:rPr>"), "<w:t>a</w:t>", once("</w:r></w:p>")},
    {once("<w:p>"), "<w:bookmark/>", once("<w:r><w:t>a</w:t></w:r></w:p>")},
    {once("<w:p>"), "<w:hyperlink>", once("<w:r><w:t>a</w:t></w:r>"), "</w:hyperlink>", once("</w:p>")},
    {once("<w:p><w:r>"), "<w:t>a</w:t><w:tab/>", once("</w:r></w:p>")},
    {once("<w:p><w:r>"), "<w:fldChar w:fldCharType='begin'/>", "<w:t>a</w:t>", "<w:fldChar w:fldCharType='end'/>",
     once("</w:r></w:p>")},
    {"<x xmlns:n\1='u'/>"}};
const std::vector<Shape> kText{{"a dog. "},
                               {"a"},
                               {"A. "},
                               {"... "},
                               {"1. "},
                               {"3. aaaa"},
                               {" »"},
                               {"(", ")"},
                               {"((", "{0}", "))"},
                               {"{0} a "},
                               {"{{"},
                               {"<a b="},
                               {"`a`` "},
                               {"%("},
                               {"http://"},
                               {"\""},
                               {"*"},
                               {"a@b.co "},
                               {"狗。"},
                               {"\xCC\x81\xCC\x96"},
                               {"aΩ"},
                               {"@a/"},
                               {"\xF0\x9F\x98\x80"}};

const std::string kWordType =
    "<Types><Override PartName='/word/document.xml' "
    "ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>";

std::vector<Case> cases_of_markup() {
  return {{"html", file(".html"), kHtml},
          {"md", file(".md"), kMarkdown},
          {"xml", [](const std::string& text) { xml_pieces(text, "x", {}); }, kInXml},
          {"xliff",
           file(".xliff", "<xliff version='1.2'><file><body><trans-unit><source>",
                "</source></trans-unit></body></file></xliff>"),
           kInXml},
          {"xliff",
           file(".xliff", "<xliff version='1.2'><file><body>", "</body></file></xliff>"),
           {{"<trans-unit><source>a b</source></trans-unit>"},
            {"<group>", "<trans-unit><source>a b</source></trans-unit>", "</group>"},
            {once("<group "), "a\1='' ", once(">"), "<trans-unit><source>a</source></trans-unit>", once("</group>")}}},
          {"dtd",
           [](const std::string& text) { xml_events("<!DOCTYPE a [" + text, "x"); },
           {{once("<!ATTLIST a"), " b\1 CDATA 'c'", once(">]><b>"), "<a/>", once("</b>")},
            {once("<!ELEMENT a "), "(", "b)", once(">]><a/>")}}},
          {"tmx",
           file(".tmx", "<tmx><header srclang='en'/><body><tu><tuv xml:lang='de'><seg/></tuv></tu>", "</body></tmx>"),
           {{"<tu><tuv xml:lang='en'><seg>a b</seg></tuv></tu>"},
            {once("<tu><tuv xml:lang='de-"), "a", once("'><seg/></tuv></tu>"),
             "<tu><tuv xml:lang='en'><seg>a</seg></tuv></tu>"}}}};
}

std::vector<Case> cases_of_text() {
  return {
      {"docx",
       office(".docx", "word/document.xml",
              "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body>",
              "</w:body></w:document>", kWordType),
       kWord},
      {"odt",
       office(".odt", "content.xml",
              "<o:d xmlns:o='o' xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0' "
              "xmlns:style='urn:oasis:names:tc:opendocument:xmlns:style:1.0'>",
              "</o:d>"),
       {{"<text:p>a <text:span>b</text:span></text:p>"},
        {"<style:style style:name='s\1'>", "</style:style>"},
        {once("<style:style style:name='s'>"), "<style:x a='1'/>", once("</style:style><text:p>"),
         "<text:span text:style-name='s'>a</text:span>", once("</text:p>")},
        {once("<text:p>"), "<text:span>", once("a"), "</text:span>", once("</text:p>")}}},
      {"srt",
       file(".srt", "1\n00:00:01,000 --> 00:00:02,000\n"),
       {{"a b.\n"}, {"- a\n"}, {"<i>", "a ", "</i>"}, {"a <i>"}, {"{\\an8}"}, {"<"}, {"a "}, {"\n"}, {"A. "}, {"♪"}}},
      {"vtt",
       file(".vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n"),
       {{"a <c>b</c> "},
        {"&amp;"},
        {"&"},
        {"<v A>a "},
        {"<00:00:01.000>a "},
        {"00:00:01.000 --> 00:00:02.000\na b\n\n"}}},
      {"po",
       file(".po"),
       {{"msgid \"a b\"\nmsgstr \"\"\n"},
        {"\"a\"\n"},
        {once("msgid \""), "<b>", "</b>", once("a\"\nmsgstr \"\"\n")},
        {"{a,"}}},
      {"json",
       file(".json", "[\"", "\"]"),
       {{"a b\",\""}, {"a <b>"}, {"<b>", "</b>"}, {"{a,"}, {"a\\n"}, {"\",{\"k\1\":1},\""}}},
      {"yaml",
       file(".yaml"),
       {{"a\1: b c\n"},
        {"- a b\n"},
        {"a: 'b\n"},
        {"&a\1 x\n"},
        {"- |\n a\n"},
        {"a "},
        {"["},
        {"- "},
        {"? "},
        {"---\n"},
        {"# a\n"}}},
      {"txt", file(".txt"), kText},
      {"sentences",
       [](const std::string& text) { parted(text, [](const std::string& part) { return part.size() < 100; }); }, kText},
      {"folded", [](const std::string& text) { folded(text); }, {{"a b "}, {"\xCC\x81\xCC\x96"}, {"狗"}}},
      {"protected",
       [](const std::string& text) {
         std::vector<TokenSpan> unknown;  // some letters
         for (std::size_t at = 0; at < text.size(); at += 2 * code_point_at(text, at).second)
           unknown.push_back({at, at + code_point_at(text, at).second});
         const ProtectedText line(text, Protection(true, {}).find(text, unknown));
         line.restored(line.text(), {}, WordLinks());
       },
       kText}};
}

// Runs the tests of this program with this filter again, under callgrind. -> what they said, if they failed; nothing:
// they passed. Callgrind writes files that begin with `file`.
std::optional<std::string> run_counting(const std::string& filter, const std::string& file) {
  const std::string said = file + ".said",
                    command = cat("HEXAPLA_ISA=avx2 OMP_NUM_THREADS=1 HEXAPLA_GROWTH_FILE='", file,
                                  "' valgrind -q --tool=callgrind --callgrind-out-file='", file, "' '",
                                  std::filesystem::read_symlink("/proc/self/exe").string(), "' --gtest_filter='",
                                  filter, "' > '", said, "' 2>&1");
  const int status = system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  if (status == 0) return {};
  return read_file(said);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

class Growth : public TestFolder {};

TEST_F(Growth, OfWorkIsThatOfTheFile) {
  if (!test::is_counting()) {
    if (kSanitized) GTEST_SKIP() << "a program under a sanitizer cannot run in valgrind";
    if (!test::kCountsInstructions || system("command -v valgrind > /dev/null") != 0)
      GTEST_SKIP() << "valgrind is missing; scripts/install_dependencies.sh --checks installs it";
    const auto failed = run_counting("Growth.*", at("counts"));
    EXPECT_FALSE(failed) << *failed;
    return;
  }
  test::Instructions counted(environment("HEXAPLA_GROWTH_FILE"));
  std::vector<Case> all = cases_of_markup();
  for (const Case& c : cases_of_text()) all.push_back(c);
  for (const Case& c : all)
    for (const Shape& shape : c.shapes) {
      std::string name = c.name + ":";
      for (const test::Part& part : shape) name += " " + part.text + (part.many ? "*" : "");
      test::expect_linear(counted, name, 4096, [&](std::size_t bytes) { c.work(test::text_of(shape, bytes)); });
    }
}

}  // namespace
}  // namespace hexapla::text::document
