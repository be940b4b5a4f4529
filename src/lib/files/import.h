#pragma once
#include "convert/import.h"

namespace hexapla::api {

// convert::import_model() for all interfaces. Replaces `output` only if it is one of our models,
// because another file may belong to the imported model. output_option: its name in messages.
// Throws UsageError also if `output` exists and is something else, or is an input.
convert::Imported import_model(const std::string& path, const std::string& output,
                               const convert::ImportOptions& options,
                               const std::function<void(const convert::ImportProgress&)>& progress,
                               const std::string& output_option = "`output`");

}  // namespace hexapla::api
