// Finds placeholders, addresses and names, and nothing that only resembles them.
#include "text/marked/placeholders.h"

#include <gmock/gmock.h>

#include <string>

namespace hexapla::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> found(const std::string& text) {
  std::vector<std::string> all;
  for (const TokenSpan& span : placeholders(text)) all.push_back(text.substr(span.from, span.to - span.from));
  return all;
}

TEST(Placeholders, OfPrograms) {
  EXPECT_THAT(found("Hello {0}, {user.name} {0:N2} {} {a}{b}"),
              ElementsAre("{0}", "{user.name}", "{0:N2}", "{}", "{a}", "{b}"));
  EXPECT_THAT(found("{{name}}, {{ user | upper }} {{{raw}}} {% if x %} {{#each a}}"),
              ElementsAre("{{name}}", "{{ user | upper }}", "{{{raw}}}", "{% if x %}", "{{#each a}}"));
  EXPECT_THAT(found("${x} ${a.b:-c} %{count} #{x} US$${amount} C#{0}"),
              ElementsAre("${x}", "${a.b:-c}", "%{count}", "#{x}", "${amount}", "{0}"));
  EXPECT_THAT(
      found("%d of %1$s, %-10s %5.2f %ld %@ 100%% %(name)s %1 %2. %ds %dx%d%s%1$d2"),
      ElementsAre("%d", "%1$s", "%-10s", "%5.2f", "%ld", "%@", "%(name)s", "%1", "%2", "%d", "%d", "%d", "%s", "%1$d"));
  EXPECT_THAT(found("Press <x id=\"1\"/> or <b>this</b>, <1>that</1> <ph/> <a href='x>y'> <br />"),
              ElementsAre("<x id=\"1\"/>", "<b>", "</b>", "<1>", "</1>", "<ph/>", "<a href='x>y'>", "<br />"));
  EXPECT_THAT(found("Run `make all` or ``a`b`` now."), ElementsAre("`make all`", "``a`b``"));
}

TEST(Placeholders, Addresses) {
  EXPECT_THAT(found("See https://example.com/a?b=c#d. Or (http://x.org/a_(b)), www.y.net!"),
              ElementsAre("https://example.com/a?b=c#d", "http://x.org/a_(b)", "www.y.net"));
  EXPECT_THAT(found("example.com, see example.org/path. a.b.io"),
              ElementsAre("example.com", "example.org/path", "a.b.io"));
  EXPECT_THAT(found("Mail me.you+x@mail.example.co.uk. <a@b.de>"),
              ElementsAre("me.you+x@mail.example.co.uk", "a@b.de"));
  EXPECT_THAT(found("mailto:a@b.de https://de.wikipedia.org/wiki/K\u00F6ln"),
              ElementsAre("mailto:a@b.de", "https://de.wikipedia.org/wiki/K\u00F6ln"));
  EXPECT_THAT(found("Haus.https://a.org/b Stra\u00DFe.https://a.org/b"),
              ElementsAre("https://a.org/b", "https://a.org/b"));
}

TEST(Placeholders, BeginWhereTheLastOneEnds) {
  EXPECT_THAT(found("#love#life, %s#tag"), ElementsAre("#love", "#life", "%s", "#tag"));
}

TEST(Placeholders, NamesTagsAndEmoji) {
  EXPECT_THAT(found("@john, @a_b! @\u00E9mile @u@x.social. (@z) #dogs #2cute #\u043F\u0451\u0441"),
              ElementsAre("@john", "@a_b", "@\u00E9mile", "@u@x.social", "@z", "#dogs", "#\u043F\u0451\u0441"));
  EXPECT_THAT(
      found(
          "a \U0001F600 b\u2764\uFE0F c \U0001F469\u200D\U0001F469\u200D\U0001F467 1\uFE0F\u20E3 \U0001F1E9\U0001F1EA"),
      ElementsAre("\U0001F600", "\u2764\uFE0F", "\U0001F469\u200D\U0001F469\u200D\U0001F467", "1\uFE0F\u20E3",
                  "\U0001F1E9\U0001F1EA"));
}

TEST(Placeholders, BesideScriptsWithoutBlanks) {
  EXPECT_THAT(found("\u70B9\u51FB{0}\u7EE7\u7EED\uFF0C\u5171%d\u4E2A\u3002"), ElementsAre("{0}", "%d"));
  EXPECT_THAT(found("\u8BBF\u95EEhttps://example.com/a\u67E5\u770B\uFF0C\u4F60\u597D@john\u3002\u7231#dogs\u5F88"),
              ElementsAre("https://example.com/a", "@john", "#dogs"));
  EXPECT_THAT(found("\u0E04\u0E25\u0E34\u0E01{0}\u0E40\u0E1E\u0E37\u0E48\u0E2D a@b.de\u0E14\u0E39"),
              ElementsAre("{0}", "a@b.de"));
  EXPECT_THAT(found("\u0627\u0636\u063A\u0637{0}\u0627\u0644\u0622\u0646 #\u0643\u0644\u0628"),
              ElementsAre("{0}", "#\u0643\u0644\u0628"));
}

TEST(Placeholders, AreNotInPlainText) {
  for (const char* text : {"100%",
                           "100% sure",
                           "5 % of them",
                           "5 %-ig",
                           "5%discount",
                           "%discount",
                           "C#",
                           "#1",
                           "no. # 1",
                           "F#m",
                           "a@b",
                           "x@y z",
                           "{",
                           "{ a }",
                           "} {",
                           "{a dog}",
                           "{;}",
                           "a < b > c",
                           "I <3 you",
                           "<a b c>",
                           "< b>",
                           "price @ 5",
                           "@ home",
                           "@5",
                           "and/or",
                           "end.Start",
                           "z.B. usw.",
                           "U.S. 3.5 10:30",
                           "e.g. this",
                           "it`s and that`s",
                           "`a' and `b'",
                           "``A dog''",
                           "`",
                           "$5 and $x",
                           "# Title",
                           "## Title",
                           "a:b",
                           "http://",
                           "://x",
                           "Tom & Jerry; R&D",
                           "1\u20AC \u00A9 \u2122",
                           "&#123;",
                           "a_b",
                           "5,000 people",
                           "-- \u2013 \u2014 ...",
                           "%"})
    EXPECT_THAT(found(text), IsEmpty()) << text;
}

TEST(Placeholders, TakeAnyBytes) {
  EXPECT_THAT(found("\xff{0}\xc3@\x80x %"), ElementsAre("{0}"));
  for (const char* text :
       {"%",  "@",  "#",  "$",   "<",    "</",  "<a", "<a b", "<a b=", "<a b='", "{",       "{{", "{%",   "`",
        "``", "${", "%(", "%(a", "%(a)", "%1$", "%-", "%.",   "%5.",   "a://",   "mailto:", "a@", "www.", "1\uFE0F"})
    for (const char* after : {"", " ", "\xff", "{", "\u4F60"}) found(text + std::string(after));
}

// A scanner with unlimited lookahead takes minutes.
TEST(Placeholders, TakeTimeInProportionToTheText) {
  for (const char* unit :
       {"{",      "{{",   "<a b=\"", "`",   "``` ", "a.",         "@",       "a@", "@a.", "%", "#", "aa://",
        "aa://.", "www.", "${",      "%(a", "a@b.", "\U0001F600", "1\uFE0F", "(",  "a-",  "[", "<"}) {
    std::string text;
    while (text.size() < 400'000) text += unit;
    EXPECT_LE(found(text).size(), text.size());
  }
}

}  // namespace
}  // namespace hexapla::text
