// Bilingual files: only targets that are still untranslated get a translation.
#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "documents/bilingual/tmx.h"
#include "documents/bilingual/xliff.h"
#include "documents/xml/xml_events.h"
#include "text/words.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Translates each line to its own words, reversed if `backwards`, with their alignment.
std::string bilingual_translated(const Document& document, bool backwards = false) {
  PendingTranslation::Lines found;
  for (const std::string& line : document.lines()) {
    Translation t;
    for (const std::string_view word : text::words(line)) t.alignment.source_words.emplace_back(word);
    const std::size_t count = t.alignment.source_words.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = backwards ? count - 1 - i : i;
      t.alignment.target_words.push_back(t.alignment.source_words[from]);
      t.alignment.links.emplace_back(static_cast<int>(from), static_cast<int>(i));
      t.text += (i > 0 ? " " : "") + t.alignment.target_words.back();
    }
    found.push_back({t});
  }
  return document.joined(0, found, 0);
}

std::string error_of(std::shared_ptr<const Document> (*open)(const std::string&), const std::string& content) {
  try {
    open(content);
  } catch (const DataError& e) {
    return e.what();
  }
  return "none";
}

const std::string kMachine = " state=\"needs-review-translation\" state-qualifier=\"leveraged-mt\"";

std::string first(const std::string& units) {
  return "<?xml version=\"1.0\"?>\r\n<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\n<file "
         "source-language=\"en\" target-language=\"de\"><body>" +
         units + "</body></file></xliff>\n";
}
std::string second(const std::string& units) {
  return "<xliff version=\"2.0\" srcLang=\"en\" trgLang=\"de\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\"><file "
         "id=\"f\">" +
         units + "</file></xliff>";
}
std::string memory(const std::string& units, const std::string& language = "en") {
  return "<tmx version=\"1.4\"><header srclang=\"" + language + "\"/><body>" + units + "</body></tmx>";
}
std::string backwards_1(const std::string& units) { return bilingual_translated(*xliff(first(units)), true); }

TEST(Xliff, OfVersion1GetsATargetAfterEachSource) {
  EXPECT_EQ(backwards_1("<trans-unit id='1'>\n  <source>one two</source>\n  <note>three</note></trans-unit>"),
            first("<trans-unit id='1'>\n  <source>one two</source>\n  <target" + kMachine +
                  ">two one</target>\n  <note>three</note></trans-unit>"));
  EXPECT_EQ(backwards_1("<trans-unit id='1'><source>one &amp; two</source><target/></trans-unit>"),
            first("<trans-unit id='1'><source>one &amp; two</source><target" + kMachine +
                  ">two &amp; one</target></trans-unit>"));
  EXPECT_EQ(backwards_1("<trans-unit id='1'><source>a b</source><target xml:lang='de' state = 'new' >x</target>"
                        "</trans-unit>"),
            first("<trans-unit id='1'><source>a b</source><target xml:lang='de' state = 'needs-review-translation' "
                  "state-qualifier=\"leveraged-mt\">b a</target></trans-unit>"));
  EXPECT_EQ(bilingual_translated(
                *xliff("<x:xliff xmlns:x='y'><x:trans-unit><x:source>42</x:source></x:trans-unit></x:xliff>")),
            "<x:xliff xmlns:x='y'><x:trans-unit><x:source>42</x:source><x:target" + kMachine +
                ">42</x:target></x:trans-unit></x:xliff>");
}

TEST(Xliff, KeepsWhatIsDone) {
  for (const char* unit :
       {"<trans-unit id='1'><source>a b</source><target>x y</target></trans-unit>",
        "<trans-unit id='1'><source>a b</source><target state='final'>x</target></trans-unit>",
        "<trans-unit id='1' approved='yes'><source>a b</source><target/></trans-unit>",
        "<trans-unit id='1' translate='no'><source>a b</source></trans-unit>",
        "<group translate='no'><group><trans-unit id='1'><source>a b</source></trans-unit></group></group>",
        "<trans-unit id='1'><source> </source><target/></trans-unit>", "<trans-unit id='1'><source/></trans-unit>",
        "<trans-unit id='1'><source>a b</source><target><x id='1'/></target><alt-trans><source>a</source><target/>"
        "</alt-trans></trans-unit>"}) {
    EXPECT_THAT(xliff(first(unit))->lines(), IsEmpty()) << unit;
    EXPECT_EQ(backwards_1(unit), first(unit));
  }
  EXPECT_THAT(
      xliff(first("<group translate='no'><trans-unit translate='yes'><source>a b</source></trans-unit></group>"))
          ->lines(),
      ElementsAre("a b"));
}

