#pragma once
// The results of `hexapla data` as text and JSON.
#include <string>

#include "data/curate/examination.h"

namespace hexapla::inspect {

// Aligned text with examples, for a terminal `columns` wide.
std::string data_report(const data::Examination& found, const data::ExamineOptions& options, int columns);
// The same as JSON; bytes that are not UTF-8 become U+FFFD.
std::string data_json(const data::Examination& found, const data::ExamineOptions& options);

// "from line 501 on, source line i goes with target line i - 1: a target line is missing there, or a source line is too
// many"
std::string shift_text(const data::ShiftPlace& place);

}  // namespace hexapla::inspect
