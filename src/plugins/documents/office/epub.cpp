#include "documents/office/epub.h"

#include <charconv>
#include <filesystem>
#include <set>
#include <vector>

#include "base/error.h"
#include "documents/html/html.h"
#include "documents/office/archive/archive.h"
#include "documents/office/archive/archive_document.h"
#include "documents/office/parts/span_part.h"
#include "documents/xml/xml_events.h"

namespace hexapla::text::document {
namespace {

constexpr const char *kContainer = "META-INF/container.xml", *kEncryption = "META-INF/encryption.xml";

// Decodes percent encoding: "a%20b" -> "a b"
std::string decoded_address(const std::string& address) {
  std::string name;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = address.data() + i + 1;
    const bool code =
        address[i] == '%' && i + 2 < address.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    name += code ? static_cast<char>(byte) : address[i];
    if (code) i += 2;
  }
  return name;
}

std::string value(const XmlEvent& event, std::string_view attribute) {
  const std::string* const found = event.attribute(attribute);
  return found == nullptr ? "" : *found;
}

std::string package_of(const Archive& archive) {
  for (const XmlEvent& event : xml_events(archive.read(kContainer), kContainer))
    if (const std::string path = value(event, "full-path"); !path.empty()) return path;
  throw DataError(cat("the book's ", kContainer, " names no package (full-path); it is no EPUB, make it anew"));
}

std::set<std::string> encrypted_members(const Archive& archive) {
  std::set<std::string> names;
  if (!archive.has(kEncryption)) return names;
  for (const XmlEvent& event : xml_events(archive.read(kEncryption), kEncryption))
    names.insert(decoded_address(value(event, "URI")));
  return names;
}

}  // namespace

std::shared_ptr<const Document> epub(const std::string& content) {
  const Archive archive(content);
  const std::string package = package_of(archive);
  const std::filesystem::path folder = std::filesystem::path(package).parent_path();
  const std::set<std::string> encrypted = encrypted_members(archive);
  std::set<std::string> seen;
  std::vector<Member> members;
  for (const XmlEvent& item : xml_events(archive.read(package), package)) {
    const std::string type = value(item, "media-type");
    const bool page = type == "application/xhtml+xml", contents = type == "application/x-dtbncx+xml";
    const std::string name = (folder / decoded_address(value(item, "href"))).lexically_normal().generic_string();
    if ((!page && !contents) || !archive.has(name) || !seen.insert(name).second) continue;
    if (encrypted.contains(name))
      throw DataError(cat("the book's ", name, " is encrypted; a book with protection cannot be translated"));
    const std::string xml = archive.read(name);
    if (page)
      members.push_back({name, xhtml_pieces(xml, name)});
    else
      members.push_back(SpanPart(xml, name).member());
  }
  return std::make_shared<const ArchiveDocument>(content, std::move(members));
}

}  // namespace hexapla::text::document
