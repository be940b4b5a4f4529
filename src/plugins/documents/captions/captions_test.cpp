// Captions: the text of cues is translated.
#include "documents/captions/captions.h"

#include <gmock/gmock.h>

#include <regex>

#include "documents/captions/spread.h"
#include "documents/test_translations.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;

const std::string kFirst = "1\n00:00:01,000 --> 00:00:02,000\n", kSecond = "2\n00:00:02,000 --> 00:00:03,000\n";

std::vector<std::string> lines(const std::string& content) { return Captions(content).lines(); }
std::string translated(const std::string& content, const Words& words) { return translated(Captions(content), words); }
std::string capitals(const std::string& content) { return translated(content, in_capitals); }

TEST(Captions, LeaveNumbersAndTimesAsTheyAre) {
  const std::string srt =
      "1\r\n00:00:01,000 --> 00:00:02,500\r\na big\r\ndog\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n2 cats & a cow";
  EXPECT_THAT(lines(srt), ElementsAre("a big dog", "2 cats & a cow"));
  EXPECT_EQ(capitals(srt),
            "1\r\n00:00:01,000 --> 00:00:02,500\r\nA BIG\r\nDOG\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n"
            "2 CATS & A COW");
}

TEST(Captions, OfWebVttKeepHeadersNotesAndSettings) {
  const std::string vtt =
      "\xEF\xBB\xBFWEBVTT\n\nNOTE a note\n\nintro\n00:01.000 --> 00:02.000 align:start\nfish &amp; "
      "chips &eacute;\n\nSTYLE\n::cue {}\n\nREGION\nid:a b\n";
  EXPECT_THAT(lines(vtt), ElementsAre("fish & chips é"));
  EXPECT_EQ(capitals(vtt),
            "\xEF\xBB\xBFWEBVTT\n\nNOTE a note\n\nintro\n00:01.000 --> 00:02.000 align:start\nFISH &amp; CHIPS é\n\n"
            "STYLE\n::cue {}\n\nREGION\nid:a b\n");
}

TEST(Captions, OfSubViewer) {
  EXPECT_EQ(capitals("0:00:01.000,0:00:03.000\na big\ndog\n\n0:00:03.000,0:00:04.000\nruns."),
            "0:00:01.000,0:00:03.000\nA BIG\nDOG\n\n0:00:03.000,0:00:04.000\nRUNS.");
}

TEST(Captions, NeedNoBlankLinesBetweenCues) {
  const std::string srt =
      "4\n00:00:10,000 --> 00:00:11,000\nHe waits for him.\n5\n00:00:12,000 --> 00:00:13,000\nHe runs.\n"
      "00:00:14,000 --> 00:00:15,000\nHe sits.\n\n00:00:16.000 --> 00:00:17.000\n";
  EXPECT_THAT(lines(srt), ElementsAre("He waits for him.", "He runs.", "He sits."));
  EXPECT_EQ(capitals(srt),
            "4\n00:00:10,000 --> 00:00:11,000\nHE WAITS FOR HIM.\n5\n00:00:12,000 --> 00:00:13,000\n"
            "HE RUNS.\n00:00:14,000 --> 00:00:15,000\nHE SITS.\n\n00:00:16.000 --> 00:00:17.000\n");
}

TEST(Captions, EndTheirLinesWithAnything) {
  EXPECT_EQ(capitals("1\r00:00:01,000 --> 00:00:02,000\ra big\rdog\r\r"),
            "1\r00:00:01,000 --> 00:00:02,000\rA BIG\rDOG\r\r");
  EXPECT_THAT(lines("1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\na big\r\r\ndog\r\r\n"), ElementsAre("a big dog"));
}

