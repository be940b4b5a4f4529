#pragma once
// Which segments of captions are one sentence.
#include <span>
#include <vector>

#include "text/document/captions/caption_segments.h"

namespace hexapla::text::document {

// Whether a text goes on in the next one with a blank between.
bool blank_between(std::string_view text, std::string_view next);

// Whether a blank parts two segments, the second of which follows: as written in a row, else by their script.
bool is_blank_before(const Segment& segment, const Segment& next);

// All segments in order, those of one sentence together; a segment with the end of a sentence in it becomes two.
// automatic: the captions are made by a machine, which may write no marks.
std::vector<std::vector<Segment>> caption_sentences(std::vector<Segment> segments, const std::vector<CueTimes>& cues,
                                                    bool automatic);

}  // namespace hexapla::text::document
