#include "hexapla/convert.h"

#include "api/files/export.h"
#include "api/files/import.h"
#include "api/guard.h"
#include "api/options.h"

namespace hexapla {
namespace {

template <class Set>
std::vector<OptionDescription> descriptions(const std::string& but = "") {
  const Set usual;
  std::vector<OptionDescription> all;
  Set::visit(usual, [&](const std::string& name, const auto& field, const std::string& help, const auto& allowed,
                        const auto&...) {
    if (name != but) all.push_back(api::described(name, field, help, allowed));
  });
  return all;
}

}  // namespace

ImportedModel import_model(const std::string& path, const std::string& output, const Options& options,
                           const std::function<void(double fraction)>& on_progress) {
  api::CallerFunctions functions;
  return functions.guard([&] {
    std::vector<GivenOption> given = api::given_options(options);
    convert::ImportOptions how;
    take_given(by_name(given, names_of<convert::ImportOptions>()), how);
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

std::vector<OptionDescription> import_options() { return descriptions<convert::ImportOptions>(); }
std::vector<OptionDescription> export_options() { return descriptions<api::ExportOptions>("to"); }

}  // namespace hexapla
