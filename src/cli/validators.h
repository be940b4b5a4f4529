#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace hexapla::cli {

// For numbers that are not negative: CLI11 would take "-3" for a large unsigned one.
inline CLI::Validator not_negative() {
  return {[](std::string& word) {
            return word.starts_with('-') ? "it is " + word + ", but must be 0 or more" : std::string();
          },
          "", "not negative"};
}

}  // namespace hexapla::cli
