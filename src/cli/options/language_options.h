#pragma once
#include <functional>
#include <string>

#include "cli/command.h"
#include "decode/opened/open_model.h"

namespace hexapla::cli {

// The languages of a multilingual model, for every command that reads text for one.
struct LanguageFlags {
  std::string source, target;  // codes of the model; "": as imported

  void bind(Command& command, const std::function<When()>& condition = {});
  // Sets the model's languages. UsageError: the model takes no language, or does not know this one.
  void choose(decode::OpenModel& model) const;
};

}  // namespace hexapla::cli
