#include "model/weights/other/other_files.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/shell_word.h"
#include "hexapla/file_error.h"
#include "model/weights/other/other_model.h"

namespace hexapla::model {
namespace {

namespace fs = std::filesystem;

std::string remedy_of(const OtherModel& other, const std::string& path) {
  if (other.remedy.empty())
    return cat("import it`{: hexapla import ", shell_word(path), " -o FILE makes a model of it that hexapla reads}`");
  if (other.what != "text") return other.remedy;
  return cat(other.remedy, "`{ (text to translate goes to stdin: hexapla translate -m MODEL < ", shell_word(path),
             ")}`");
}

}  // namespace

void refuse_other_files(const std::string& path) {
  if (const std::string how = how_to_download(path); !how.empty())
    throw MissingFile(cat(path, ": there is no such file or folder; ", how));
  if (const auto other = other_model(path))
    throw DataError(cat(path, " is no model of hexapla, but ", other->what, "; ", remedy_of(*other, path)));
}

void refuse_folder(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path + "/checkpoints", ignored) || fs::exists(path + "/train.jsonl", ignored))
    throw DataError(cat(
        path,
        " contains an unfinished run; train it to its end with the same options`{: rerun the same hexapla train}`"));
  if (const auto other = other_model(path))
    throw DataError(cat(path, " looks like ", other->what, ", not of hexapla: ", remedy_of(*other, path)));
  throw DataError(cat(path, " is a folder without a model.safetensors; `model` takes a model file, or the folder of a ",
                      "finished training"));
}

}  // namespace hexapla::model
