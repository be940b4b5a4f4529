#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/curate/pairs/findings.h"

namespace hexapla::data {

// blank, or any combination of encoding, control, replacement, mojibake and entities.
FaultSet faults_of(std::string_view line);

// The byte where this fault first occurs; 0 if it has no offset.
size_t offset_of(Fault fault, std::string_view line);
// The line from shortly before the fault on, so that a short example shows it.
std::string excerpt(Fault fault, std::string_view line);

// Whether it has only ASCII or Unicode white space and zero-width characters.
bool is_blank(std::string_view line);
// Number of code points; bytes that are not UTF-8 count one each.
int64_t characters(std::string_view line);

}  // namespace hexapla::data
