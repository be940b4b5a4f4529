#pragma once
// A made-up language pair for the demo: a day as people write it in English, and the same day as ISO 8601 has it.
#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/links.h"

namespace hexapla::data {

// Days of 1950-01-01 .. 2049-12-31, so that two digits name a year: 50 .. 99 are 1950 .. 1999, 00 .. 49 are 2000 ..
// 2049.
inline constexpr int kFirstYear = 1950, kLastYear = 2049;
std::span<const std::chrono::year_month_day> all_days();

std::string iso_date(std::chrono::year_month_day day);                // "2023-03-03"
std::chrono::year_month_day parse_iso_date(const std::string& text);  // InternalError: anything else

// How a day may be written: text in which %x stands for a part of it.
//   %A Friday   %a Fri   %d 3   %D 03   %o 3rd   %w third   %B March   %b Mar   %p Mar.   %m 3   %M 03   %Y 2023   %y
//   23
// Every text names one day: with slashes the month comes before the day, with dots (and around names of months) the
// day before the year.
std::span<const char* const> date_forms();

enum class Letters { as_written, lower, upper };
enum class Commas { kept, dropped };
struct DateStyle {
  const char* form = "%B %d, %Y";
  Letters letters = Letters::as_written;
  Commas commas = Commas::kept;
};
std::string write_date(std::chrono::year_month_day day, const DateStyle& style);  // InternalError: an unknown part
// Where the year, the month and the day stand in it: bytes. An empty span for a part that the form does not have.
struct DateSpans {
  text::TokenSpan year{}, month{}, day{};
};
DateSpans spans_in_date(std::chrono::year_month_day day, const DateStyle& style);
// The same in iso_date().
inline constexpr DateSpans kIsoSpans{{0, 4}, {5, 7}, {8, 10}};
// Which tokens of a text and of its ISO form name the same part of the day: a true alignment.
std::vector<Link> date_links(std::chrono::year_month_day day, const DateStyle& style,
                             const text::Vocabulary& vocabulary);

// Pairs of both sides. The days of `test` are all different, and none of them is among those of `train`.
struct DateCorpora {
  Corpus train, test;
};
// A function of its arguments. InternalError: more tests than a tenth of the days.
DateCorpora make_dates(uint64_t seed, int64_t train_pairs, int64_t test_pairs);

}  // namespace hexapla::data