TEST(Captions, InnerTimesStayInOrder) {
  const std::string cue = "WEBVTT\n\n00:00.000 --> 00:02.000\n";
  EXPECT_THAT(lines(cue + "the<00:00:00.480><c> dog</c><00:00:00.960><c> runs</c>"), ElementsAre("the dog runs"));
  EXPECT_EQ(translated(cue + "the<00:00:00.480><c> dog</c><00:00:00.960><c> runs</c>\n", reversed),
            cue + "runs<00:00:00.480><c> dog</c><00:00:00.960><c> the</c>\n");
  EXPECT_EQ(translated(cue + "it <00:01.000>works <00:01.500><i>so well</i>\n", reversed),
            cue + "well <00:01.000>so <00:01.500><i>works it</i>\n");
  EXPECT_EQ(translated(cue + "the<00:00:00.480><c> dog</c><00:00:00.960><c> runs</c>\n", chinese),
            cue + "狗<00:00:00.480><c>狗</c><00:00:00.960><c>狗</c>\n");
  EXPECT_EQ(translated(cue + "狗<00:00:00.480><c>在</c><00:00:00.960><c>跑</c>\n", in_english),
            cue + "dog<00:00:00.480><c> dog</c><00:00:00.960><c> dog</c>\n");
}

TEST(Captions, RowsThatRollAreTranslatedOnce) {
  const std::string vtt =
      "WEBVTT\n\n00:00.000 --> 00:02.000\n \nthe<00:00.480><c> dog</c>\n\n00:02.000 --> 00:02.010\nthe dog\n \n\n"
      "00:02.010 --> 00:04.000\nthe dog\nruns<00:02.480><c> home</c>\n\n00:04.000 --> 00:04.010\nruns home\n \n";
  EXPECT_THAT(lines(vtt), ElementsAre("the dog runs home"));
  EXPECT_EQ(
      translated(vtt, reversed),
      "WEBVTT\n\n00:00.000 --> 00:02.000\n \nhome<00:00.480><c> runs</c>\n\n00:02.000 --> 00:02.010\nhome runs\n \n\n"
      "00:02.010 --> 00:04.000\nhome runs\ndog<00:02.480><c> the</c>\n\n00:04.000 --> 00:04.010\ndog the\n \n");
}

TEST(Captions, VoicesAndStylesStandAroundTheirWords) {
  const std::string cue = "WEBVTT\n\n00:00.000 --> 00:02.000\n";
  EXPECT_THAT(lines(cue + "<v Bob>Hello you</v> <v Al>Hi Bob"), ElementsAre("Hello you", "Hi Bob"));
  EXPECT_EQ(translated(cue + "<v Bob>a <c.red>big</c> dog</v>\n", reversed), cue + "<v Bob>dog <c.red>big</c> a</v>\n");
  EXPECT_EQ(translated(kFirst + "<i>one two\nthree four</i>\n", reversed), kFirst + "<i>four\nthree two one</i>\n");
  EXPECT_EQ(translated(kFirst + "<i>one two</i>\n<i>three four</i>\n", reversed),
            kFirst + "<i>four</i>\n<i>three two one</i>\n");
  EXPECT_EQ(translated(kFirst + "a <i>big\nred</i> dog\n", reversed), kFirst + "dog\n<i>red big</i> a\n");
  EXPECT_EQ(translated(kFirst + "{\\an8}a <b>big</b> dog\n", reversed), kFirst + "{\\an8}dog <b>big</b> a\n");
  EXPECT_EQ(capitals(kFirst + "a < b <3 </i> c\n"), kFirst + "A < B <3 </i> C\n");
}

TEST(Captions, EachOfThoseWhoSpeakHasALine) {
  const std::string srt = kFirst + "{\\an8}- who is there?\n- nobody\n\n" + kSecond + "No. - Yes. -5 is less\n";
  EXPECT_THAT(lines(srt), ElementsAre("who is there?", "nobody", "No.", "Yes.", "-5 is less"));
  EXPECT_EQ(capitals(srt), kFirst + "{\\an8}- WHO IS THERE?\n- NOBODY\n\n" + kSecond + "NO. - YES. -5 IS LESS\n");
  EXPECT_EQ(capitals("WEBVTT\n\n00:00.000 --> 00:02.000\n&gt;&gt; yes\n♪ la la ♪"),
            "WEBVTT\n\n00:00.000 --> 00:02.000\n&gt;&gt; YES\n♪ LA LA ♪");
}

