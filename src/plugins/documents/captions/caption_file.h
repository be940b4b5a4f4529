#pragma once
// Reads and represents caption files: SubRip (.srt), WebVTT (.vtt), SubViewer (.sbv).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct CaptionRow {
  std::string text, end;  // the line, and its line end
  bool words = false;     // whether it is text of a cue
  std::size_t cue = 0;    // counted from 1; 0: before the first cue
};
struct CueTimes {
  std::int64_t from = 0, to = 0;  // milliseconds
};
struct CaptionFile {
  std::vector<CaptionRow> rows;
  std::vector<CueTimes> cues;
  bool web = false;  // WebVTT: characters may be written as entities
};

// As tolerant as players: cues may lack the empty line between them or their numbers, line ends may
// be of any kind, and a SubRip cue may contain empty lines. Headers, notes, style sheets, numbers
// and times are rows without words.
CaptionFile caption_file(std::string_view content);

// Parses "1:02.500" or "00:00:01,000" into milliseconds and removes it from `text`.
std::optional<std::int64_t> take_time(std::string_view& text);

}  // namespace hexapla::text::document
