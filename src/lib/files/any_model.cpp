#include "lib/files/any_model.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files/file.h"
#include "convert/import.h"
#include "tensor/safetensors.h"

namespace hexapla::api {
namespace {

// A temporary folder (in TMPDIR) that the destructor removes.
class PassingFolder {
 public:
  PassingFolder() : path_((std::filesystem::temp_directory_path() / "hexapla-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) fail_file("create", path_, errno);
  }
  ~PassingFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace

bool is_own_model(const std::string& path) {
  try {
    const auto file = SafetensorsFile::open(model::model_file(path));
    const auto format = file.metadata().find("format");
    return format != file.metadata().end() && format->second == "hexapla";
  } catch (const UserError&) {
    return false;
  }
}

// A file that no importer recognizes is not foreign: our own reader gives better messages.
bool is_foreign_model(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored) || is_own_model(path)) return false;
  const auto& all = convert::kinds();
  try {
    return std::any_of(all.begin(), all.end(), [&](const convert::Kind& kind) { return kind.recognizes(path); });
  } catch (const UserError&) {
    return false;
  }
}

void use_any_model(const std::string& path, const std::function<void(const std::string& file)>& use) {
  if (!is_foreign_model(path)) return use(decode::checked_file(path));
  const PassingFolder folder;
  const std::string file = folder.file("model.safetensors");
  convert::import_model(path, file, {}, [](double) {});
  use(file);
}

decode::OpenModel open_any_model(const std::string& path) {
  return with_any_model(path, [](const std::string& file) { return decode::open_model(file); });
}

}  // namespace hexapla::api
