#include "bind.h"
#include "call.h"

namespace hexapla::python {
namespace {

const char* name_of(const Error& error) {
  if (dynamic_cast<const UsageError*>(&error)) return "UsageError";
  if (dynamic_cast<const MissingFile*>(&error)) return "MissingFile";
  if (dynamic_cast<const DataError*>(&error)) return "DataError";
  if (dynamic_cast<const OutOfMemory*>(&error)) return "OutOfMemory";
  if (dynamic_cast<const RunError*>(&error)) return "RunError";
  if (dynamic_cast<const TimedOut*>(&error)) return "TimedOut";
  if (dynamic_cast<const Canceled*>(&error)) return "Canceled";
  return "InternalError";
}

// Messages quote file names, which need not be UTF-8.
nb::object text_of(const std::string& message) {
  PyObject* text = PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace");
  if (!text) throw nb::python_error();
  return nb::steal(text);
}

// [(name, type, default, help)]
nb::list tuples_of(const std::vector<OptionDescription>& options) {
  nb::list all;
  for (const auto& o : options) all.append(nb::make_tuple(o.name, o.type, o.usual, o.help));
  return all;
}

}  // namespace

void raise_in_python(const Error& error) try {
  const nb::object instance = nb::module_::import_("hexapla.errors").attr(name_of(error))(text_of(error.what()));
  if (const auto* usage = dynamic_cast<const UsageError*>(&error)) {
    instance.attr("option") = text_of(usage->option());
    instance.attr("value") = text_of(usage->value());
  }
  PyErr_SetObject(instance.type().ptr(), instance.ptr());
} catch (nb::python_error& other) {
  other.restore();
}

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise_in_python(error);
    }
  });
}

std::vector<std::string> all_bytes_of(nb::handle list) {
  std::vector<std::string> all;
  for (const nb::handle item : list) all.push_back(bytes_of(item));
  return all;
}

Options options_of(const nb::dict& given) {
  Options options;
  for (const auto& [name, value] : given) {
    const bool list = nb::isinstance<nb::list>(value);
    options.emplace(nb::cast<std::string>(name),
                    list ? OptionValue(all_bytes_of(value)) : OptionValue(bytes_of(value)));
  }
  return options;
}

}  // namespace hexapla::python

NB_MODULE(_core, m) {
  using namespace hexapla::python;
  nanobind::set_leak_warnings(false);  // objects left at exit are no leaks; the tests turn warnings on
  m.def("version", &hexapla::version);
  m.def("instruction_set", &hexapla::instruction_set);
  m.def("document_formats", &hexapla::document_formats);
  m.def("document_format", [](const nanobind::bytes& name) {
    const hexapla::DocumentFormat f = hexapla::document_format(bytes_of(name));
    return nanobind::make_tuple(f.ending, f.type, f.text, f.advice);
  });
  m.def("document_lines", [](const nanobind::bytes& content, const nanobind::bytes& name, bool attributes) {
    return hexapla::document_lines(bytes_of(content), bytes_of(name), {attributes});
  });
  m.def("set_threads", &set_threads_of_caller);
  m.def("set_leak_warnings", &nanobind::set_leak_warnings);
  m.def("search_options", [] { return tuples_of(hexapla::search_options()); });
  m.def("training_options", [] { return tuples_of(hexapla::training_options()); });
  m.def("import_options", [] { return tuples_of(hexapla::import_options()); });
  m.def("export_options", [] { return tuples_of(hexapla::export_options()); });
  bind_errors();
  bind_translator(m);
  bind_pending(m);
  bind_trainer(m);
  bind_convert(m);
  bind_tools(m);
}
