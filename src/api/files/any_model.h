#pragma once
#include "convert/foreign/foreign_model.h"
#include "decode/opened/open_model.h"

namespace hexapla::api {

// Opens one of our model files, the folder of a run, or a model of another system that can be
// imported without options (convert/import.h), through a temporary file that is removed before this
// returns. Errors as decode::open_model() and convert::import_model().
decode::OpenModel open_any_model(const std::string& path);

// Whether it is one of our model files, or the folder of a run with one; reads the file's metadata.
bool is_own_model(const std::string& path);

// Whether it is a model of another system.
bool is_foreign_model(const std::string& path);

}  // namespace hexapla::api
