#include "serve/look/page.h"

#include <algorithm>

namespace hexapla::serve {

// Generated from the folder `page` by cmake/embed.cmake.
extern const PageFile page_files[];
extern const unsigned page_file_count;

const char* const page_policy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

const PageFile* page_file(std::string_view path) {
  const PageFile* const end = page_files + page_file_count;
  const PageFile* const found = std::find_if(page_files, end, [&](const PageFile& file) { return file.path == path; });
  return found == end ? nullptr : found;
}

}  // namespace hexapla::serve
