#pragma once
// Where tests find the project's files. Only cmake/test_paths.cpp knows the folder, so that the objects of tests are
// the same in every clone and a compiler cache serves them all.
#include <string>

namespace hexapla {

std::string source_path(const std::string& name);  // "tests/fixtures/bleu.json"
std::string build_path(const std::string& name);   // "hexapla", the program

}  // namespace hexapla
