// Compares attention, unguided and guided, with the known true alignment of dates.
#include <gmock/gmock.h>

#include "base/compute/random.h"
#include "base/files/test_folder.h"
#include "data/dates/dates.h"
#include "decode/opened/open_model.h"
#include "train/loop/trainer.h"

namespace hexapla::cli {
namespace {

struct Date {
  std::chrono::year_month_day day;
  data::DateStyle style;
};

// Another seed gives other days or styles.
std::vector<Date> some_dates(int64_t n, uint64_t seed) {
  Random random(seed);
  std::vector<Date> dates;
  for (int64_t i = 0; i < n; ++i)
    dates.push_back({data::all_days()[random.below(static_cast<uint32_t>(data::all_days().size()))],
                     {data::date_forms()[random.below(static_cast<uint32_t>(data::date_forms().size()))],
                      static_cast<data::Letters>(random.below(3)), data::Commas::kept}});
  return dates;
}

text::Vocabulary date_vocabulary(const std::vector<Date>& dates) {
  std::vector<std::string> text;
  for (const Date& d : dates) text.insert(text.end(), {data::write_date(d.day, d.style), data::iso_date(d.day)});
  text.resize(std::min<size_t>(text.size(), 4000));
  return text::Vocabulary::train(text, {.size = 120, .normalization = "nmt_nfkc_cf", .split_digits = true});
}

// The share of target tokens in year, month and day whose strongest attention is on the same part
// of the source.
double accuracy(const decode::OpenModel& m, const std::vector<Date>& dates, const decode::AttentionHead& head) {
  std::vector<std::string> sources, targets;
  for (const Date& d : dates)
    sources.push_back(data::write_date(d.day, d.style)), targets.push_back(data::iso_date(d.day));
  const auto found = m.scorer().align(sources, targets, {}, {head, decode::AlignmentUnit::pieces});
  int64_t right = 0, all = 0;
  for (size_t i = 0; i < dates.size(); ++i) {
    const std::vector<data::Link> gold = data::date_links(dates[i].day, dates[i].style, m.source),
                                  hard = decode::hard_links(found[i]);
    for (const data::Link& link : hard) {
      const auto of_token = [&](const data::Link& g) { return g.target == link.target; };
      if (std::none_of(gold.begin(), gold.end(), of_token)) continue;  // a hyphen
      right += std::find(gold.begin(), gold.end(), link) != gold.end();
      ++all;
    }
  }
  return static_cast<double>(right) / static_cast<double>(all);
}

class DateAlignment : public TestFolder {
 protected:
  train::TrainOptions options(const std::string& name) const {
    train::TrainOptions o;
    o.train_sets = {"dates", "their ISO forms"};  // in memory: names for messages
    o.model = at(name);
    o.batch_tokens = 512;
    o.max_updates = 400;
    o.lr = 3e-3;
    o.warmup = 100;
    o.label_smoothing = 0;
    o.save_every = "400";
    o.average_last = 1;
    o.architecture.enc_layers = 1;
    o.architecture.dec_layers = 2;
    o.architecture.d_model = 48;
    o.architecture.d_ff = 96;
    o.architecture.heads = 3;
    o.architecture.dropout = 0;
    return o;
  }
  decode::OpenModel trained(const train::TrainOptions& o) const {
    const std::vector<Date> dates = some_dates(10000, 1);
    const text::Vocabulary v = date_vocabulary(dates);
    std::vector<data::Example> examples;
    for (const Date& d : dates) {
      examples.push_back({v.encode(data::write_date(d.day, d.style)), v.encode(data::iso_date(d.day)), 1});
      examples.back().source.push_back(v.eos());
      if (o.guided_alignment.empty()) continue;
      std::vector<data::Link>& links = examples.back().links;
      links = data::date_links(d.day, d.style, v);
      std::sort(links.begin(), links.end(), [](const data::Link& a, const data::Link& b) {
        return std::pair(a.target, a.source) < std::pair(b.target, b.source);
      });
    }
    const train::TrainingData data{.pairs = {data::store_examples(examples), v, v}};
    train::TrainWatcher silent;
    const auto backend = make_cpu_backend();
    const std::atomic<bool> stop = false;
    return decode::open_translator(train::train(o, data, *backend, silent, stop).model, {});
  }
};

TEST_F(DateAlignment, LinksOfADate) {
  const std::vector<Date> dates = some_dates(300, 3);
  const text::Vocabulary v = date_vocabulary(dates);
  const std::chrono::year_month_day day{std::chrono::year(1999), std::chrono::month(9), std::chrono::day(22)};
  const data::DateStyle style{"%A, the %w of %B, %y"};
  const std::string text = data::write_date(day, style);
  const data::DateSpans spans = data::spans_in_date(day, style);
  EXPECT_EQ(text.substr(spans.year.from, spans.year.to - spans.year.from), "99");
  EXPECT_EQ(text.substr(spans.month.from, spans.month.to - spans.month.from), "September");
  EXPECT_EQ(text.substr(spans.day.from, spans.day.to - spans.day.from), "twenty-second");
  std::set<int32_t> linked;
  for (const Date& d : dates)
    for (const data::Link& link : data::date_links(d.day, d.style, v)) linked.insert(link.target);
  // ▁ 1 9 9 9 - 0 9 - 2 2, perhaps with the first two in one piece; the two hyphens are never
  // linked.
  EXPECT_GE(linked.size(), 8u);
}

// Given links teach the head that the year's digits come from the year, and so on; it is not
// chance.
TEST_F(DateAlignment, AGuidedHeadFollowsTheTrueLinks) {
  const std::vector<Date> unseen = some_dates(300, 2);
  train::TrainOptions o = options("plain");
  const decode::OpenModel plain = trained(o);
  o = options("guided");
  o.guided_alignment = "the true links";
  o.guided_alignment_head = 1;
  o.guided_alignment_weight = 1;
  const decode::OpenModel guided = trained(o);
  const decode::AttentionHead head{o.guided_layer(), o.guided_alignment_head};
  EXPECT_EQ(head.layer, 0);
  EXPECT_EQ(guided.file.usage.alignment_layer, 0);
  EXPECT_EQ(guided.file.usage.alignment_head, 1);
  const double with = accuracy(guided, unseen, head), without = accuracy(plain, unseen, head);
  RecordProperty("guided", cat(with));
  RecordProperty("unguided", cat(without));
  EXPECT_GT(with, 0.95);
  EXPECT_GT(with, without + 0.2) << without;
}

// Without guidance, the year's digits attend to the year and the month's to the month.
TEST_F(DateAlignment, AnUnguidedModelLearnsToAlignYearWithYear) {
  const std::vector<Date> unseen = some_dates(300, 2);
  train::TrainOptions o = options("young");
  o.architecture.enc_layers = 2;
  o.max_updates = 1;
  const decode::AttentionHead first{0, decode::AttentionHead::kMean};
  const double young = accuracy(trained(o), unseen, first);
  o.model = at("old");
  o.max_updates = 1200;
  o.save_every = "1200";
  const double old = accuracy(trained(o), unseen, first);
  RecordProperty("after one update", cat(young));
  RecordProperty("after 1200", cat(old));
  EXPECT_LT(young, 0.5);
  EXPECT_GT(old, 0.8);
}

}  // namespace
}  // namespace hexapla::cli
