#pragma once
#include "convert/import.h"

namespace hexapla::api {

// convert::import_model() for all interfaces. Replaces `output` only if it is a model of ours: another file may belong
// to the model that is read. output_option: its name in messages. UsageError also: `output` exists and is something
// else, or is read.
convert::Imported import_model(const std::string& path, const std::string& output,
                               const convert::ImportOptions& options,
                               const std::function<void(const convert::ImportProgress&)>& progress,
                               const std::string& output_option = "`output`");

}  // namespace hexapla::api
