#pragma once
// Files and folders that are given as models but are none of ours, told apart by name and content.
#include <optional>
#include <string>

namespace hexapla::model {

struct OtherModel {
  std::string what;    // "a model of CTranslate2"
  std::string remedy;  // what to do; "": import reads it
};

// The kind of model that the file or folder seems to be; nothing: unknown, or possibly one of ours.
std::optional<OtherModel> other_model(const std::string& path);

// Whether the file's content is elsewhere (Git LFS).
bool is_pointer(const std::string& path);

// How to download a model whose name on the Hugging Face hub was given (facebook/nllb-200-distilled-600M) where a
// file or folder should be; "": the path is there, or is no such name.
std::string how_to_download(const std::string& path);

}  // namespace hexapla::model
