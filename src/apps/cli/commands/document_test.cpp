// Tests hexapla document from the command line.
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "cli/test_command.h"
#include "lib/test_models.h"
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

TEST_F(DocumentCommandTest, TranslatesAttributesOnRequest) {
  const std::string page = write("a.html", "<p title='a dog'>two cats");
  EXPECT_EQ(document(page, at("b.html"), {"--attributes"}).code, 0);
  EXPECT_EQ(read_file(at("b.html")), "<p title='" + line("a dog") + "'>" + line("two cats"));
  const Result r = document(write("a.txt", "a dog"), at("b.txt"), {"--attributes"});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("only .html and .htm have attributes to translate, not .txt"));
}

TEST_F(DocumentCommandTest, SaysThatThereIsNoText) {
  for (const char* name : {"a.srt", "a.vtt", "a.txt", "a.html", "a.json"}) {
    const Result r =
        document(write(name, name == std::string("a.json") ? "{}" : "\n"), at(std::string("b") + (name + 1)));
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_THAT(r.err, HasSubstr(std::string(name) + " has no text to translate; the output is a copy"));
  }
}

TEST_F(DocumentCommandTest, ReadsAGlossary) {
  const std::string terms = write("terms.tsv", "dog\ttwo cats\n"), page = write("a.html", "<p>a dog</p>");
  const Result r = document(page, at("b.html"), {"--glossary", terms});
  EXPECT_EQ(r.code, 0) << r.err;
  if (read_file(at("b.html")).find("two cats") == std::string::npos) {
    EXPECT_THAT(r.err, HasSubstr("the glossary was not followed for 'dog'"));
  }
  EXPECT_EQ(document(page, at("b.html"), {"--glossary", write("bad.tsv", "dog\n")}).code, 3);
}

TEST_F(DocumentCommandTest, OfMultilingualModelsIsInTheirLanguage) {
  save_untrained_model(at("model.safetensors"), api::test::vocabulary_of_languages(">>de<<"));
  const std::string page = write("a.html", "<p>a dog</p>");
  const Result r = document(page, at("b.html"), {"--source-language", "en", "--target-language", "fr_XX"});
  EXPECT_EQ(r.code, 0) << r.err;
  const Result line = run_command({"translate", "-m", folder(), "-q", "--extra-length", "5", "--source-language", "en"},
                                  ">>fr_XX<<a dog\n");
  EXPECT_EQ(read_file(at("b.html")), "<p>" + line.out.substr(0, line.out.size() - 1) + "</p>");
  const Result unknown = document(page, at("c.html"), {"--target-language", "xx"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--target-language 'xx' is none of the model's languages: de, en, fr_XX"));
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
  const Result none = document(at("none.txt"), at("b.txt"));
  EXPECT_EQ(none.code, 3);
  EXPECT_EQ(none.err.find("none.txt"), none.err.rfind("none.txt")) << none.err;
  const Result archive = document(write("a.txt", "PK\x03\x04 of Word"), at("b.txt"));
  EXPECT_EQ(archive.code, 3);
  EXPECT_THAT(archive.err, testing::AllOf(HasSubstr("a ZIP archive"), HasSubstr(".docx")));
  const Result other_format = document(write("a.txt", "a dog"), at("b.html"));
  EXPECT_EQ(other_format.code, 2);
  EXPECT_THAT(other_format.err, HasSubstr("the format stays; give it a name that ends in .txt"));
  EXPECT_EQ(document(write("a.html", "a dog"), at("b.HTM")).code, 0);
  const Result pipe = document("-", at("b.txt"));
  EXPECT_EQ(pipe.code, 2);
  EXPECT_THAT(pipe.err, HasSubstr("the end of its name says the format"));
  EXPECT_THAT(document(at("a.txt"), "-").err, HasSubstr("--output - is not a file: give the name of one"));
  const Result nowhere = document(write("a.txt", "a dog"), at("none/b.txt"), {"--target-language", "de"});
  EXPECT_EQ(nowhere.code, 1) << "before the model is read, which is told no languages";
  EXPECT_THAT(nowhere.err, HasSubstr("create the folder first"));
  EXPECT_EQ(document(at("a.txt"), at("a.txt")).code, 2) << "an output that is an input";
  EXPECT_FALSE(std::ifstream(at("b.txt")).good());
}

}  // namespace
}  // namespace hexapla::cli