TEST(Xliff, CodesGoWithTheirWords) {
  const auto target = [](const std::string& source) {
    const std::string all = backwards_1("<trans-unit id='1'><source>" + source + "</source></trans-unit>");
    const std::size_t begin = all.find("leveraged-mt\">") + 14;
    return all.substr(begin, all.find("</target>") - begin);
  };
  EXPECT_EQ(target("a <g id='1'>big dog</g> runs"), "runs <g id='1'>dog big</g> a");
  EXPECT_EQ(target("a <bpt id='1'>&lt;b></bpt>big dog<ept id='1'>&lt;/b></ept> runs"),
            "runs <bpt id='1'>&lt;b></bpt>dog big<ept id='1'>&lt;/b></ept> a");
  EXPECT_EQ(target("a <bx id='1' rid='7'/>big dog<ex id='2' rid='7'/> runs"),
            "runs <bx id='1' rid='7'/>dog big<ex id='2' rid='7'/> a");
  EXPECT_EQ(target("see <ph id='1'>&lt;img alt='<sub>a dog</sub>'></ph> here"),
            "here see <ph id='1'>&lt;img alt='<sub>a dog</sub>'></ph>");
  EXPECT_EQ(target("visit <mrk mtype='protected'>Green Park</mrk> now"),
            "now visit <mrk mtype='protected'>Green Park</mrk>");
  EXPECT_EQ(target("one<x id='1' ctype='lb'/>two"), "two one<x id='1' ctype='lb'/>");
  EXPECT_EQ(target("a <it id='1' pos='open'>b</it>c <bx id='3'/>d"), "<bx id='3'/>d <it id='1' pos='open'>b</it>c a");
  EXPECT_EQ(target("<g id='1'>a <bx id='2'/>b</g> c<ex id='2'/> d"), "d c<ex id='2'/> <g id='1'> <bx id='2'/>b a</g>");
  EXPECT_EQ(target("<bx id='1'/>a <bx id='2'/>b<ex id='1'/> c<ex id='2'/>"),
            "c <bx id='1'/> <bx id='2'/>b a<ex id='1'/><ex id='2'/>");
}

TEST(Xliff, SegmentsAndLinesAreSentencesOfTheirOwn) {
  EXPECT_EQ(backwards_1("<trans-unit id='1'><source>A b. C d.</source><seg-source><mrk mtype='seg' mid='1'>A b.</mrk> "
                        "<mrk mtype='seg' mid='2'>C d.</mrk></seg-source></trans-unit>"),
            first("<trans-unit id='1'><source>A b. C d.</source><seg-source><mrk mtype='seg' mid='1'>A b.</mrk> "
                  "<mrk mtype='seg' mid='2'>C d.</mrk></seg-source><target" +
                  kMachine +
                  "><mrk mtype='seg' mid='1'>b. A</mrk> <mrk mtype='seg' mid='2'>d. C</mrk></target></trans-unit>"));
  EXPECT_THAT(xliff(first("<trans-unit xml:space='preserve'><source>a b\r\n c</source></trans-unit><trans-unit>"
                          "<source>d\n e&#10;f</source></trans-unit>"))
                  ->lines(),
              ElementsAre("a b", "c", "d e", "f"));
  EXPECT_THAT(backwards_1("<trans-unit xml:space='preserve'><source>a b\r\n c&#xD;&#10;d</source></trans-unit>"),
              HasSubstr(">b a\r\n c&#xD;&#10;d</target>"));
}

