#include "lib/files/import.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/overwriting.h"
#include "base/files/shell_word.h"
#include "lib/files/any_model.h"

namespace hexapla::api {
namespace {

// Only the files of the imported model tell which files belong to it, and none has been read yet.
void refuse_other_file(const std::string& output, const std::string& option) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(output, none) || std::filesystem::is_empty(output, none)) return;
  if (!is_own_model(output))
    throw UsageError(cat(option, " ", output, " already exists and is not a hexapla model; name another file"));
}

}  // namespace

convert::Imported import_model(const std::string& path, const std::string& output,
                               const convert::ImportOptions& options,
                               const std::function<void(const convert::ImportProgress&)>& progress,
                               const std::string& output_option) {
  if (is_own_model(path))
    throw DataError(
        cat(path, " is a model of hexapla already; use it as it is`{: hexapla translate -m ", shell_word(path), "}`"));
  refuse_to_overwrite({path}, output_option, output);
  refuse_other_file(output, output_option);
  return convert::import_model(path, output, options, progress);
}

}  // namespace hexapla::api
