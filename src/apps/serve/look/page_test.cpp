#include "serve/look/page.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>

#include "base/files/file.h"
#include "base/test_paths.h"

namespace hexapla::serve {
namespace {

namespace fs = std::filesystem;

fs::path page_folder() { return source_path("src/apps/serve/page"); }

std::vector<fs::path> files_of_the_page() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(page_folder()))
    if (!entry.is_directory()) all.push_back(entry.path());
  return all;
}

std::string request_path(const fs::path& file) {
  return file.filename() == "index.html" ? "/" : "/assets/" + fs::relative(file, page_folder()).generic_string();
}

// As cmake/embed.cmake: a module or style sheet comes without indentation, empty lines and lines of comment.
std::string embedded_text(const fs::path& file) {
  const std::string text = read_file(file);
  if ((file.extension() != ".js" && file.extension() != ".css") || file.filename() == "tour_code.js") return text;
  const std::string code = std::regex_replace("\n" + text, std::regex("\n *(//[^\n]*|/[*][^*\n]*[*]/)"), "");
  return std::regex_replace(code, std::regex("\n[ \n]+"), "\n").substr(1);
}

TEST(Page, ServesEveryFileOfItsFolder) {
  std::set<std::string_view> tags;
  std::size_t bytes = 0;
  for (const fs::path& file : files_of_the_page()) {
    const PageFile* const served = page_file(request_path(file));
    ASSERT_NE(served, nullptr) << file;
    EXPECT_EQ(served->content, embedded_text(file)) << file;
    EXPECT_THAT(std::string(served->etag), testing::MatchesRegex("\"[0-9a-f]+\"")) << file;
    tags.insert(served->etag);
    bytes += served->content.size();
  }
  EXPECT_EQ(tags.size(), files_of_the_page().size()) << "every file has a tag of its own";
  EXPECT_LT(bytes, 300'000u);
  EXPECT_EQ(page_file("/")->content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page_file("/assets/main.js")->content_type, "text/javascript; charset=utf-8");
  for (const char* path : {"", "/index.html", "/assets/", "/assets/../main.js", "/assets/nothing.js", "/main.js"})
    EXPECT_EQ(page_file(path), nullptr) << path;
}

TEST(Page, ServesEveryLessonThatItLinksTo) {
  for (const char* language : {"", "zh/"})
    for (const auto& entry : fs::directory_iterator(source_path(cat("docs/course/", language)))) {
      if (entry.path().extension() != ".md") continue;
      const PageFile* const served = page_file(cat("/course/", language, entry.path().filename().string()));
      ASSERT_NE(served, nullptr) << entry.path();
      EXPECT_EQ(served->content, read_file(entry.path()));
      EXPECT_EQ(served->content_type, "text/plain; charset=utf-8");
    }
  const std::regex lesson(R"rx("(\d-[a-z-]+)")rx");
  const std::string steps = read_file(source_path("src/apps/serve/page/tour/tour_steps.js"));
  const std::set<std::string> linked(std::sregex_token_iterator(steps.begin(), steps.end(), lesson, 1), {});
  EXPECT_EQ(linked.size(), 8u);
  for (const std::string& name : linked) EXPECT_NE(page_file(cat("/course/", name, ".md")), nullptr) << name;
}

std::string join(const fs::path& file, const std::string& pattern) {
  const std::string text = read_file(file);
  const std::regex expression(pattern);
  std::string found;
  for (std::sregex_iterator i(text.begin(), text.end(), expression), end; i != end; ++i) found += i->str() + "\n";
  return found;
}

// The path of a file that another one names with this beginning: "./", "../" or "/assets/".
std::string asked_path(const fs::path& by, const std::string& begin, const std::string& rest) {
  return begin == "/assets/"
             ? begin + rest
             : fs::path(request_path(by)).parent_path().append(begin + rest).lexically_normal().string();
}

TEST(Page, WhatItAsksForIsThere) {
  for (const fs::path& file : files_of_the_page()) {
    const std::string text = read_file(file);
    const std::regex asset(R"rx((?:from |import\(|src=|href=)"((?:\.\.?/)+|/assets/)([\w./-]+)")rx");
    for (std::sregex_iterator i(text.begin(), text.end(), asset), end; i != end; ++i)
      EXPECT_NE(page_file(asked_path(file, i->str(1), i->str(2))), nullptr) << file << ": " << i->str();
  }
}

// The page's policy forbids these in every browser; finds them before anybody opens one.
TEST(Page, HasNothingFromElsewhereAndNothingInline) {
  for (const fs::path& file : files_of_the_page()) {
    EXPECT_EQ(join(file, R"rx((?:src|href|action)="(?:https?:)?//[^"]*")rx"), "") << file;
    EXPECT_EQ(join(file, R"rx(@import|url\((?!#)[^)]*\))rx"), "") << file;
    EXPECT_EQ(join(file, R"rx(\bon(?:click|load|error|input|submit)=|<style|\sstyle=")rx"), "") << file;
    EXPECT_EQ(join(file, R"rx(\b(?:eval|Function)\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write)rx"), "")
        << file;
    EXPECT_EQ(join(file, R"rx(setAttribute\("style")rx"), "") << file;
  }
}

}  // namespace
}  // namespace hexapla::serve
