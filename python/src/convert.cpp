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

// Functions of a call that makes files, which Ctrl-C stops. warn and on_progress may be None.
struct FilesCall {
  std::atomic<bool> stop = false;
  Call call{[this] { stop = true; }};

  template <class... Arguments>
  std::function<void(Arguments...)> calling(const nb::object& f) {
    return [this, f](Arguments... arguments) {
      if (stop) throw Canceled("stopped");
      if (!f.is_none()) call.back_until_interrupted([&] { call_python(f, nb::make_tuple(arguments...)); });
    };
  }
};

// -> (source pieces, size of the vocabulary, average)
nb::tuple shortlist_of(const nb::bytes& model, const nb::list& from, const nb::bytes& output,
                       const std::pair<int, int>& sizes, const nb::object& warn, const nb::object& on_progress) {
  FilesCall files;
  ShortlistOptions options;
  options.first = sizes.first, options.best = sizes.second;
  options.warn = files.calling<std::size_t, const std::string&>(warn);
  options.on_progress = files.calling<std::size_t>(on_progress);
  const std::string path = bytes_of(model), to = bytes_of(output);
  const std::vector<std::string> texts = all_bytes_of(from);
  const ShortlistSize size = files.call.run([&] { return make_shortlist(path, texts, to, options); });
  return nb::make_tuple(size.source_pieces, size.vocabulary, size.average);
}

// files: (source, target, sets, text or b"", models). -> (pairs, made, without, unknown, notes)
nb::tuple augment_to(AugmentOptions options, const nb::list& files, const nb::dict& search, const nb::object& warn,
                     const nb::object& on_progress) {
  FilesCall call;
  const std::string source = bytes_of(files[0]), target = bytes_of(files[1]);
  options.train_sets = all_bytes_of(files[2]), options.text = bytes_of(files[3]);
  options.models = all_bytes_of(files[4]);
  options.search = search_options_of(search);
  options.search.stop = &call.stop;
  options.warn = call.calling<const std::string&, const std::string&>(warn);
  options.on_progress = call.calling<std::int64_t, double>(on_progress);
  const AugmentCounts found = call.call.run([&] { return augment(options, source, target); });
  return nb::make_tuple(found.pairs, found.made, found.without, found.unknown, found.notes);
}

}  // namespace

void bind_convert(nb::module_& m) {
  nb::class_<AugmentOptions>(m, "AugmentOptions")
      .def(nb::init<>())
      .def_rw("kind", &AugmentOptions::kind)
      .def_rw("tsv", &AugmentOptions::tsv)
      .def_rw("tag", &AugmentOptions::tag)
      .def_rw("how", &AugmentOptions::how);
  m.def("augment", &augment_to, nb::arg("options"), nb::arg("files"), nb::arg("search"), nb::arg("warn").none(),
        nb::arg("on_progress").none());
  m.def("make_shortlist", &shortlist_of, nb::arg("model"), nb::arg("files"), nb::arg("output"), nb::arg("sizes"),
        nb::arg("warn").none(), nb::arg("on_progress").none());
  m.def("import_model", &import_from, nb::arg("path"), nb::arg("output"), nb::arg("options"),
        nb::arg("on_progress").none());
  m.def("export_model", &export_to);
}

}  // namespace hexapla::python
