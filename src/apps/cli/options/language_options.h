#pragma once
#include <functional>
#include <string>

#include "cli/command/command.h"

namespace hexapla::cli {

// --source-language and --target-language: codes of a multilingual model; "": as imported. For
// every command that reads text for a model.
void bind_languages(Command& command, std::string& source, std::string& target,
                    const std::function<When()>& condition = {});

}  // namespace hexapla::cli