TEST(Captions, SentencesGoOnInTheNextCue) {
  const std::string srt = kFirst + "Hi. The old man who\nlives here\n\n" + kSecond + "runs home. It rains.\n";
  EXPECT_THAT(lines(srt), ElementsAre("Hi.", "The old man who lives here runs home.", "It rains."));
  EXPECT_EQ(translated(srt, reversed),
            kFirst + "Hi. home. runs here\nlives who\n\n" + kSecond + "man old The rains. It\n");
  EXPECT_EQ(translated(srt, chinese), kFirst + "狗狗狗狗狗\n狗狗\n\n" + kSecond + "狗狗狗狗\n");
  EXPECT_THAT(lines(kFirst + "The end\n\n2\n00:00:09,000 --> 00:00:10,000\nof a story.\n"),
              ElementsAre("The end", "of a story."))
      << "after a pause";
  EXPECT_THAT(lines(kFirst + "I go home (sighs)\n\n" + kSecond + "[door] and then.\n"),
              ElementsAre("I go home (sighs)", "[door] and then."));
  EXPECT_THAT(lines(kFirst + "你好\n\n" + kSecond + "我们走吧\n"), ElementsAre("你好", "我们走吧"))
      << "no marks at all";
  EXPECT_THAT(lines(kFirst + "他说\n\n" + kSecond + "你好。\n"), ElementsAre("他说你好。"));
  EXPECT_THAT(lines(kFirst + "สุนัข\n\n" + kSecond + "วิ่ง\n"), ElementsAre("สุนัข", "วิ่ง"));
  EXPECT_THAT(lines(kFirst + "ذهب الرجل\n\n" + kSecond + "إلى البيت.\n"), ElementsAre("ذهب الرجل إلى البيت."));
}

TEST(Captions, AreJoinedToALimit) {
  std::string srt;
  for (int i = 0; i < 20; ++i)
    srt += std::to_string(i) + "\n00:00:" + std::to_string(10 + i) + ",000 --> 00:00:" + std::to_string(11 + i) +
           ",000\nmore" + std::to_string(i) + (i % 10 == 9 ? ".\n\n" : "\n\n");
  EXPECT_THAT(lines(srt), ElementsAre("more0 more1 more2 more3 more4 more5", "more6 more7 more8 more9.",
                                      "more10 more11 more12 more13 more14 more15", "more16 more17 more18 more19."));
}

TEST(Captions, NoRowOfACueIsEmpty) {
  const std::string srt = kFirst + "one two\nthree\nfour\n\n" + kSecond + "five six.\n";
  EXPECT_EQ(translated(srt, [](const auto&) { return std::vector<std::string>{"X"}; }),
            kFirst + "X\n\n" + kSecond + "\n");
  EXPECT_EQ(translated(srt,
                       [](const auto&) {
                         return std::vector<std::string>{"X", "Y", "Z"};
                       }),
            kFirst + "X\nY\n\n" + kSecond + "Z\n");
  EXPECT_EQ(translated(srt, [](const auto&) { return std::vector<std::string>{}; }), kFirst + "\n" + kSecond + "\n");
}

TEST(Captions, WithoutWordsStayAsTheyAre) {
  for (const char* srt :
       {"", "\n\n", "1\n00:00:01,000 --> 00:00:02,000\n\xE2\x99\xAA\n\xE2\x99\xAA\n", "no cue at all\n", "-->",
        "-->\n<i>", "1\n00:00:0x,000 --> 00:00:02,000\n\n", "WEBVTT\n\na --> b\nc d\n"})
    EXPECT_EQ(capitals(srt), srt);
}

