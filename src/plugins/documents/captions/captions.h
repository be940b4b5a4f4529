#pragma once
// Captions (.srt, .vtt, .sbv): the text of cues is translated; numbers, times, settings, notes and
// headers are kept.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "documents/captions/caption_file.h"
#include "documents/captions/caption_segments.h"
#include "documents/document.h"
#include "text/marked/marked_line.h"

namespace hexapla::text::document {

// A sentence is translated as one line, even if it spans several cues. Its translation is spread
// over the same cues, rows and inline times in proportion to their length, and broken at spaces, or
// between characters if the script has no spaces. Each cue keeps its number of rows if the
// translation has enough words, and no cue is left empty. A sentence ends at punctuation, a pause,
// a dash or a change of voice, and after a limited number of cues; in a file without punctuation
// (most Chinese ones), each cue is a sentence. A row that repeats one of the previous cue (rolling
// captions) is translated once.
class Captions final : public Document {
 public:
  explicit Captions(std::string_view content);

  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  struct Row {
    std::string before = {}, end = {};  // bytes in no segment; the line end
    bool words = false;
    std::size_t cue = 0;
    std::vector<std::size_t> segments = {};
    std::size_t copied = kNoRow;  // the row that this one repeats
  };
  struct Line {
    text::MarkedLine line;
    std::vector<std::size_t> segments;
  };
  // The translation of a segment: with its markup, and as plain text.
  struct Said {
    std::string written, text;
  };
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

  // -> the segments of all rows that repeat none
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
  std::vector<Line> marked_;  // one for each of lines()
  bool web_ = false;
};

}  // namespace hexapla::text::document
