#pragma once
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "decode/options/named/decoding_options.h"

namespace hexapla::api {

// The options for writing a model for another system.
struct ExportOptions {
  std::string to, precision = "f32", languages, like;
  decode::DecodingOptions search;  // for systems whose files have search settings

  OptionRows rows();  // the kind's, then the search's
  OptionRows rows_of_kind();
  OptionRows rows_of_search();  // those that are part of other systems' settings
};

struct Exported {
  double megabytes = 0;            // of all files
  std::string limit;               // a sentence about the maximum length of a text there; "" if there is none
  std::vector<std::string> notes;  // differences
};

// Writes a model file, or the model of a training folder, as files of another system into a new
// folder. given: options by name; search options default to the model's record. UsageError: unknown
// option, bad value, an option without effect, or a folder that exists. DataError: the system
// cannot represent the model.
Exported export_model(const std::string& model, const std::string& folder, std::vector<GivenOption> given);

}  // namespace hexapla::api
