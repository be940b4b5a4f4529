#include "documents/office/open_document.h"

#include "base/error.h"
#include "documents/office/archive/archive.h"
#include "documents/office/archive/archive_document.h"
#include "documents/office/parts/span_part.h"

namespace hexapla::text::document {
namespace {

void refuse_encrypted(const Archive& archive) {
  const std::string manifest = "META-INF/manifest.xml";
  if (archive.has(manifest) && archive.read(manifest).find("encryption-data") != std::string::npos)
    throw DataError("the document has a password; save it without one");
}

}  // namespace

std::shared_ptr<const Document> open_document(const std::string& content) {
  const Archive archive(content);
  refuse_encrypted(archive);
  std::vector<Member> members;
  for (const std::string name : {"content.xml", "styles.xml"})
    if (name == "content.xml" || archive.has(name)) members.push_back(SpanPart(archive.read(name), name).member());
  return std::make_shared<const ArchiveDocument>(content, std::move(members));
}

}  // namespace hexapla::text::document
