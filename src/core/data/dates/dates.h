#pragma once
// An artificial language pair for the demo: dates as written in English, and in ISO 8601.
#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/files/links.h"

namespace hexapla::data {

// The days 1950-01-01 .. 2049-12-31, so that two digits determine the year: 50 .. 99 are 1950 ..
// 1999, 00 .. 49 are 2000 .. 2049.
inline constexpr int kFirstYear = 1950, kLastYear = 2049;
std::span<const std::chrono::year_month_day> all_days();

std::string iso_date(std::chrono::year_month_day day);                // "2023-03-03"
std::chrono::year_month_day parse_iso_date(const std::string& text);  // InternalError: anything else

// Formats of dates, in which %x is replaced by a part of the date:
//   %A Friday   %a Fri   %d 3   %D 03   %o 3rd   %w third   %B March   %b Mar   %p Mar.   %m 3   %M 03   %Y 2023   %y
//   23
// Every text denotes exactly one day: with slashes the month precedes the day; with dots, and with
// month names, the day precedes the year.
std::span<const char* const> date_forms();

enum class Letters { as_written, lower, upper };
enum class Commas { kept, dropped };
struct DateStyle {
  const char* form = "%B %d, %Y";
  Letters letters = Letters::as_written;
  Commas commas = Commas::kept;
};
std::string write_date(std::chrono::year_month_day day, const DateStyle& style);  // InternalError: an unknown part
// Byte positions of year, month and day. The span of a missing part is empty.
struct DateSpans {
  text::TokenSpan year{}, month{}, day{};
};
DateSpans spans_in_date(std::chrono::year_month_day day, const DateStyle& style);
// The spans in iso_date().
inline constexpr DateSpans kIsoSpans{{0, 4}, {5, 7}, {8, 10}};
// Links tokens of a text and of its ISO form that denote the same part of the date: a true
// alignment.
std::vector<Link> date_links(std::chrono::year_month_day day, const DateStyle& style,
                             const text::Vocabulary& vocabulary);

// Both sides. The days of `test` are distinct and do not occur in `train`.
struct DateCorpora {
  Corpus train, test;
};
// Depends only on its arguments. InternalError: more tests than a tenth of the days.
DateCorpora make_dates(uint64_t seed, int64_t train_pairs, int64_t test_pairs);

}  // namespace hexapla::data
