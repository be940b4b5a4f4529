// The symbols that libhexapla exports are those that its headers declare.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

using Library = TestFolder;

// How many functions of each name there are, by their full names; and the classes whose types are exported.
struct Names {
  std::map<std::string, int> functions;
  std::set<std::string> types;
};

// Reads the declarations of a header: functions without a body that are not private, and classes that HEXAPLA_API
// marks.
class Declarations {
 public:
  Declarations(const std::string& header, Names& to) : to_(to) {
    static const std::regex other(R"(//[^\n]*|"(\\.|[^"\\\n])*"|#([^\n]*\\\n)*[^\n]*)");
    text_ = std::regex_replace(header, other, " ");
    for (; at_ < text_.size(); ++at_) read(text_[at_]);
  }

 private:
  struct Scope {
    std::string name;
    bool is_private = false;
  };

  void read(char c) {
    if (c == '(') ++parentheses_;
    if (c == ')') --parentheses_;
    if (parentheses_ > 0)
      statement_ += c;
    else if (c == '{')
      open();
    else if (c == '}')
      scopes_.pop_back(), statement_.clear();
    else if (c == ';')
      declared(), statement_.clear();
    else if (c == ':' && std::regex_match(statement_, std::regex(R"(\s*(public|protected|private))")))
      scopes_.back().is_private = statement_.ends_with("private"), statement_.clear();
    else
      statement_ += c;
  }

  // A namespace or class begins; any other pair of braces is skipped.
  void open() {
    static const std::regex names(R"(\s*namespace\s*([\w:]*)\s*)");
    static const std::regex classes(
        R"(\s*(?:template\s*<[^]*>\s*)?(class|struct)\s+(HEXAPLA_API\s+)?(\w+)\s*(:[^]*)?)");
    std::smatch found;
    if (std::regex_match(statement_, found, names)) {
      scopes_.push_back({found[1]});
    } else if (std::regex_match(statement_, found, classes)) {
      scopes_.push_back({found[3], found[1] == "class"});
      if (found[2].matched) to_.types.insert(scope());
    } else {
      int depth = 0;
      do depth += (text_[at_] == '{') - (text_[at_] == '}');
      while (depth > 0 && ++at_ < text_.size());
      const size_t next = text_.find_first_not_of(" \n", at_ + 1);
      const bool body = parenthesis() != std::string::npos && text_.find_first_of(",{;", next) != next;
      if (!body) return;  // an initializer: the statement goes on
    }
    statement_.clear();
  }

  void declared() {
    static const std::regex others(R"(\s*(using|friend|template)\b[^]*|[^]*=\s*(default|delete)\s*)");
    static const std::regex name(R"([^]*?(operator[^\w\s]+|~?\w+)\s*)");
    const bool hidden = std::ranges::any_of(scopes_, [](const Scope& s) { return s.is_private || s.name == "api"; });
    const size_t end = parenthesis();
    std::smatch found;
    const std::string before = statement_.substr(0, end == std::string::npos ? 0 : end);
    if (!hidden && !std::regex_match(statement_, others) && std::regex_match(before, found, name))
      ++to_.functions[cat(scope(), "::", found[1].str())];
  }

  // The first parenthesis of the statement outside of <>.
  size_t parenthesis() const {
    int angles = 0;
    for (size_t i = 0; i < statement_.size(); ++i) {
      angles += (statement_[i] == '<') - (statement_[i] == '>');
      if (statement_[i] == '(' && angles == 0) return i;
    }
    return std::string::npos;
  }

  std::string scope() const {
    std::string all;
    for (const Scope& one : scopes_) all += (all.empty() ? "" : "::") + one.name;
    return all;
  }

  Names& to_;
  std::string text_, statement_;
  size_t at_ = 0;
  int parentheses_ = 0;
  std::vector<Scope> scopes_;
};

Names declared() {
  Names names;
  for (const auto& file : std::filesystem::directory_iterator(source_path("include/hexapla")))
    Declarations(read_file(file.path().string()), names);
  return names;
}

// The symbols that the library exports, as names with parameters. Empty: there is no library, or no nm that lists them.
std::set<std::string> symbols_of_library(const std::string& output) {
  std::set<std::string> symbols;
  const std::string command =
      cat("nm -DC --defined-only ", build_path("libhexapla.so"), " > ", output, " 2> /dev/null");
  if (std::system(command.c_str()) != 0) return symbols;
  const std::string all = read_file(output);
  std::istringstream in(all);
  for (std::string line; std::getline(in, line);)
    symbols.insert(line.substr(line.find(' ') + 3));  // address, kind, name
  return symbols;
}

Names exported(const std::set<std::string>& symbols) {
  static const std::regex types("(typeinfo|typeinfo name|vtable) for (.*)"), abi(R"(\[abi:cxx11\])");
  Names names;
  for (const std::string& symbol : symbols) {
    const std::string name = std::regex_replace(symbol, abi, "");
    std::smatch found;
    if (std::regex_match(name, found, types))
      names.types.insert(found[2]);
    else
      ++names.functions[name.substr(0, name.find('('))];
  }
  return names;
}

// More symbols could clash with those of a program that uses the library.
TEST_F(Library, ExportsWhatItsHeadersDeclareAndNothingElse) {
  const std::set<std::string> symbols = symbols_of_library(at("symbols"));
  if (symbols.empty()) GTEST_SKIP() << "no library was built, or there is no nm that lists its symbols";
  const Names here = declared(), there = exported(symbols);
  EXPECT_EQ(there.functions, here.functions) << "a function of include/hexapla begins with HEXAPLA_API";
  EXPECT_EQ(there.types, here.types);
  EXPECT_EQ(here.functions.at("hexapla::Glossary::Glossary"), 1);
  EXPECT_EQ(here.functions.at("hexapla::Translator::translate"), 2);
}

// Debian's list says since which version there is a function.
TEST_F(Library, DebianListsWhatItExports) {
  std::set<std::string> symbols = symbols_of_library(at("symbols")), listed;
  std::set<std::string> optional;  // vtables, which optimization may leave out
  if (symbols.empty()) GTEST_SKIP() << "no library was built, or there is no nm that lists its symbols";
  std::erase_if(symbols, [](const std::string& s) { return s.starts_with("hexapla::nn::"); });  // by a pattern
  static const std::regex entry(R"x( \(c\+\+(\|optional)?\)"(.*)@Base" [0-9.]+)x");
  for (const auto& file : std::filesystem::directory_iterator(source_path("debian"))) {
    if (file.path().extension() != ".symbols") continue;
    std::istringstream in(read_file(file.path().string()));
    std::smatch found;
    for (std::string line; std::getline(in, line);)
      if (std::regex_match(line, found, entry)) (found[1].matched ? optional : listed).insert(found[2]);
  }
  for (const std::string& symbol : symbols)
    EXPECT_TRUE(listed.contains(symbol) || optional.contains(symbol))
        << "add to debian/libhexapla*.symbols, with the next version instead of 1.0.0:\n"
        << cat(" (c++)\"", symbol, "@Base\" 1.0.0");
  for (const std::string& symbol : listed) EXPECT_TRUE(symbols.contains(symbol)) << symbol << " is no more";
}

TEST_F(Library, DeclarationsOfHeadersAreRead) {
  Names names;
  Declarations(R"(#pragma once  // void no();
    namespace hexapla { namespace api { void internal(); }
    class HEXAPLA_API E : public std::exception { public: E(int i) : i_{i}, s_(S{1, 2}) {} private: int i_; S s_; };
    template <class T> class V { void no(); };
    enum class Kind { a, b };
    class C {
      void no();
     public:
      explicit C(std::function<void(int)> f = {}, int i = int{1});
      C(C&&) noexcept;
      C(const C&) = delete;
      C& operator=(C&&) noexcept;
      ~C();
      HEXAPLA_API static std::vector<std::pair<int, int>> make(const char* text = "a;b{");
      std::function<void(int)> on_end;
      int one() const { return f({1}); }
      std::vector<int> list{1, 2}, more = {};
      friend void no();
      using F = void (*)();
     private:
      struct Impl;
      static int nothing();
    };
    class F : public std::function<void(const C& c)> { public: void call(); };
    int free(const C& c);
    })",
               names);
  EXPECT_THAT(names.functions,
              testing::ElementsAre(testing::Pair("hexapla::C::C", 2), testing::Pair("hexapla::C::make", 1),
                                   testing::Pair("hexapla::C::operator=", 1), testing::Pair("hexapla::C::~C", 1),
                                   testing::Pair("hexapla::F::call", 1), testing::Pair("hexapla::free", 1)));
  EXPECT_THAT(names.types, testing::ElementsAre("hexapla::E"));
}

}  // namespace
}  // namespace hexapla
