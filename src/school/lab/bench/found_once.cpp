#include "lab/bench/found_once.h"

#include <filesystem>

#include "base/files/file.h"

namespace hexapla::lab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string file_in(const std::string& folder) { return folder + "/result.json"; }

json found_before(const std::string& folder, const json& settings) {
  if (!fs::exists(file_in(folder))) return {};
  try {
    const json j = parse_json(read_file(file_in(folder)), cat(file_in(folder), ": it cannot be read: it"),
                              "delete the file to measure again");
    return j.at("settings") == settings ? j.at("found") : json{};
  } catch (const json::exception& e) {
    throw unreadable(folder, e.what());
  }
}

}  // namespace

DataError unreadable(const std::string& folder, const std::string& why) {
  return DataError(cat(file_in(folder), ": it cannot be read: ", why, "; delete the file to measure again"));
}

json found_once(const std::string& folder, const json& settings, const std::function<json()>& measure) {
  json found = found_before(folder, settings);
  if (!found.is_null()) return found;
  std::error_code error;
  if (fs::exists(file_in(folder))) fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  found = measure();
  write_file_atomically(file_in(folder), json_text(json{{"settings", settings}, {"found", found}}, 1) + "\n");
  return found;
}

}  // namespace hexapla::lab
