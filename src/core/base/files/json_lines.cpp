#include "base/files/json_lines.h"

#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/classic.h"
#include "base/files/file.h"

namespace hexapla {

std::vector<nlohmann::json> json_lines(const std::string& path) {
  std::vector<nlohmann::json> all;
  if (!std::filesystem::exists(path)) return all;
  Classic<std::istringstream> in(read_file(path));
  for (std::string line; std::getline(in, line);)
    if (auto object = json_or_null(line); object.is_object()) all.push_back(std::move(object));
  return all;
}

double number_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : std::nan("");
}

}  // namespace hexapla
