#pragma once
// Paths of the project's files for tests. Only cmake/test_paths.cpp contains the folder, so that
// the tests' object files are identical in every clone and a compiler cache serves them all.
#include <string>

namespace hexapla {

std::string source_path(const std::string& name);  // "tests/fixtures/bleu.json"
std::string build_path(const std::string& name);   // "hexapla", the program

}  // namespace hexapla
