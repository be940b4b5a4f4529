#include "documents/office/archive/archive_document.h"

#include <algorithm>
#include <map>
#include <utility>

#include "documents/office/archive/archive.h"

namespace hexapla::text::document {
namespace {

std::vector<Pieces> texts_of(const std::vector<Member>& members) {
  std::vector<Pieces> texts;
  for (const Member& member : members) texts.push_back(member.text);
  return texts;
}

}  // namespace

ArchiveDocument::ArchiveDocument(std::string archive, std::vector<Member> members)
    : archive_(std::move(archive)), texts_(texts_of(members)) {
  for (Member& m : members) parts_.push_back({m.name, std::move(m.finish), !m.text.lines().empty()});
  for (std::size_t i = 0; i < texts_.lines().size(); ++i) add_line(texts_.lines()[i], texts_.aligned()[i]);
}

std::string ArchiveDocument::joined(std::size_t, const Lines& found, std::size_t rank) const {
  std::map<std::string, std::string> changed;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].translated) continue;
    std::string text = texts_.joined(i, found, rank);
    changed[parts_[i].name] = parts_[i].finish ? parts_[i].finish(text) : std::move(text);
  }
  return with_members(archive_, changed);
}

std::size_t ArchiveDocument::ranks(std::size_t, const Lines& found) const {
  std::size_t most = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) most = std::max(most, texts_.ranks(i, found));
  return most;
}

}  // namespace hexapla::text::document
