// Plain texts, translated line by line, in UTF-8 and UTF-16.
#include "documents/text/text_lines.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/formats/formats.h"
#include "documents/test_translations.h"
#include "documents/text/utf16.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;

TEST(TextLines, KeepBlanksAndLineEnds) {
  const TextLines text({"\xEF\xBB\xBF  a dog \r\n\r\n\t- b\r\u3000狗在跑\u3000\rc", "x\n"});
  EXPECT_THAT(text.lines(), ElementsAre("a dog", "- b", "狗在跑", "c", "x"));
  const std::vector<std::vector<Translation>> found{{translation_of("A DOG", in_capitals)},
                                                    {translation_of("- B", in_capitals)},
                                                    {translation_of("X", in_capitals)},
                                                    {translation_of("C", in_capitals)},
                                                    {translation_of("Y", in_capitals)}};
  EXPECT_EQ(text.joined(0, found, 0), "\xEF\xBB\xBF  A DOG \r\n\r\n\t- B\r\u3000X\u3000\rC");
  EXPECT_EQ(text.joined(1, found, 0), "Y\n");
}

TEST(TextLines, OneLineInOneLineOut) {
  const std::string text = "A dog that\nruns.\n\n  สุนัข\n\u200F كلب\n";
  EXPECT_EQ(TextLines({text}).lines().size(), 4u);
  EXPECT_EQ(translated(TextLines({text}), [](const auto& words) { return words; }), text);
}

std::string file_in_capitals(const std::string& name, const std::string& content) {
  return translated(*read(*format_of(name), content), in_capitals);
}

TEST(Utf16, IsTranslatedAndWrittenAsItWas) {
  for (const bool little : {true, false}) {
    const auto wide = [&](const std::string& text) { return to_utf16("\xEF\xBB\xBF" + text, little); };
    EXPECT_EQ(file_in_capitals("a.txt", wide("a dog 狗\U0001F415\r\n")), wide("A DOG 狗\U0001F415\r\n"));
    EXPECT_EQ(file_in_capitals("a.srt", wide("1\n00:00:01,000 --> 00:00:02,000\na dog\n")),
              wide("1\n00:00:01,000 --> 00:00:02,000\nA DOG\n"));
    EXPECT_EQ(from_utf16(wide("a\U0001F415")),
              "\xEF\xBB\xBF"
              "a\U0001F415");
  }
}

TEST(Utf16, RefusesWhatIsNone) {
  using namespace std::string_literals;
  for (const std::string& bad : {"\xFF\xFE"
                                 "a"s,
                                 "\xFF\xFE\x00\xD8"s,
                                 "\xFF\xFE\x00\xDC"
                                 "a\0"s,
                                 "\xFF\xFE\0\0a\0\0\0"s, "\0\0\xFE\xFF"s})
    EXPECT_THROW(read(*format_of("a.txt"), bad), DataError);
}

}  // namespace
}  // namespace hexapla::text::document
