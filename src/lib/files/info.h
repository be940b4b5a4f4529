#pragma once
#include <string>

namespace hexapla::api {

// Describes a model file, the model of a training folder, or a model of another system
// (open_any_model()): configuration, parameters by part, vocabularies, usage and training, as
// aligned lines or as JSON. Escapes control characters from the file. Errors as open_any_model().
std::string describe_model(const std::string& path, bool json);

}  // namespace hexapla::api
