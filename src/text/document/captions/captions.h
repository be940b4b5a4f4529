#pragma once
// Captions (.srt, .vtt, .sbv): the text of cues is translated; numbers, times, settings, notes and headers stay as they
// are.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/captions/caption_file.h"
#include "text/document/captions/caption_segments.h"
#include "text/document/document.h"
#include "text/marked/marked_line.h"

namespace hexapla::text::document {

// A sentence is one line, also where it goes on in the next cues; its translation is spread over the same cues, rows
// and inner times in proportion, and broken at blanks, or between characters where the script has none. Each cue keeps
// the number of its rows where the translation has as many words, and none is empty. A sentence does not go on after a
// mark that ends it, a pause, a dash or another voice that begins, nor further than some cues; a file without such
// marks (most in Chinese) has a sentence in each cue. A row that a cue repeats from the one before (rolling captions)
// is translated once.
class Captions final : public Document {
 public:
  explicit Captions(std::string_view content);

  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  struct Row {
    std::string before = {}, end = {};  // what no segment has: the row itself, or what follows its words; its line end
    bool words = false;
    std::size_t cue = 0;
    std::vector<std::size_t> segments = {};
    std::size_t copied = no_row;  // the row that it repeats
  };
  struct Line {
    text::MarkedLine line;
    std::vector<std::size_t> segments;
  };
  // The translation of a segment: with its markup, and as text.
  struct Said {
    std::string written, text;
  };
  static constexpr std::size_t no_row = static_cast<std::size_t>(-1);

  // -> the segments of rows that repeat none
  std::vector<Segment> read(const CaptionFile& file);
  void find_repeated(const std::vector<Segment>& segments, std::size_t first, std::size_t end);
  void add_line(std::vector<Segment> sentence);
  void spread_line(const Line& line, const Translation& translation, std::vector<Said>& said) const;
  void put_copy(const Row& row, std::vector<Said>& said) const;
  std::string text_of(const Row& row, const std::vector<Said>& said) const;
  std::string between(const Segment& last, const Segment& next, const Said& before, const Said& after) const;
  std::string written(const Row& row, const std::vector<Said>& said) const;
  std::string escaped(std::string_view text) const;

  std::vector<Row> rows_;
  std::vector<Segment> segments_;
  std::vector<Line> marked_;  // as many as lines()
  bool web_ = false;
};

}  // namespace hexapla::text::document
