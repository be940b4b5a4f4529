#pragma once
// What is wrong with the characters of one line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "curate/findings.h"

namespace hexapla::curate {

// blank, or any of encoding, control, replacement, mojibake and entities.
FaultSet faults_of(std::string_view line);

// The byte at which that fault is met first; 0 where it has no offset.
size_t offset_of(Fault fault, std::string_view line);
// The line from a little before its offset on, so that a short example shows it.
std::string excerpt(Fault fault, std::string_view line);

// White space of ASCII and Unicode, and what has no width.
bool is_blank(std::string_view line);
// In code points; bytes that are no UTF-8 count one each.
int64_t characters(std::string_view line);

}  // namespace hexapla::curate
