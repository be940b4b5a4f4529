#pragma once
// For tests: archives with given members, and translations of documents by reordering words.
#include <zip.h>

#include <string>
#include <utility>
#include <vector>

#include "documents/document.h"
#include "documents/office/archive/archive.h"
#include "documents/test_translations.h"

namespace hexapla::text::document {

struct TestMember {
  std::string name, content;
  bool stored = false;
  const char* password = nullptr;
};

inline std::string archive_of(const std::vector<TestMember>& members) {
  zip_source_t* const source = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(source);
  zip_t* const zip = zip_open_from_source(source, ZIP_TRUNCATE, nullptr);
  for (const TestMember& m : members) {
    const zip_int64_t i = zip_file_add(zip, m.name.c_str(),
                                       zip_source_buffer(zip, m.content.data(), m.content.size(), 0), ZIP_FL_ENC_UTF_8);
    const auto index = static_cast<zip_uint64_t>(i);
    zip_set_file_compression(zip, index, m.stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0);
    zip_file_set_mtime(zip, index, 1'000'000'000, 0);
    if (m.password != nullptr) zip_file_set_encryption(zip, index, ZIP_EM_AES_128, m.password);
  }
  zip_close(zip);
  zip_source_open(source);
  zip_source_seek(source, 0, SEEK_END);
  std::string content(static_cast<std::size_t>(zip_source_tell(source)), '\0');
  zip_source_seek(source, 0, SEEK_SET);
  zip_source_read(source, content.data(), content.size());
  zip_source_close(source);
  zip_source_free(source);
  return content;
}

// Translates with the words in order or reversed.
inline std::string office_translated(const Document& document, bool backwards) {
  return translated(document, [&](const auto& words) { return backwards ? reversed(words) : words; });
}

inline std::string part_of(const std::string& archive, const std::string& name) { return Archive(archive).read(name); }

}  // namespace hexapla::text::document
