#pragma once
// Groups the segments of captions into sentences.
#include <span>
#include <vector>

#include "documents/captions/caption_segments.h"

namespace hexapla::text::document {

// Whether a space is needed between a text and its continuation.
bool blank_between(std::string_view text, std::string_view next);

// Whether whitespace separates two adjacent segments: as written if both are in one row, else
// depending on their script.
bool is_blank_before(const Segment& segment, const Segment& next);

// All segments in order, grouped by sentence; a segment that contains the end of a sentence is
// split in two. automatic: the captions come from speech recognition, which may not write
// punctuation.
std::vector<std::vector<Segment>> caption_sentences(std::vector<Segment> segments, const std::vector<CueTimes>& cues,
                                                    bool automatic);

}  // namespace hexapla::text::document
