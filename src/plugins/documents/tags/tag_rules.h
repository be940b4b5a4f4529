#pragma once
// User-given meanings of a document's tags, as in DeepL's API.
#include <set>
#include <string>
#include <vector>

#include "documents/runs.h"

namespace hexapla::text::document {

struct TagRules {
  // Names of elements, as in the tokens.
  std::set<std::string> ignored = {};        // kept as they are, including their content
  std::set<std::string> splitting = {};      // their tags end a sentence
  std::set<std::string> non_splitting = {};  // their tags do not
  bool outline = true;                       // whether the document's structure decides for other tags
};

// Splits a document's tokens, marked by its own structure, into lines. escape: how the format
// writes text.
Pieces pieces_of(std::vector<Token> tokens, const TagRules& rules, text::Escape escape);

}  // namespace hexapla::text::document
