#include "data/dates/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/compute/random.h"
#include "base/error.h"

namespace hexapla::data {
namespace {

using std::chrono::year_month_day;

// Separates this file's random numbers from those of others with the same seed.
constexpr uint64_t kDatesStream = 0x6461746573000000;

constexpr std::array kForms = {
    "%A, the %o of %B %Y",
    "%A, %B %o, %Y",
    "%A, %B %d, %Y",
    "%A, %d %B %Y",
    "%A, the %w of %B, %Y",
    "%A %m/%d/%Y",
    "%a %d %b %Y",
    "%a %b %d %Y",
    "%a, %o %b '%y",
    "%a %M/%D/%y",
    "the %w of %B, %Y",
    "the %o of %B %Y",
    "%o of %B, %Y",
    "%o %B %Y",
    "%o %b '%y",
    "%B the %w, %Y",
    "%B %w, %Y",
    "%B %d, %Y",
    "%B %o, %Y",
    "%p %d, %Y",
    "%p %o '%y",
    "%b %d, %y",
    "%d %B %Y",
    "%d %b %Y",
    "%D %b %y",
    "%d-%b-%Y",
    "%D-%b-%y",
    "%D%b%Y",
    "%M/%D/%y",
    "%M/%D/%Y",
    "%m/%d/%Y",
    "%m/%d/%y",
    "%D.%M.%Y",
    "%d.%m.%y",
    "%Y.%M.%D",
    "%Y-%M-%D",
    "%Y/%M/%D",
    "%Y%M%D",
    "%Y %b %D",
    "%Y, %B %o",
};
constexpr std::array kWeekdays = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array kMonths = {"January", "February", "March",     "April",   "May",      "June",
                                "July",    "August",   "September", "October", "November", "December"};
constexpr std::array kOrdinals = {"first",     "second",      "third",      "fourth",     "fifth",
                                  "sixth",     "seventh",     "eighth",     "ninth",      "tenth",
                                  "eleventh",  "twelfth",     "thirteenth", "fourteenth", "fifteenth",
                                  "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"};

std::string ordinal(unsigned day) {
  const bool teen = day / 10 == 1;
  const char* ending = teen || day % 10 > 3 || day % 10 == 0 ? "th"
                       : day % 10 == 1                       ? "st"
                       : day % 10 == 2                       ? "nd"
                                                             : "rd";
  return cat(day) + ending;
}

std::string ordinal_word(unsigned day) {
  if (day <= 20) return kOrdinals[day - 1];
  if (day == 30) return "thirtieth";
  return std::string(day < 30 ? "twenty-" : "thirty-") + kOrdinals[day % 10 - 1];
}

// With a period if anything is omitted.
std::string abbreviated_month(const std::string& name) {
  return name == "May" ? name : name == "September" ? "Sept." : name.substr(0, 3) + ".";
}

std::string part(char code, year_month_day date) {
  const unsigned day{date.day()}, month{date.month()};
  const int year{date.year()};
  const std::string month_name = kMonths[month - 1];
  const std::string weekday = kWeekdays[std::chrono::weekday(std::chrono::sys_days(date)).c_encoding()];
  switch (code) {
    case 'A':
      return weekday;
    case 'a':
      return weekday.substr(0, 3);
    case 'd':
      return cat(day);
    case 'D':
      return fmt::format("{:02}", day);
    case 'o':
      return ordinal(day);
    case 'w':
      return ordinal_word(day);
    case 'B':
      return month_name;
    case 'b':
      return month_name.substr(0, 3);
    case 'p':
      return abbreviated_month(month_name);
    case 'm':
      return cat(month);
    case 'M':
      return fmt::format("{:02}", month);
    case 'Y':
      return cat(year);
    case 'y':
      return fmt::format("{:02}", year % 100);
    default:
      fail(cat("no part of a date is written %", code));
  }
}

char in_letters(char c, Letters letters) {
  if (letters == Letters::lower && c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  if (letters == Letters::upper && c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
  return c;
}

std::vector<year_month_day> count_days() {
  using namespace std::chrono;
  std::vector<year_month_day> days;
  const sys_days end = sys_days(year(kLastYear + 1) / January / 1);
  for (sys_days day = sys_days(year(kFirstYear) / January / 1); day < end; day += std::chrono::days(1))
    days.emplace_back(day);
  return days;
}

DateStyle any_style(Random& random) {
  return {kForms[random.below(kForms.size())], static_cast<Letters>(random.below(3)),
          static_cast<Commas>(random.below(2))};
}

void add_pair(Corpus& corpus, year_month_day day, Random& random) {
  corpus.source.push_back(write_date(day, any_style(random)));
  corpus.target.push_back(iso_date(day));
  corpus.lines.push_back(std::ssize(corpus.lines) + 1);
}

// Calls placed(code, span) for each part; returns the text.
template <class Placed>
std::string write_parts(year_month_day day, const DateStyle& style, Placed&& placed) {
  std::string text;
  for (const char* c = style.form; *c; ++c) {
    if (*c == ',' && style.commas == Commas::dropped) continue;
    if (*c != '%') {
      text += *c;
      continue;
    }
    const size_t from = text.size();
    text += part(*++c, day);
    placed(*c, text::TokenSpan{from, text.size()});
  }
  for (char& c : text) c = in_letters(c, style.letters);
  return text;
}

std::vector<int32_t> tokens_in(const text::TokenSpan& span, std::span<const text::TokenSpan> tokens) {
  std::vector<int32_t> in;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].from < span.to && tokens[i].to > span.from) in.push_back(static_cast<int32_t>(i));
  return in;
}

}  // namespace

std::span<const year_month_day> all_days() {
  static const std::vector<year_month_day> days = count_days();
  return days;
}

std::string iso_date(year_month_day day) {
  return fmt::format("{:04}-{:02}-{:02}", int{day.year()}, unsigned{day.month()}, unsigned{day.day()});
}

year_month_day parse_iso_date(const std::string& text) {
  const auto number = [&](size_t at, size_t digits) {
    unsigned n = 0;
    if (text.size() == 10) std::from_chars(text.data() + at, text.data() + at + digits, n);
    return n;
  };
  const year_month_day date{std::chrono::year(static_cast<int>(number(0, 4))), std::chrono::month(number(5, 2)),
                            std::chrono::day(number(8, 2))};
  HEXAPLA_CHECK(date.ok() && iso_date(date) == text, "'", text, "' is not a date like 2023-03-03");
  return date;
}

std::span<const char* const> date_forms() { return kForms; }

std::string write_date(year_month_day day, const DateStyle& style) {
  return write_parts(day, style, [](char, const text::TokenSpan&) {});
}

DateSpans spans_in_date(year_month_day day, const DateStyle& style) {
  DateSpans spans;
  write_parts(day, style, [&](char code, const text::TokenSpan& span) {
    if (code == 'Y' || code == 'y') spans.year = span;
    if (code == 'B' || code == 'b' || code == 'p' || code == 'm' || code == 'M') spans.month = span;
    if (code == 'd' || code == 'D' || code == 'o' || code == 'w') spans.day = span;
  });
  return spans;
}

std::vector<Link> date_links(year_month_day day, const DateStyle& style, const text::Vocabulary& vocabulary) {
  const auto from = vocabulary.encode_with_spans(write_date(day, style)).spans;
  const auto to = vocabulary.encode_with_spans(iso_date(day)).spans;
  const DateSpans spans = spans_in_date(day, style);
  std::vector<Link> links;
  for (auto part : {&DateSpans::year, &DateSpans::month, &DateSpans::day})
    for (int32_t t : tokens_in(kIsoSpans.*part, to))
      for (int32_t s : tokens_in(spans.*part, from)) links.push_back({s, t});
  return links;
}

DateCorpora make_dates(uint64_t seed, int64_t train_pairs, int64_t test_pairs) {
  std::vector<year_month_day> days(all_days().begin(), all_days().end());
  HEXAPLA_CHECK(test_pairs <= std::ssize(days) / 10, test_pairs, " days for tests are too many of ", days.size());
  Random random(seed, kDatesStream);
  random.shuffle(days);
  DateCorpora corpora;
  corpora.train.source_name = corpora.test.source_name = "made-up dates";
  corpora.train.target_name = corpora.test.target_name = "their ISO forms";
  for (int64_t i = 0; i < test_pairs; ++i) add_pair(corpora.test, days[i], random);
  const auto known = static_cast<uint32_t>(days.size() - test_pairs);
  for (int64_t i = 0; i < train_pairs; ++i) add_pair(corpora.train, days[test_pairs + random.below(known)], random);
  return corpora;
}

}  // namespace hexapla::data
