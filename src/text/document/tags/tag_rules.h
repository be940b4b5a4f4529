#pragma once
// Meanings of a document's tags that a user gives, as DeepL's interface lets them.
#include <string>
#include <string_view>
#include <vector>

#include "text/document/names.h"
#include "text/document/runs.h"

namespace hexapla::text::document {

struct TagRules {
  // Names of elements, as the tokens have them.
  std::vector<std::string> ignored = {};        // they stand for themselves, with all that is in them
  std::vector<std::string> splitting = {};      // their tags end a sentence
  std::vector<std::string> non_splitting = {};  // their tags do not
  bool outline = true;                          // whether other tags do where the document's structure says so
};

// tokens: of a document, as its structure says; with them its lines. escape: as the format writes text.
Pieces pieces_of(std::vector<Token> tokens, const TagRules& rules, text::Escape escape);

}  // namespace hexapla::text::document
