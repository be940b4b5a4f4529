#include "data/dates/dates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/compute/random.h"
#include "base/error.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {
namespace {

using namespace std::chrono;

year_month_day ymd(int y, unsigned m, unsigned d) { return year(y) / month(m) / day(d); }

TEST(Dates, AllDaysOfTheCentury) {
  const auto days = all_days();
  ASSERT_EQ(days.size(), 36525U);
  EXPECT_EQ(days.front(), ymd(1950, 1, 1));
  EXPECT_EQ(days.back(), ymd(2049, 12, 31));
  EXPECT_TRUE(std::is_sorted(days.begin(), days.end()));
}

TEST(Dates, IsoGoesThereAndBack) {
  EXPECT_EQ(iso_date(ymd(2023, 3, 3)), "2023-03-03");
  for (const year_month_day day : all_days()) ASSERT_EQ(parse_iso_date(iso_date(day)), day);
  for (const char* wrong : {"", "2023-3-03", "2023-02-30", "2023-03-03 ", "20230303", "x023-03-03"})
    EXPECT_THROW(parse_iso_date(wrong), InternalError) << wrong;
}

TEST(Dates, FormsAsPeopleWriteThem) {
  const year_month_day day = ymd(2023, 3, 3), late = ymd(1999, 9, 22);
  const auto write = [](year_month_day d, const char* form) { return write_date(d, {form}); };
  EXPECT_EQ(write(day, "%A, the %o of %B %Y"), "Friday, the 3rd of March 2023");
  EXPECT_EQ(write(day, "%M/%D/%y"), "03/03/23");
  EXPECT_EQ(write(day, "%m/%d/%Y"), "3/3/2023");
  EXPECT_EQ(write(day, "the %w of %B, %Y"), "the third of March, 2023");
  EXPECT_EQ(write(late, "%A the %w of %p %y"), "Wednesday the twenty-second of Sept. 99");
  EXPECT_EQ(write(late, "%a %d-%b-%Y"), "Wed 22-Sep-1999");
  EXPECT_EQ(write_date(late, {"%p %o, '%y", Letters::upper, Commas::dropped}), "SEPT. 22ND '99");
  EXPECT_EQ(write_date(late, {"%A, %B %d", Letters::lower}), "wednesday, september 22");
  EXPECT_EQ(write(ymd(2001, 5, 9), "%p %D"), "May 09");
  EXPECT_THROW(write(day, "%q"), InternalError);
}

TEST(Dates, OrdinalsOfEveryDay) {
  const std::map<unsigned, std::string> known = {
      {1, "1st first"},          {2, "2nd second"},         {3, "3rd third"},           {4, "4th fourth"},
      {10, "10th tenth"},        {11, "11th eleventh"},     {12, "12th twelfth"},       {13, "13th thirteenth"},
      {20, "20th twentieth"},    {21, "21st twenty-first"}, {22, "22nd twenty-second"}, {23, "23rd twenty-third"},
      {29, "29th twenty-ninth"}, {30, "30th thirtieth"},    {31, "31st thirty-first"}};
  std::set<std::string> words;
  for (unsigned d = 1; d <= 31; ++d) {
    const std::string text = write_date(ymd(2000, 1, d), {"%o %w"});
    words.insert(text);
    EXPECT_TRUE(!known.contains(d) || known.at(d) == text) << text;
  }
  EXPECT_EQ(words.size(), 31U);
}

TEST(Dates, WeekdaysAreRight) {
  const std::map<std::string, year_month_day> known = {{"Thursday", ymd(1970, 1, 1)},  {"Saturday", ymd(2000, 1, 1)},
                                                       {"Tuesday", ymd(2000, 2, 29)},  {"Sunday", ymd(1950, 1, 1)},
                                                       {"Friday", ymd(2049, 12, 31)},  {"Monday", ymd(2024, 1, 1)},
                                                       {"Wednesday", ymd(1969, 7, 16)}};
  for (const auto& [name, day] : known) {
    EXPECT_EQ(write_date(day, {"%A"}), name);
    EXPECT_EQ(write_date(day, {"%a"}), name.substr(0, 3));
  }
}

TEST(Dates, NoTextNamesTwoDays) {
  ASSERT_GE(date_forms().size(), 20U);
  std::map<std::string, std::string> named;
  const auto days = all_days();
  for (size_t i = 0; i < days.size(); i += 3) {
    const std::string iso = iso_date(days[i]);
    for (const char* form : date_forms()) {
      for (const Commas commas : {Commas::kept, Commas::dropped}) {
        const std::string text = write_date(days[i], {form, Letters::lower, commas});
        const auto [at, fresh] = named.emplace(text, iso);
        ASSERT_TRUE(fresh || at->second == iso) << text << " is " << at->second << " and " << iso;
      }
    }
  }
}

TEST(Dates, CorporaHoldEveryFormAndTheRightDay) {
  const Corpus train = make_dates(3, 20000, 10).train;
  ASSERT_EQ(train.size(), 20000);
  ASSERT_EQ(train.target.size(), 20000U);
  ASSERT_EQ(train.lines.size(), 20000U);
  std::set<std::string> seen;
  for (int64_t i = 0; i < train.size(); ++i) {
    const year_month_day day = parse_iso_date(train.target[i]);
    bool known = false;
    for (const char* form : date_forms())
      for (const Letters letters : {Letters::as_written, Letters::lower, Letters::upper})
        for (const Commas commas : {Commas::kept, Commas::dropped})
          if (write_date(day, {form, letters, commas}) == train.source[i]) {
            known = true;
            seen.insert(cat(form, static_cast<int>(letters)));
          }
    ASSERT_TRUE(known) << train.source[i] << " -> " << train.target[i];
  }
  EXPECT_EQ(seen.size(), date_forms().size() * 3);
}

TEST(Dates, TestDaysAreNeverInTraining) {
  const DateCorpora c = make_dates(1, 50000, 1000);
  const std::set<std::string> tests(c.test.target.begin(), c.test.target.end());
  EXPECT_EQ(tests.size(), 1000U);
  for (const std::string& day : c.train.target) ASSERT_FALSE(tests.contains(day)) << day;
  EXPECT_THROW(make_dates(1, 1, 4000), InternalError);
}

TEST(Dates, TheSeedDecides) {
  const DateCorpora a = make_dates(5, 500, 50), again = make_dates(5, 500, 50), other = make_dates(6, 500, 50);
  EXPECT_EQ(a.train.source, again.train.source);
  EXPECT_EQ(a.train.target, again.train.target);
  EXPECT_EQ(a.test.source, again.test.source);
  EXPECT_NE(a.train.target, other.train.target);
  EXPECT_NE(a.test.target, other.test.target);
  // The test pairs can be reproduced without the training pairs.
  EXPECT_EQ(make_dates(5, 0, 50).test.source, a.test.source);
}

}  // namespace
}  // namespace hexapla::data
