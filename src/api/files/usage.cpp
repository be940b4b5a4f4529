#include "api/files/usage.h"

#include <set>

#include "base/error.h"
#include "decode/opened/change_usage.h"
#include "model/weights/model_file.h"

namespace hexapla::api {

model::Usage set_usage(const std::string& model, const std::vector<std::string>& changes, const std::string& output) {
  const std::string file = model::model_file(model);
  const model::LoadedModel m = model::load_to_translate(file);
  model::Usage usage = m.usage;
  std::set<std::string> changed;
  for (const std::string& change : changes) {
    const size_t equals = change.find('=');
    if (equals == change.npos)
      throw UsageError(cat("'", change, "' is not NAME=VALUE; NAME= alone removes a value"), "changes", change);
    const std::string name = change.substr(0, equals);
    if (!changed.insert(name).second) throw UsageError("'" + name + "' is changed twice; give it once", name, change);
    decode::change_usage(usage, name, change.substr(equals + 1), m.config);
  }
  model::copy_with_usage(file, usage, output);
  return usage;
}

}  // namespace hexapla::api