TEST(Xliff, OfVersion2GetsATargetInEachSegment) {
  EXPECT_EQ(
      bilingual_translated(
          *xliff(second("<unit id='u'><originalData><data id='d'>x</data></originalData><segment id='1'>\n  "
                        "<source>a <pc id='1'>big <ph id='2' dataRef='d'/>dog</pc></source>\n</segment>"
                        "<ignorable><source> </source></ignorable><segment state='initial'><source>c "
                        "d</source><target>x</target></segment></unit>")),
          true),
      second("<unit id='u'><originalData><data id='d'>x</data></originalData><segment id='1' state=\"translated\">\n  "
             "<source>a <pc id='1'>big <ph id='2' dataRef='d'/>dog</pc></source>\n  <target><pc id='1'> "
             "<ph id='2' dataRef='d'/>dog big</pc> a</target>\n</segment>"
             "<ignorable><source> </source></ignorable><segment state='translated'><source>c d</source><target>d c"
             "</target></segment></unit>"));
  EXPECT_THAT(
      bilingual_translated(*xliff(second("<unit><segment><source>a <sc id='1'/>b c<ec startRef='1'/> <mrk id='m' "
                                         "translate='no'>D e</mrk> f</source></segment></unit>")),
                           true),
      HasSubstr("<target>f <sc id='1'/>c b<ec startRef='1'/> <mrk id='m' translate='no'>D e</mrk> a</target>"));
  for (const char* unit :
       {"<unit><segment><source>a b</source><target>x</target></segment></unit>",
        "<unit translate='no'><segment><source>a b</source></segment></unit>",
        "<unit><segment state='final'><source>a b</source><target>x</target></segment><x:matches xmlns:x='y'><x:match>"
        "<source>a</source><target/></x:match></x:matches></unit>"})
    EXPECT_EQ(bilingual_translated(*xliff(second(unit)), true), second(unit));
}

TEST(Xliff, SaysWhatIsWrong) {
  EXPECT_THAT(error_of(xliff, "<html/>"), HasSubstr("is not XLIFF: it begins with <html>"));
  EXPECT_THAT(error_of(xliff, "<xliff version='2.1'><segment><source>a</source></segment></xliff>"),
              HasSubstr("trgLang=\"de\""));
  EXPECT_EQ(error_of(xliff, "<xliff version='2.1'/>"), "none");
  EXPECT_THAT(error_of(xliff, "<xliff>\n<file></xliff>"), HasSubstr("the file, line 2, column"));
  EXPECT_THAT(error_of(xliff, "<?xml version='1.0' encoding='iso-8859-1'?><xliff/>"), HasSubstr("iso-8859-1"));
  EXPECT_THAT(error_of(xliff, "<!DOCTYPE a [<!ENTITY b 'ha'>]><xliff>&b;</xliff>"), HasSubstr("entity b"));
}

TEST(Tmx, UnitsGetWhatTheyLack) {
  const std::string en = "<tuv xml:lang=\"en-US\"><seg>one <hi>two</hi></seg></tuv>";
  EXPECT_EQ(bilingual_translated(*tmx(memory("<tu>\n  " + en + "\n  <tuv xml:lang='DE'><seg/></tuv></tu><tu>\n  " + en +
                                             "\n</tu><tu>" + en + "<tuv xml:lang='de'><seg>x</seg></tuv></tu>")),
                                 true),
            memory("<tu>\n  " + en + "\n  <tuv xml:lang='DE'><seg><hi>two</hi> one</seg></tuv></tu><tu>\n  " + en +
                   "\n  <tuv xml:lang=\"DE\"><seg><hi>two</hi> one</seg></tuv>\n</tu><tu>" + en +
                   "<tuv xml:lang='de'><seg>x</seg></tuv></tu>"));
  const std::string codes = "<seg>a <bpt i='1'>&lt;b></bpt>b c<ept i='1'>&lt;/b></ept> <ph>x</ph> d</seg>";
  EXPECT_THAT(bilingual_translated(
                  *tmx(memory("<tu><tuv lang='en'>\n" + codes +
                                  "\n</tuv></tu><tu><tuv lang='zh-Hans'><seg/></tuv><tuv lang='en'><seg/></tuv></tu>",
                              "*all*")),
                  true),
              HasSubstr("\n</tuv><tuv xml:lang=\"zh-Hans\">\n<seg>d <bpt i='1'>&lt;b></bpt>c b<ept i='1'>&lt;/b></ept> "
                        "<ph>x</ph> a</seg>\n</tuv></tu>"));
}

