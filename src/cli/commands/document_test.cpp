// hexapla document as users meet it.
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "cli/test_command.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::cli {
namespace {

using testing::HasSubstr;

class DocumentCommandTest : public CommandFolder {
 protected:
  DocumentCommandTest() {
    save_untrained_model(at("model.safetensors"), text::Vocabulary::train({"a dog runs .", "two cats"}, {.size = 24}));
  }
  Result document(const std::string& input, const std::string& output,
                  const std::vector<std::string>& more = {}) const {
    return run_command(std::vector<std::string>{"document", "-m", folder(), "--extra-length", "5", "--input", input,
                                                "--output", output} +
                       more);
  }
  std::string line(const std::string& text) const {
    std::string out = run_command({"translate", "-m", folder(), "-q", "--extra-length", "5"}, text + "\n").out;
    return out.substr(0, out.size() - 1);
  }
};

TEST_F(DocumentCommandTest, WritesTheSameFormat) {
  const Result r = document(write("a.html", "<p>a dog</p>\n<!-- two cats --><p>two cats"), at("b.html"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(read_file(at("b.html")), "<p>" + line("a dog") + "</p>\n<!-- two cats --><p>" + line("two cats"));
}

TEST_F(DocumentCommandTest, IsNamedByTranslate) {
  const auto translate = [&](const std::string& file) {
    return run_command({"translate", "-m", folder(), "--extra-length", "5", "--input", file});
  };
  const Result page = translate(write("a.html", "<p>a dog</p>"));
  EXPECT_EQ(page.code, 0);
  EXPECT_THAT(page.err, HasSubstr("hexapla document"));
  EXPECT_THAT(translate(write("a.txt", "a dog")).err, testing::Not(HasSubstr("document")));
  EXPECT_EQ(translate(write("a.docx", "PK")).code, 2);
}

TEST_F(DocumentCommandTest, SaysWhatIsWrongAndWritesNothing) {
  const Result other = document(write("a.xyz", "a"), at("b.xyz"));
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, testing::AllOf(HasSubstr("a.xyz"), HasSubstr(".html")));
  const Result damaged = document(write("a.txt", "\xFF"), at("b.txt"));
  EXPECT_EQ(damaged.code, 3);
  EXPECT_THAT(damaged.err, testing::AllOf(HasSubstr("a.txt"), HasSubstr("UTF-8")));
  EXPECT_EQ(document(at("none.txt"), at("b.txt")).code, 3);
  EXPECT_EQ(document(at("a.txt"), at("a.txt")).code, 2) << "an output that is an input";
  EXPECT_FALSE(std::ifstream(at("b.txt")).good());
}

}  // namespace
}  // namespace hexapla::cli
