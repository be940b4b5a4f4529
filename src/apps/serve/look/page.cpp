#include "serve/look/page.h"

#include <algorithm>

namespace hexapla::serve {

// Generated from the folder `page` by cmake/embed.cmake.
extern const PageFile kPageFiles[];
extern const unsigned kPageFileCount;

const char* const kPagePolicy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

const PageFile* page_file(std::string_view path) {
  const PageFile* const end = kPageFiles + kPageFileCount;
  const PageFile* const found = std::find_if(kPageFiles, end, [&](const PageFile& file) { return file.path == path; });
  return found == end ? nullptr : found;
}

}  // namespace hexapla::serve
