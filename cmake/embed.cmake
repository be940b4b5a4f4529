# Writes the files of the page, with its folders, and the lessons into a C++ file, as the arrays declared in
# src/apps/serve/look/page.h.
# cmake -D FOLDER=src/apps/serve/page -D COURSE=docs/course -D OUT=page_files.cpp -P cmake/embed.cmake
file(GLOB_RECURSE files LIST_DIRECTORIES false ${FOLDER}/*)
file(GLOB lessons LIST_DIRECTORIES false ${COURSE}/*.md ${COURSE}/zh/*.md)
list(APPEND files ${lessons})
list(SORT files)
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_md "text/plain; charset=utf-8")
set(arrays)
set(entries)
set(count 0)
foreach(file IN LISTS files)
  file(RELATIVE_PATH name ${FOLDER} ${file})
  get_filename_component(extension ${file} LAST_EXT)
  string(SUBSTRING ${extension} 1 -1 extension)
  if(NOT DEFINED type_${extension})
    message(FATAL_ERROR "${file}: no content type is known for .${extension}; add it to cmake/embed.cmake")
  endif()
  set(path /assets/${name})
  if(name STREQUAL "index.html")
    set(path /)
  elseif(extension STREQUAL "md")
    file(RELATIVE_PATH path ${COURSE} ${file})
    set(path /course/${path})
  endif()
  file(READ ${file} text)
  # Modules and style sheets come without indentation, empty lines and lines of comment, a tenth of the page; the
  # excerpts of code in tour_code.js stay as they are.
  if(extension MATCHES "^(js|css)$" AND NOT name MATCHES "tour_code")
    string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
    string(REGEX REPLACE "\n */[*][^*\n]*[*]/" "" text "${text}")
    string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
    string(SUBSTRING "${text}" 1 -1 text)
  endif()
  string(HEX "${text}" bytes)
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 32 hash)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "const unsigned char bytes_${count}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${path}\", \"${type_${extension}}\", text_of(bytes_${count}, ${size}), \"\\\"${hash}\\\"\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}.new "// Made by cmake/embed.cmake.
#include \"serve/look/page.h\"

namespace hexapla::serve {
namespace {
${arrays}
std::string_view text_of(const unsigned char* bytes, unsigned long size) {
  return {reinterpret_cast<const char*>(bytes), size};
}
}  // namespace

extern const PageFile kPageFiles[];
extern const unsigned kPageFileCount;
const PageFile kPageFiles[] = {
${entries}};
const unsigned kPageFileCount = ${count};

}  // namespace hexapla::serve
")
file(RENAME ${OUT}.new ${OUT})
