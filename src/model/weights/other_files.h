#pragma once
#include <string>

namespace hexapla::model {

// DataError where what was given as a model is plainly something else (text, a model of another system, a vocabulary, a
// compressed file), saying what it seems to be and what to do. A file that may be a damaged model of ours passes, and
// so does one that cannot be read.
void refuse_other_files(const std::string& path);

// The same of a folder that has no model: of another system, or of a training without a result.
[[noreturn]] void refuse_folder(const std::string& path);

}  // namespace hexapla::model
