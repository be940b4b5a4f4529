// libhexapla as a file: what it gives to programs.
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

// One of another kind would meet its namesake in the program that uses the library.
TEST_F(Library, ExportsWhatItsHeaderDeclaresAndNothingElse) {
  const std::string library = build_path("libhexapla.so");
  if (!std::filesystem::exists(library)) GTEST_SKIP() << library << " was not built";
  const std::string command = "nm -DC --defined-only " + library + " > " + at("symbols") + " 2> /dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "there is no nm here that lists symbols";
  std::set<std::string> symbols;
  std::istringstream in(read_file(at("symbols")));
  for (std::string line; std::getline(in, line);) {  // address, kind, name
    std::string name = line.substr(line.find(' ') + 3);
    name = name.substr(0, name.find('('));
    if (const size_t cxx11 = name.find("[abi:cxx11]"); cxx11 != std::string::npos) name.erase(cxx11);
    symbols.insert(name);
  }
  EXPECT_THAT(symbols, testing::ElementsAre("hexapla::Translator::Translator", "hexapla::Translator::operator=",
                                            "hexapla::Translator::score", "hexapla::Translator::translate",
                                            "hexapla::Translator::translate_n_best", "hexapla::Translator::~Translator",
                                            "hexapla::set_threads", "hexapla::version"));
}

}  // namespace
}  // namespace hexapla
