#pragma once
#include <string>

namespace hexapla::model {

// DataError if a file given as a model is clearly something else (text, a model of another system,
// a vocabulary, a compressed file); the message says what it seems to be and what to do. Accepts a
// possibly damaged model of ours, and an unreadable file.
void refuse_other_files(const std::string& path);

// The same for a folder without a model: another system's, or an unfinished training.
[[noreturn]] void refuse_folder(const std::string& path);

}  // namespace hexapla::model
