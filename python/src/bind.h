#pragma once
// The Python module, built only on the library's public headers. Its only caller is hexapla/*.py,
// which checks all arguments.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "hexapla/hexapla.h"

namespace hexapla::python {

namespace nb = nanobind;

void bind_errors();
void bind_translator(nb::module_& m);
void bind_pending(nb::module_& m);
void bind_trainer(nb::module_& m);
void bind_tools(nb::module_& m);  // evaluator, inspector, model

// Sets the exception of the matching class in hexapla.errors as Python's current one. Requires the
// GIL.
void raise_in_python(const Error& error);

// Bytes, because file names need not be UTF-8.
inline std::string bytes_of(nb::handle given) {
  const auto bytes = nb::cast<nb::bytes>(given);
  return {bytes.c_str(), bytes.size()};
}
std::vector<std::string> all_bytes_of(nb::handle list);
// {name: bytes or a list of bytes}
Options options_of(const nb::dict& given);

// Search options: the same, and {"glossary": Glossary}.
TranslatorOptions search_options_of(const nb::dict& given);

// [(prefix, required phrases, forbidden phrases)], one per line, or none.
std::vector<Constraints> constraints_of(const nb::list& given);
// [[(text, score, normalized, tokens, ids, token scores, alignment or None)]]; alignment: as
// alignment_tuple().
nb::list translation_lists(const PendingTranslation::Lines& lines, bool aligned);
// (source words, target words, links, rows of weights)
nb::tuple alignment_tuple(const Alignment& alignment);

}  // namespace hexapla::python
