#include "hexapla/convert.h"

#include "lib/files/export.h"
#include "lib/files/import.h"
#include "lib/guard.h"
#include "lib/options.h"

namespace hexapla {
ImportedModel import_model(const std::string& path, const std::string& output, const Options& options,
                           const std::function<void(double fraction)>& on_progress) {
  api::CallerFunctions functions;
  return functions.guard([&] {
    std::vector<GivenOption> given = api::given_options(options);
    convert::ImportOptions how;
    take_given(by_name(given, names_of(how.rows())), how.rows());
    const convert::Imported done = api::import_model(path, output, how, [&](const convert::ImportProgress& p) {
      if (on_progress) functions.call(on_progress, static_cast<double>(p));
    });
    return ImportedModel{done.kind, done.origin, done.notes};
  });
}

std::vector<std::string> export_model(const std::string& model, const std::string& folder, const std::string& to,
                                      const Options& options) {
  return api::guarded([&] {
    std::vector<GivenOption> given = api::given_options(options);
    given.push_back({"to", {to}});
    return api::export_model(model, folder, std::move(given)).notes;
  });
}

std::vector<OptionDescription> import_options() { return api::described(convert::ImportOptions().rows()); }
std::vector<OptionDescription> export_options() { return api::described(without(api::ExportOptions().rows(), {"to"})); }

}  // namespace hexapla
