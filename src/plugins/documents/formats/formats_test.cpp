// The extension of a file's name decides how it is read.
#include "documents/formats/formats.h"

#include <gmock/gmock.h>

namespace hexapla::text::document {
namespace {

using testing::HasSubstr;

TEST(Formats, AreFoundByEndings) {
  for (const Format& format : formats()) {
    EXPECT_EQ(format_of("x" + format.ending), &format);
    EXPECT_THAT(format_list(), HasSubstr(format.ending));
  }
  EXPECT_EQ(format_of("a.b.DOCX"), format_of("x.docx"));
  EXPECT_EQ(format_of("docx"), nullptr);
}

TEST(Formats, OthersAreRefusedWithAdvice) {
  EXPECT_THAT(advice_for("a/Paper.PDF"), HasSubstr("pdftotext"));
  EXPECT_THAT(advice_for("x.doc"), HasSubstr("save the file as .docx"));
  EXPECT_THAT(advice_for("x.xls"), HasSubstr("save the file as .xlsx"));
  EXPECT_THAT(advice_for("x.ppt"), HasSubstr("save the file as .pptx"));
  EXPECT_THAT(advice_for("x.png"), HasSubstr(format_list()));
}

}  // namespace
}  // namespace hexapla::text::document
