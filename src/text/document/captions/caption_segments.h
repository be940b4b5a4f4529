#pragma once
// The text of a cue between its breaks: line ends, times (<00:01.500>), voices, and tags around whole lines.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/captions/caption_file.h"
#include "text/document/runs.h"

namespace hexapla::text::document {

// Words that one line holds without a break. All parts together are the row.
struct Segment {
  std::string before;            // what stands in front as it is: times, tags around a whole row, dashes
  std::string blank_before;      // between that and the words
  std::vector<Token> words;      // text, and tags around a part of it
  std::string blank_after;       // after them
  std::size_t row = 0, cue = 0;  // of the file
  bool ends_sentence = false;    // nothing goes on from here, whatever the words say
  bool begins_sentence = false;  // nothing goes on into it
  bool tags_before = false;      // tags stand between the words before and these

  std::string text() const;  // what the words say
  std::string raw() const;   // the words as they are written
};

struct CueText {
  std::vector<Segment> segments;
  std::vector<std::string> tails;  // of each row what stands after its last words
};

// Text, tags (<i>, {\an8}), and as blocks times and voices (<v Name>).
std::vector<Token> caption_tokens(std::string_view row, bool web);

// How long the marks are that stand in front of what somebody says, with their blanks: "- ", ">> ", a note.
std::size_t size_of_mark_before(std::string_view text);

// rows: of one cue, those with words. Linear but for the tags of a cue, of which there are
// at most some hundred or each is a break.
CueText cue_text(std::span<const CaptionRow* const> rows, bool web);

}  // namespace hexapla::text::document
