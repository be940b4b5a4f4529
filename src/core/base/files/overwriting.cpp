#include "base/files/overwriting.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla {

void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& option, const std::string& output) {
  std::error_code unreadable;  // whoever reads the input says so
  for (const std::string& input : inputs)
    if (same_file(input, output) ||
        (std::filesystem::is_directory(input, unreadable) && same_file(input, directory_of(output))))
      throw UsageError(cat(option, " ", output, " is one of the input files (", input,
                           ") and would be overwritten; name another file"));
}

}  // namespace hexapla
