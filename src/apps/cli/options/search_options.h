#pragma once
#include "base/options/given_option.h"
#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "hexapla/options.h"
#include "lib/files/export.h"
#include "lib/translate/translator_options.h"

namespace hexapla::cli {

// Declares these rows of `options`, which must exist until the command has run.
template <class Set>
void bind_options(Command& command, const OptionRows& rows, Set& options) {
  for (const OptionRow& row : rows) declare_option(command, row)->when(condition_of(options, row.name));
}
// -m MODEL, which may be given several times: the models of an ensemble, with --ensemble and --weights, which say how
// it combines them.
Option* bind_models(Command& command, std::vector<std::string>& models, ModelOptions& how, const std::string& help);
// --device cpu|opencl|opencl:N
Option* bind_device(Command& command, std::string& device);
// --glossary FILE
Option* bind_glossary(Command& command, std::string& path);
// A function that tells whether an option was given to the parsed command, which it borrows; false
// for options that the command does not have.
std::function<bool(const std::string& option)> given_in(const Command& command);
// The given ones of the named options, in words.
std::vector<GivenOption> given_words(const Command& command, const std::vector<std::string>& names);
// The given ones of the rows, for the library.
Options given_options(const Command& command, const OptionRows& rows);

// The given ones of the options of a search; the precision goes to how models are opened.
Options given_search(const Command& command, const decode::DecodingOptions& options, ModelOptions& how);

}  // namespace hexapla::cli
