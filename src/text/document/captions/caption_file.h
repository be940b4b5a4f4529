#pragma once
// Captions as files have them: SubRip (.srt), WebVTT (.vtt), SubViewer (.sbv).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct CaptionRow {
  std::string text, end;  // the line without its end, and that
  bool words = false;     // whether it is text of a cue
  std::size_t cue = 0;    // counted from 1; 0: before the first
};
struct CueTimes {
  std::int64_t from = 0, to = 0;  // milliseconds
};
struct CaptionFile {
  std::vector<CaptionRow> rows;
  std::vector<CueTimes> cues;
  bool web = false;  // WebVTT: characters may be written as entities
};

// Takes what players take: no blank line between two cues, no number, any line end, blank lines in a cue of SubRip.
// Header, notes, style sheets, numbers and times are rows without words.
CaptionFile caption_file(std::string_view content);

// "1:02.500", "00:00:01,000": milliseconds; what is read leaves `text`.
std::optional<std::int64_t> take_time(std::string_view& text);

}  // namespace hexapla::text::document
