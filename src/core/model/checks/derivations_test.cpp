// docs/backward.md must derive every layer and every op that has a backward pass.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>

#include "base/files/file.h"
#include "base/test_paths.h"

namespace hexapla::model {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> headers(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(source_path(folder)))
    if (entry.path().extension() == ".h") all.push_back(read_file(entry.path().string()));
  return all;
}

// Structs with a member function of this name.
std::set<std::string> structs_with_backward() {
  std::set<std::string> names;
  const std::regex begins("\nstruct (\\w+)[^;{]*\\{");
  for (const std::string& text : headers("src/core/model"))
    for (std::sregex_iterator found(text.begin(), text.end(), begins), none; found != none; ++found) {
      const auto from = static_cast<size_t>(found->position());
      const std::string body = text.substr(from, text.find("\n};", from) - from);
      if (body.find(" backward(") != std::string::npos) names.insert((*found)[1]);
    }
  return names;
}

std::set<std::string> backward_ops() {
  std::set<std::string> names;
  const std::regex op("\\b(\\w+_backward\\w*)\\(");
  std::vector<std::string> all = headers("src/core/ops");
  all.push_back(read_file(source_path("src/core/backend/backend.h")));
  for (const std::string& text : all)
    for (std::sregex_iterator found(text.begin(), text.end(), op), none; found != none; ++found)
      names.insert((*found)[1]);
  return names;
}

TEST(Derivations, NameEveryLayerAndOpWithABackward) {
  const std::string page = read_file(source_path("docs/backward.md"));
  const std::set<std::string> layers = structs_with_backward(), ops = backward_ops();
  EXPECT_THAT(layers, testing::IsSupersetOf({"Linear", "SelfAttention", "SimpleRecurrence", "WeighedScore", "NoNorm"}));
  EXPECT_THAT(ops, testing::IsSupersetOf({"linear_backward_weight", "ssru_backward", "attention_backward"}));
  for (const auto& all : {layers, ops})
    for (const std::string& name : all)
      EXPECT_TRUE(page.find("`" + name + "`") != std::string::npos) << "docs/backward.md does not derive " << name;
}

}  // namespace
}  // namespace hexapla::model