// Unchanged text comes back byte by byte; reversed text keeps every tag and time once, and times in
// order.
TEST(Captions, LoseNothing) {
  const std::vector<std::string> parts{"<i>",    "</i>",     "<b>",   "</b>",   "<c.red>", "</c>",       "<v Bob>",
                                       "</v>",   "{\\an8}",  "\n",    "\n\n",   " ",       "- ",         "dog. ",
                                       "a big ", "狗在跑。", "&amp;", "&nbsp;", "Mr. ",    "♪",          "<3",
                                       "สุนัข ",   "كلب ",     "\r\n",  "<x",     "\n \n",   "three four "};
  std::uint32_t state = 1;
  const auto random = [&](std::size_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  for (int round = 0; round < 1000; ++round) {
    std::string content = round % 2 == 0 ? "WEBVTT\n\n" : "";
    int start = 10;
    for (std::size_t i = 0, cues = 1 + random(5); i < cues; ++i) {
      content += std::to_string(i) + "\n00:00:" + std::to_string(start) +
                 ".000 --> 00:00:" + std::to_string(start + 1) + ".000\n";
      for (std::size_t k = 0, n = random(12); k < n; ++k)
        content += random(8) == 0 ? "<00:00:" + std::to_string(start) + "." + std::to_string(100 + k) + ">"
                                  : parts[random(parts.size())];
      content += "\n\n";
      ++start;
    }
    ASSERT_EQ(translated(content, [](const auto& words) { return words; }), content);
    const std::string back = translated(content, reversed);
    const auto found = [](const std::string& text, const char* pattern) {
      const std::regex marks(pattern);
      return std::vector<std::string>(std::sregex_token_iterator(text.begin(), text.end(), marks), {});
    };
    const char* const times = "<?\\d\\d:\\d\\d:\\d\\d.\\d+>?";
    ASSERT_EQ(found(back, times), found(content, times)) << content << "\n" << back;
    auto tags = found(content, "</?[a-z][a-zA-Z. ]*>|\\{[^}]*\\}"),
         tags_back = found(back, "</?[a-z][a-zA-Z. ]*>|\\{[^}]*\\}");
    std::sort(tags.begin(), tags.end());
    std::sort(tags_back.begin(), tags_back.end());
    ASSERT_EQ(tags_back, tags) << content << "\n" << back;
  }
}

TEST(Captions, TakeWhatNobodyWouldWrite) {
  const std::string cue = "1\n00:00:01,000 --> 00:00:02,000\n";
  for (const std::string part : {"<i>",
                                 "</i>",
                                 "<i>a</i> ",
                                 "<",
                                 "{\\",
                                 "<00:00:01.000>a ",
                                 "a\n",
                                 "- a\n",
                                 "a. ",
                                 "Mr. ",
                                 "&amp;",
                                 "&eacute;",
                                 "<v a>b",
                                 "5\n",
                                 "\n",
                                 "--> ",
                                 "a <i>b\n",
                                 "♪",
                                 "00:00:01,000 --> 00:00:02,000\na\n",
                                 "<i>a ",
                                 "A? ",
                                 "狗",
                                 "aaaa"}) {
    std::string content = cue;
    while (content.size() < 50'000) content += part;
    EXPECT_EQ(translated(content, [](const auto& words) { return words; }), content) << part;
    EXPECT_FALSE(translated("WEBVTT\n\n" + content, reversed).empty()) << part;
  }
}

TEST(Spread, IsInProportion) {
  const std::vector<Share> two{{1, 1, 10}, {2, 2, 10}}, rows{{1, 1, 5}, {1, 2, 5}, {2, 3, 10}};
  EXPECT_THAT(spread("one two three four", false, two), ElementsAre("one two", "three four"));
  EXPECT_THAT(spread("one two three four", false, rows), ElementsAre("one", "two", "three four"));
  EXPECT_THAT(spread("one <i>two three</i> four", false, two), ElementsAre("one <i>two three</i>", "four"));
  EXPECT_THAT(spread("一二三，四五", false, two), ElementsAre("一二三，", "四五"));
  EXPECT_THAT(spread("fish &amp; &amp;", true, two), ElementsAre("fish", "&amp; &amp;"));
  EXPECT_THAT(spread("one", false, rows), ElementsAre("one", "", ""));
  EXPECT_THAT(spread("", false, two), ElementsAre("", ""));
}

}  // namespace
}  // namespace hexapla::text::document
