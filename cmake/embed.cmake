# Writes the files of the page and the lessons into a C++ file, as the arrays declared in src/serve/look/page.h.
# cmake -D FOLDER=src/serve/page -D COURSE=docs/course -D OUT=page_files.cpp -P cmake/embed.cmake
file(GLOB files LIST_DIRECTORIES false ${FOLDER}/* ${FOLDER}/tour/* ${COURSE}/*.md ${COURSE}/zh/*.md)
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
  get_filename_component(name ${file} NAME)
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
  file(READ ${file} bytes HEX)
  file(SHA256 ${file} hash)
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

extern const PageFile page_files[];
extern const unsigned page_file_count;
const PageFile page_files[] = {
${entries}};
const unsigned page_file_count = ${count};

}  // namespace hexapla::serve
")
file(RENAME ${OUT}.new ${OUT})
