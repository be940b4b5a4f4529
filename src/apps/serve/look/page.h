#pragma once
// The server's web page and the lessons of the course: files that are embedded in the program.
#include <string_view>

namespace hexapla::serve {

struct PageFile {
  std::string_view path;          // as requested: "/", "/assets/main.js", "/course/zh/3-heads.md"
  std::string_view content_type;  // "text/javascript; charset=utf-8"
  std::string_view content;
  std::string_view etag;  // strong, quoted: a hash of the content
};

// nullptr if the page has no such file.
const PageFile* page_file(std::string_view path);

// The Content-Security-Policy of every answer: everything comes from the page's own server.
extern const char* const kPagePolicy;

}  // namespace hexapla::serve
