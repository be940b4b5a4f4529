#pragma once
#include <functional>
#include <string>

#include "cli/command.h"
#include "decode/opened/open_model.h"

namespace hexapla::cli {

// The languages of a multilingual model, the same for every command that gives text to one.
struct LanguageFlags {
  std::string source, target;  // codes as the model has them; "": as it was imported

  void bind(Command& command, const std::function<When()>& condition = {});
  // The model reads and writes these languages from now on. UsageError: it is told none, or does not have this one.
  void choose(models::OpenModel& model) const;
};

}  // namespace hexapla::cli
