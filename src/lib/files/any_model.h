#pragma once
#include <functional>
#include <optional>
#include <string>

#include "convert/foreign/foreign_model.h"
#include "decode/opened/open_model.h"

namespace hexapla::api {

// Calls use(file) with the model file of `path`: one of ours, that in the folder of a run, or one that a model of
// another system was converted to, which is removed afterwards. Errors as use(), model::model_file() and
// convert::import_model().
void use_any_model(const std::string& path, const std::function<void(const std::string& file)>& use);
template <class Use>
auto with_any_model(const std::string& path, Use&& use) {
  std::optional<decltype(use(path))> result;
  use_any_model(path, [&](const std::string& file) { result.emplace(use(file)); });
  return std::move(*result);
}

// Opens one of our model files, the folder of a run, or a model of another system that can be
// imported without options (convert/import.h), through a temporary file that is removed before this
// returns. Errors as decode::open_model() and convert::import_model().
decode::OpenModel open_any_model(const std::string& path);

// Whether it is one of our model files, or the folder of a run with one; reads the file's metadata.
bool is_own_model(const std::string& path);

// Whether it is a model of another system.
bool is_foreign_model(const std::string& path);

}  // namespace hexapla::api
