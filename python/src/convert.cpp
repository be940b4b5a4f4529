#include <atomic>

#include "bind.h"
#include "call.h"
#include "gil.h"

namespace hexapla::python {
namespace {

// on_progress: a function of the fraction done, or None. -> (kind, origin, notes)
nb::tuple import_from(const nb::bytes& path, const nb::bytes& output, const nb::dict& options,
                      const nb::object& on_progress) {
  std::atomic<bool> stop = false;
  Call call([&] { stop = true; });
  const auto progress = [&](double fraction) {
    if (stop) throw Canceled("the import was stopped");
    if (!on_progress.is_none())
      call.back_until_interrupted([&] { call_python(on_progress, nb::make_tuple(fraction)); });
  };
  const std::string from = bytes_of(path), to = bytes_of(output);
  const Options how = options_of(options);
  const ImportedModel done = call.run([&] { return import_model(from, to, how, progress); });
  return nb::make_tuple(done.kind, done.origin, done.notes);
}

std::vector<std::string> export_to(const nb::bytes& model, const nb::bytes& folder, const std::string& to,
                                   const nb::dict& options) {
  const std::string from = bytes_of(model), output = bytes_of(folder);
  const Options how = options_of(options);
  const WithoutGil released;
  return export_model(from, output, to, how);
}

}  // namespace

void bind_convert(nb::module_& m) {
  m.def("import_model", &import_from, nb::arg("path"), nb::arg("output"), nb::arg("options"),
        nb::arg("on_progress").none());
  m.def("export_model", &export_to);
}

}  // namespace hexapla::python
