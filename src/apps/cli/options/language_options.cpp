#include "cli/options/language_options.h"

namespace hexapla::cli {

void bind_languages(Command& command, std::string& source, std::string& target,
                    const std::function<When()>& condition) {
  const auto add = [&](const char* name, std::string& code, const char* help) {
    Option* option = command.add_option(name, code, help)->type_name("CODE")->default_str("")->group("Model");
    if (condition) option->when(condition);
  };
  add("--source-language", source, "language of the lines, for a multilingual model; default: as imported");
  add("--target-language", target,
      "language to translate to, for a multilingual model; default: as imported; >>code<< before a line takes "
      "precedence");
}

}  // namespace hexapla::cli
