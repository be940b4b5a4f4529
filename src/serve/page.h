#pragma once
// The page that the server shows in a browser: its files, which are part of the program.
#include <string_view>

namespace hexapla::serve {

struct PageFile {
  std::string_view path;          // of the request: "/", "/assets/main.js"
  std::string_view content_type;  // "text/javascript; charset=utf-8"
  std::string_view content;
  std::string_view etag;  // strong, with its quotes: a hash of the content
};

// nullptr: the page has no such file.
const PageFile* page_file(std::string_view path);

// For the header Content-Security-Policy of every answer: everything comes from the server that the page came from.
extern const char* const page_policy;

}  // namespace hexapla::serve
