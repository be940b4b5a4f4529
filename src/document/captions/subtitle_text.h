#pragma once
// Subtitles (SubRip .srt, WebVTT .vtt): the text of cues is translated; numbers, times, settings and notes stay as they
// are.
#include <cstddef>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/html/html.h"

namespace hexapla::document {

// The lines of a cue are one sentence to the model, unless they begin with a dash: then each is somebody's. The
// translation has as many lines, of about equal length, where it has blanks to break at. Tags (<i>) go along with their
// words as in HTML.
class SubtitleText final : public Document {
 public:
  explicit SubtitleText(const std::string& text);

  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  struct Part {
    std::string before;     // what stays as it is
    std::size_t lines = 0;  // of the sentence behind it, which is the next one of all; 0: there is none
  };
  struct Cues {
    std::vector<Part> parts;
    std::vector<std::string> sentences;  // as HTML
    std::string line_end = "\n";
    bool html = false;  // whether the file writes &amp; for &, as WebVTT does
  };
  static Cues cues_of(const std::string& text);
  static PiecesDocument document_of(const Cues& cues);
  explicit SubtitleText(Cues cues);

  Cues file_;
  PiecesDocument cues_;
};

// With line ends at blanks outside of tags, so that it has this many lines of about equal length, or as many as it can.
std::string broken_into_lines(const std::string& text, std::size_t lines);

}  // namespace hexapla::document