TEST(Tmx, SaysWhatIsWrong) {
  const auto tuv = [](const std::string& language) { return "<tuv xml:lang='" + language + "'><seg>a</seg></tuv>"; };
  EXPECT_THAT(error_of(tmx, "<xliff/>"), HasSubstr("is not TMX"));
  EXPECT_THAT(error_of(tmx, memory("<tu>" + tuv("en") + "</tu>")), HasSubstr("no language beside en; write"));
  EXPECT_THAT(error_of(tmx, memory("<tu>" + tuv("en") + tuv("de") + tuv("fr") + "</tu>")),
              HasSubstr("has de and fr beside en; keep one"));
  EXPECT_EQ(error_of(tmx, memory("<tu>" + tuv("EN-gb") + tuv("de") + tuv("de-CH") + "</tu>")), "none");
  EXPECT_EQ(error_of(tmx, memory("")), "none");
}

// Random well-formed content of a source element.
std::string made_up(std::uint32_t& state, int depth) {
  static const std::vector<std::string> parts{"one ",
                                              "two",
                                              " 狗",
                                              "คำ",
                                              ", ",
                                              "&amp;",
                                              "&#10;",
                                              "\n",
                                              "<x id='1'/>",
                                              "<bx id='2'/>",
                                              "<ex id='2'/>",
                                              "<bpt id='3'>&lt;b></bpt>",
                                              "<ept id='3'/>",
                                              "<ph>a</ph>",
                                              "<![CDATA[<]]>",
                                              "<!-- c -->",
                                              " "};
  static const std::vector<std::string> elements{"g", "mrk", "mrk mtype='seg'", "mrk mtype='protected'", "it"};
  const auto random = [&](std::size_t below) { return (state = state * 1664525 + 1013904223) / 65536 % below; };
  std::string all;
  for (std::size_t i = random(8); i > 0; --i) {
    all += parts[random(parts.size())];
    if (depth == 0 || random(3) > 0) continue;
    const std::string& name = elements[random(elements.size())];
    all += "<" + name + ">" + made_up(state, depth - 1) + "</" + name.substr(0, name.find(' ')) + ">";
  }
  return all;
}

TEST(Bilingual, LosesNoTag) {
  const auto tags = [](std::string_view xml) {
    std::multiset<std::string_view> all;
    for (const XmlEvent& e : xml_events(xml))
      if (e.opens() || e.kind == XmlEvent::Kind::end) all.insert(xml.substr(e.begin, e.end - e.begin));
    return all;
  };
  std::uint32_t state = 1;
  int filled = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::string source = "<r>" + made_up(state, 3) + "</r>";
    const std::string all =
        bilingual_translated(*xliff(first("<trans-unit><source>" + source + "</source></trans-unit>")), true);
    const std::size_t begin = all.find("<r>", all.find("<target"));
    if (begin == std::string::npos) continue;  // only whitespace
    ++filled;
    ASSERT_EQ(tags(std::string_view(all).substr(begin, all.rfind("</r>") + 4 - begin)), tags(source)) << all;
  }
  EXPECT_GT(filled, 600);
}

TEST(Bilingual, TakesWhatNobodyWouldWrite) {
  for (const char* part : {"<g>", "<g>a</g>", "<bx id='1'/>", "<bx id='1'/>a<ex id='2'/>", "<ex id='1'/>", "<bpt/>a",
                           "&#10;", "<ph>a</ph>", "<x/>a", "<mrk mtype='seg'>a</mrk>", "<source>a</source>", "<!-- -->",
                           "狗 ", "สุนัข<x/>", "كلب<g>كلب</g> ", "<trans-unit><source>a</source></trans-unit>"}) {
    std::string units;
    while (units.size() < 100'000) units += part;
    for (const std::string& file : {first(units), first("<trans-unit><source>" + units + "</source></trans-unit>")})
      try {
        EXPECT_GE(bilingual_translated(*xliff(file)).size(), file.size()) << part;
      } catch (const DataError&) {
        EXPECT_STREQ(part, "<g>");
      }
  }
  std::string deep, ends;
  for (int i = 0; i < 900; ++i) deep += "<trans-unit><source>a</source>", ends += "</trans-unit>";
  EXPECT_EQ(xliff(first(deep + ends))->lines().size(), 900u);
}

}  // namespace
}  // namespace hexapla::text::document
