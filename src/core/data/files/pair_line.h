#pragma once
#include <string>

#include "base/error.h"

namespace hexapla::data {

// Splits a line, SOURCE<TAB>TARGET. DataError naming `place` ("a.tsv line 3"): it has not exactly two fields.
inline void split_pair(const std::string& line, const std::string& place, std::string& source, std::string& target) {
  const size_t tab = line.find('\t');
  if (tab == std::string::npos)
    throw DataError(cat(place, " has no tab: a line is SOURCE<TAB>TARGET; fix the line, or give two files"));
  size_t fields = 2;
  for (size_t at = tab; (at = line.find('\t', at + 1)) != std::string::npos;) ++fields;
  if (fields > 2)
    throw DataError(
        cat(place, " has ", fields, " fields: a line is SOURCE<TAB>TARGET; select two columns with: cut -f 1,2"));
  source.assign(line, 0, tab);
  target.assign(line, tab + 1);
}

}  // namespace hexapla::data
