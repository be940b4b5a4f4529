#pragma once
#include <algorithm>

#include "api/files/export.h"
#include "api/translate/translator_options.h"
#include "base/options/given_option.h"
#include "cli/command/command.h"
#include "hexapla/options.h"

namespace hexapla::cli {

void bind_options(Command& command, decode::ScoringOptions& options);
void bind_options(Command& command, decode::BeamOptions& options);
void bind_options(Command& command, decode::DecodingOptions& options);  // all but n-best
void bind_kind(Command& command, api::ExportOptions& options);
void bind_search(Command& command, api::ExportOptions& options);
void bind_n_best(Command& command, decode::BeamOptions& options);
// -m MODEL, which may be given several times: the models of an ensemble.
Option* bind_models(Command& command, std::vector<std::string>& models, const std::string& help);
// --device cpu|opencl|opencl:N
Option* bind_device(Command& command, std::string& device);
// --glossary FILE
Option* bind_glossary(Command& command, std::string& path);
// Binds only the named options.
void bind_options(Command& command, decode::BeamOptions& options, const std::vector<std::string>& names);
// A function that tells whether an option was given to the parsed command, which it borrows; false
// for options that the command does not have.
std::function<bool(const std::string& option)> given_in(const Command& command);
// The given ones of the named options, in words.
std::vector<GivenOption> given_words(const Command& command, const std::vector<std::string>& names);
// The given options of a command, except those in `but`, for the library.
template <class Bound>
Options given_options(const Command& command, const Bound& options, const std::vector<std::string>& but) {
  Options given;
  Bound::visit(options, [&](const std::string& name, const auto& field, const auto&...) {
    const bool left_out = std::find(but.begin(), but.end(), name) != but.end();
    if (!left_out && command.was_given("--" + name)) given.emplace(name, field);
  });
  return given;
}

// Adds the given ones to a job, and the precision to how it opens its models.
template <class Bound, class Job>
void give_search(const Command& command, const Bound& options, Job& job) {
  job.search = given_words(command, names_of<Bound>());
  if (command.was_given("--precision")) job.how.precision = options.precision;
}

}  // namespace hexapla::cli
