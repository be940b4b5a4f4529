#pragma once
// Splits the text of a cue at its breaks: line ends, times (<00:01.500>), voices, and tags around
// whole lines.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/captions/caption_file.h"
#include "documents/runs.h"

namespace hexapla::text::document {

// Consecutive words without a break. The concatenation of all members is the row.
struct Segment {
  std::string before;            // bytes kept in front: times, tags around the row, dashes
  std::string blank_before;      // whitespace between `before` and the words
  std::vector<Token> words;      // text, and the tags inside it
  std::string blank_after;       // whitespace after the words
  std::size_t row = 0, cue = 0;  // in the file
  bool ends_sentence = false;    // the sentence ends here, whatever the words say
  bool begins_sentence = false;  // the sentence begins here
  bool tags_before = false;      // tags separate these words from the previous ones

  std::string text() const;  // the words as plain text
  std::string raw() const;   // the words as written in the file
};

struct CueText {
  std::vector<Segment> segments;
  std::vector<std::string> tails;  // for each row, the bytes after its last words
};

// Splits a row into text and tags (<i>, {\an8}); times and voices (<v Name>) become blocks.
std::vector<Token> caption_tokens(std::string_view row, bool web);

// The length of the marks before speech, including whitespace: "- ", ">> ", a music note.
std::size_t size_of_mark_before(std::string_view text);

// rows: the rows of one cue that have words. Takes linear time, except for tags; beyond a few
// hundred tags per cue, each tag is a break, so that the time stays bounded.
CueText cue_text(std::span<const CaptionRow* const> rows, bool web);

}  // namespace hexapla::text::document
