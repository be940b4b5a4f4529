#include "serve/job/explain_job.h"

#include <gmock/gmock.h>
#include <openssl/evp.h>

#include <cstring>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "lib/test_models.h"
#include "serve/explain/script.h"
#include "serve/look/look.h"

namespace hexapla::serve {
namespace {

using api::test::model_file;
using testing::HasSubstr;
using testing::Not;

std::string part_between(const std::string& text, const std::string& left, const std::string& right) {
  const size_t from = text.find(left) + left.size();
  return text.substr(from, text.find(right, from) - from);
}

std::vector<float> unpacked(const std::string& base64) {
  std::vector<unsigned char> bytes(base64.size());
  const int size = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(base64.data()),
                                   static_cast<int>(base64.size()));
  std::vector<float> values(static_cast<size_t>(size) / sizeof(float));  // without the padding
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

struct Explain : TestFolder {
  std::string page(const std::string& source, std::optional<std::string> target = {}) const {
    explain(
        {.model = model_file(), .source = source, .target = std::move(target), .language = "en", .out = at("a.html")});
    return read_file(at("a.html"));
  }
  static Answer answers(const std::string& page) {
    return json_or_null<Answer>(part_between(page, "id=\"answers\">", "</script>"));
  }
};

TEST_F(Explain, HasTheAnswersOfTheServer) {
  const Answer kept = answers(page(" a dog <runs>\t", "two"));
  EXPECT_EQ(kept["about"],
            (Answer{{"q", "a dog <runs>"}, {"model", kept["models"]["models"][0]["name"]}, {"t", "two"}}));
  const Inspector inspector(model_file());
  const Answer wanted = inspect(inspector, {{"q", "a dog <runs>"}, {"t", "two"}, {"tensors", {"*"}}});
  EXPECT_EQ(kept["inspected"]["names"], wanted["names"]);
  EXPECT_EQ(kept["inspected"]["score"], wanted["score"]);
  EXPECT_GT(kept["tensors"].size(), 20u);
  for (const auto& [name, tensor] : kept["tensors"].items()) {
    const std::vector<float> values = unpacked(tensor["f32"]);
    const Answer& own = wanted["tensors"][name]["values"];
    ASSERT_GE(values.size(), own.size()) << name;
    for (size_t i = 0; i < own.size(); ++i)
      EXPECT_EQ(values[i], own[i].is_null() ? -std::numeric_limits<float>::infinity() : own[i].get<float>()) << name;
  }
  EXPECT_EQ(kept["traces"][0]["answer"], trace(inspector, kept["traces"][0]["body"]));
}

TEST_F(Explain, LetsNothingElseRunOrLoad) {
  const std::string text = page("a dog");
  EXPECT_THAT(text, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(text, Not(HasSubstr("src=\"/")));
  EXPECT_THAT(text, Not(HasSubstr("rel=\"stylesheet\"")));
  EXPECT_THAT(part_between(text, "id=\"answers\">", "</script>"), Not(HasSubstr("<")));
  const std::string script = page_script();
  EXPECT_THAT(script, Not(HasSubstr("\nimport ")));
  EXPECT_THAT(script, Not(HasSubstr("\nexport ")));
  EXPECT_THAT(script, Not(HasSubstr("</script")));
  EXPECT_LT(text.size(), 2'000'000u);
}

TEST_F(Explain, TakesOneSentence) {
  EXPECT_THAT(what_of<UsageError>([&] { page(" "); }), HasSubstr("empty"));
  EXPECT_THAT(what_of<UsageError>([&] { page("a\nb"); }), HasSubstr("several lines"));
}

}  // namespace
}  // namespace hexapla::serve
