#include "cli/options/shard_options.h"

#include <algorithm>

#include "base/error.h"
#include "cli/command/parser.h"
#include "cli/options/output_files.h"

namespace hexapla::cli {
namespace {

// Options that do not affect the output, or that the manifest records separately.
constexpr const char* kWithoutEffect[] = {"model",           "threads",      "quiet", "color",
                                          "batch-sentences", "batch-tokens", "shard", "input",
                                          "output",          "files",        "tsv",   "help"};

// ", --beam-size 5": the given options that determine the output.
std::string determining_options(const Command& command) {
  std::string text;
  for (const Option& option : command.options()) {
    const std::string name = option.name().empty() ? option.parsed().get_name() : option.name();
    const auto* const end = std::end(kWithoutEffect);
    if (option.count() == 0 || std::find(std::begin(kWithoutEffect), end, name) != end) continue;
    text += ", --" + name;
    const std::vector<std::string> values = option.parsed().reduced_results();
    for (const std::string& value : values) text += " " + value;
  }
  return text;
}

}  // namespace

void bind_shard(Command& c, ShardOptions& shard, const std::string& what) {
  c.add_option("--shard", shard.shard,
               "I/N: only the lines that begin in the I-th of N equal parts of " + what + ", without reading the rest")
      ->type_name("I/N")
      ->group("Output");
  c.add_option(
       "--output", shard.output,
       "write to this file (.gz, .zst and .xz are compressed), which appears when it is complete, with its manifest "
       "(FILE.manifest.json); a complete one is not written again")
      ->check(output_file())
      ->type_name("FILE")
      ->group("Output");
}

OpenShard::OpenShard(const ShardOptions& shard, const std::string& input, const std::vector<std::string>& models,
                     const Command& command, const std::function<void(const std::string& note)>& say)
    : part(input, shard.shard.empty() ? "1/1" : shard.shard) {
  if (!shard.output.empty()) file.emplace(shard.output, part, models, determining_options(command));
  if (!part.note().empty()) say(part.note());
  if (complete()) say(cat(shard.output, " is complete already"));
}

}  // namespace hexapla::cli
