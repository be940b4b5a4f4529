#pragma once
// Documents that are archives: the text of some members is translated, and everything else is kept.
#include <functional>
#include <string>
#include <vector>

#include "documents/pieces.h"

namespace hexapla::text::document {

struct Member {
  std::string name;
  Pieces text;
  // Makes the member's content from its reassembled text; none: the text is the content.
  std::function<std::string(const std::string& joined)> finish = {};
};

class ArchiveDocument final : public Document {
 public:
  ArchiveDocument(std::string archive, std::vector<Member> members);

  // The archive. text: 0, because there is only one.
  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  struct Part {
    std::string name;
    std::function<std::string(const std::string& joined)> finish;
    bool translated;
  };

  std::string archive_;
  std::vector<Part> parts_;
  PiecesDocument texts_;
};

}  // namespace hexapla::text::document
