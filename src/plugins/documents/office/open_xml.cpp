#include "documents/office/open_xml.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "documents/office/archive/archive.h"
#include "documents/office/archive/archive_document.h"
#include "documents/office/parts/run_part.h"

namespace hexapla::text::document {
namespace {

// The content types of parts with text end in one of these and "+xml".
constexpr std::array<std::string_view, 18> kWithText{"wordprocessingml.document.main",
                                                     "wordprocessingml.template.main",
                                                     "ms-word.document.macroEnabled.main",
                                                     "wordprocessingml.header",
                                                     "wordprocessingml.footer",
                                                     "wordprocessingml.footnotes",
                                                     "wordprocessingml.endnotes",
                                                     "wordprocessingml.comments",
                                                     "presentationml.slide",
                                                     "presentationml.notesSlide",
                                                     "spreadsheetml.sharedStrings",
                                                     "spreadsheetml.worksheet",
                                                     "spreadsheetml.comments",
                                                     "drawingml.diagramData",
                                                     "drawingml.chart",
                                                     "diagramDrawing",
                                                     "drawing",
                                                     "chartshapes"};
constexpr std::string_view kTablePart = "spreadsheetml.table+xml", kSheetPart = "spreadsheetml.worksheet+xml";

bool has_text_of(std::string_view type) {
  return std::any_of(kWithText.begin(), kWithText.end(),
                     [&](std::string_view ending) { return type.ends_with(std::string(ending) + "+xml"); });
}

struct Part {
  std::string name, type;
};

std::vector<Part> parts_with_text(const Archive& archive) {
  const std::string types = "[Content_Types].xml";
  std::vector<Part> parts;
  for (const XmlEvent& event : xml_events(archive.read(types), types)) {
    const std::string *const name = event.attribute("PartName"), *const type = event.attribute("ContentType");
    if (name == nullptr || type == nullptr || !name->starts_with("/")) continue;
    if (archive.has(name->substr(1))) parts.push_back({name->substr(1), *type});
  }
  if (parts.empty()) throw DataError(cat(types, " of the document names no parts that it has; save the document anew"));
  return parts;
}

std::string with_line_ends(std::string text) {
  for (std::size_t at; (at = text.find("_x000a_")) != std::string::npos;) text.replace(at, 7, 1, '\n');
  return text;
}

// Table column headers, which must equal the text of their cells.
std::set<std::string> heads_of_tables(const Archive& archive, const std::vector<Part>& parts) {
  std::set<std::string> heads;
  for (const Part& part : parts) {
    if (!part.type.ends_with(kTablePart)) continue;
    for (const XmlEvent& event : xml_events(archive.read(part.name), part.name))
      if (const std::string* const name = event.attribute("name")) heads.insert(with_line_ends(*name));
  }
  return heads;
}

}  // namespace

std::shared_ptr<const Document> open_xml(const std::string& content) {
  const Archive archive(content);
  const std::vector<Part> parts = parts_with_text(archive);
  const std::set<std::string> heads = heads_of_tables(archive, parts);
  std::vector<Member> members;
  for (const Part& part : parts) {
    if (!has_text_of(part.type)) continue;
    const std::string xml = archive.read(part.name);
    if (part.type.ends_with(kSheetPart) && xml.find("inlineStr") == std::string::npos) continue;  // only numbers
    members.push_back(RunPart(xml, part.name, heads).member());
  }
  return std::make_shared<const ArchiveDocument>(content, std::move(members));
}

}  // namespace hexapla::text::document
