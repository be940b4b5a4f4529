#pragma once
// A translation spread over the cues, rows and times that its sentence had.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

// Where a part of the sentence stood.
struct Share {
  std::size_t cue = 0, row = 0;
  double length = 0;         // of its text
  bool tags_before = false;  // no element may go on into it
};

// One part of the translation, which has its markup, for each share: cues first, their rows then, in proportion. Broken
// at blanks, which are left out, or between characters of scripts without them. Cues have at least a word each, and so
// have the rows of a cue, where there are as many.
std::vector<std::string> spread(std::string_view translation, bool web, std::span<const Share> shares);

}  // namespace hexapla::text::document
