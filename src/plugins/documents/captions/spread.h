#pragma once
// Spreads a translation over the cues, rows and times of its source sentence.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

// The position of a part of the source sentence.
struct Share {
  std::size_t cue = 0, row = 0;
  double length = 0;         // of its text, in columns
  bool tags_before = false;  // no element may continue into it
};

// One part of the translation, which has its markup, for each share, in proportion to the shares'
// lengths: split by cues first, then by rows. Breaks are at spaces, which are dropped, or between
// characters of scripts without spaces. Every cue gets at least one word, and so does every row of
// a cue if there are enough words.
std::vector<std::string> spread(std::string_view translation, bool web, std::span<const Share> shares);

}  // namespace hexapla::text::document
