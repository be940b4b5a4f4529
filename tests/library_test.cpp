// The symbols that libhexapla exports.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

using Library = TestFolder;

std::string public_headers() {
  std::string text;
  for (const auto& file : std::filesystem::directory_iterator(source_path("include/hexapla")))
    text += read_file(file.path().string());
  return text;
}

std::set<std::string> exported(const std::string& symbols) {
  std::set<std::string> names;
  std::istringstream in(symbols);
  for (std::string line; std::getline(in, line);) {  // address, kind, name
    std::string name = line.substr(line.find(' ') + 3);
    name = name.substr(0, name.find('('));
    if (const size_t cxx11 = name.find("[abi:cxx11]"); cxx11 != std::string::npos) name.erase(cxx11);
    names.insert(name);
  }
  return names;
}

// Other exported symbols could clash with those of a program that uses the library.
TEST_F(Library, ExportsWhatItsHeadersDeclareAndNothingElse) {
  const std::string library = build_path("libhexapla.so");
  if (!std::filesystem::exists(library)) GTEST_SKIP() << library << " was not built";
  const std::string command = "nm -DC --defined-only " + library + " > " + at("symbols") + " 2> /dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "there is no nm here that lists symbols";
  const std::set<std::string> symbols = exported(read_file(at("symbols")));
  EXPECT_THAT(symbols,
              testing::IsSupersetOf({"hexapla::Translator::translate", "hexapla::Trainer::train",
                                     "hexapla::Evaluator::score", "hexapla::Inspector::inspect", "hexapla::Model::load",
                                     "hexapla::nn::Linear::backward", "hexapla::nn::initialize", "hexapla::set_threads",
                                     "hexapla::version", "typeinfo for hexapla::UsageError"}));
  const std::string headers = public_headers();
  for (const std::string& symbol : symbols) {
    EXPECT_THAT(symbol, testing::MatchesRegex("(typeinfo for )?hexapla(::nn)?(::[A-Za-z_0-9]+)?::~?[A-Za-z_0-9]+=?"));
    const std::string own = symbol.substr(symbol.rfind(':') + 1);
    EXPECT_NE(headers.find(own), std::string::npos) << symbol << " is in no public header";
  }
}

}  // namespace
}  // namespace hexapla
