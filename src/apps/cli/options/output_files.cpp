#include "cli/options/output_files.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/overwriting.h"
#include "cli/command/parser.h"

namespace hexapla::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kOutputFile = "output file";

bool is_written(CLI::Option& option) {
  try {
    option.get_validator(kOutputFile);
    return true;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

// Adds the existing files that a word may name: itself, the models in a folder, a checkpoint.
void add_files(const std::string& word, std::vector<std::string>& files) {
  std::error_code none;
  if (word != "-" && !fs::exists(word, none)) return;
  if (!fs::is_directory(word, none) || fs::exists(word + "/MANIFEST.json", none)) return files.push_back(word);
  for (const char* model : {"/model.safetensors", "/best.safetensors"})
    if (fs::exists(word + model, none)) files.push_back(word + model);
}

std::vector<std::string> files_of_others(const CLI::App& command, const CLI::Option& output) {
  std::vector<std::string> files{"-"};  // stdin may be a file, too
  for (const CLI::Option* option : command.get_options())
    if (option != &output && !option->empty())
      for (const std::string& word : option->reduced_results()) add_files(word, files);
  return files;
}

void check_written(CLI::App& command) {
  std::error_code none;
  for (CLI::Option* option : command.get_options()) {
    if (option->empty() || !is_written(*option)) continue;
    for (const std::string& output : option->reduced_results()) {
      if (output == "-") throw UsageError(cat(option->get_name(), " - is not a file: give the name of one"));
      if (!fs::exists(output, none) || fs::is_regular_file(output, none))  // /dev/null may be read and written
        refuse_to_overwrite(files_of_others(command, *option), option->get_name(), output);
    }
  }
  for (CLI::App* chosen : command.get_subcommands()) check_written(*chosen);
}

}  // namespace

Validator output_file() {
  return {[](const std::string&) {}, kOutputFile};
}

void check_outputs(const Command& app) { check_written(app.parser()); }

}  // namespace hexapla::cli
