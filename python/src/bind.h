#pragma once
// The Python module. It uses only the library's public headers. Its only caller is hexapla/*.py,
// which checks arguments.
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
void bind_convert(nb::module_& m);
void bind_tools(nb::module_& m);  // evaluator, inspector, model

// Sets the current Python exception to the class in hexapla.errors. Requires the GIL.
void raise_in_python(const Error& error);

// Bytes, because file names need not be UTF-8.
inline std::string bytes_of(nb::handle given) {
  const auto bytes = nb::cast<nb::bytes>(given);
  return {bytes.c_str(), bytes.size()};
}
std::vector<std::string> all_bytes_of(nb::handle list);
// given: {name: bytes, or a list of them}
Options options_of(const nb::dict& given);

// Search options; given may also have {"glossary": Glossary}, and what only some calls take.
TranslatorOptions search_options_of(const nb::dict& given);

// given: [(prefix, required phrases, forbidden phrases)], one per line, or empty.
std::vector<Constraints> constraints_of(const nb::list& given);
// -> (text, score, normalized, tokens, ids, token scores, alignment or None, coverage)
nb::tuple translation_tuple(const Translation& translation, bool aligned);
// -> [[translation_tuple()]]
nb::list translation_lists(const PendingTranslation::Lines& lines, bool aligned);
// -> (source tokens, [(hypotheses, candidates)], ending, why, finished hypotheses, warnings, table, picture)
nb::tuple trace_tuple(const SearchTrace& trace);
// -> (source words, target words, links, rows of weights)
nb::tuple alignment_tuple(const Alignment& alignment);

}  // namespace hexapla::python
