#pragma once
#include <string>

#include "cli/command/command.h"
#include "lib/jobs/lines/shard_output.h"

namespace hexapla::cli {

// --shard and --output of the commands that answer line by line. what: name of the input in the
// help.
void bind_shard(Command& command, api::ShardOutput& shard, const std::string& what);
// ", --beam-size 5": the given options that determine the output, for ShardOutput::made_by.
std::string determining_options(const Command& command);

}  // namespace hexapla::cli
