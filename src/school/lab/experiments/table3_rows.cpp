#include "lab/experiments/table3_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hexapla::lab {
namespace {

using train::TrainOptions;

model::Config with_widths(model::Config c) {
  if (c.d_k == 0) c.d_k = c.d_model / c.heads;
  if (c.d_v == 0) c.d_v = c.d_model / c.heads;
  return c;
}

struct InPaper {
  double perplexity, bleu;
};

class Table3Rows {
 public:
  explicit Table3Rows(const TrainOptions& base) : base_(base) {
    add("base", "base", {kPaperBase, kPaperBleu}, [](TrainOptions&) {});
  }

  void add(std::string name, std::string change, InPaper paper, std::function<void(TrainOptions&)> make) {
    TrainOptions o = base_;
    make(o);
    const std::string made = identity_of(o);
    if (std::find(seen_.begin(), seen_.end(), made) != seen_.end()) return;
    seen_.push_back(made);
    rows_.push_back({std::move(name), std::move(change), paper.perplexity, paper.bleu, std::move(make)});
  }

  // A row that changes one integer of the architecture.
  void number(const char* group, const char* option, const char* symbol, int64_t model::Config::*field, int64_t value,
              InPaper paper) {
    if (value < 1) return;
    add(fmt::format("{}-{}-{}", group, option, value), fmt::format("{} = {}", symbol, value), paper,
        [field, value](TrainOptions& o) { o.architecture.*field = value; });
  }

  std::vector<Table3Row> take() { return std::move(rows_); }

 private:
  static std::string identity_of(const TrainOptions& o) {
    return fmt::format("{} {} {}", with_widths(o.architecture).to_json(), o.label_smoothing, o.max_updates);
  }

  const TrainOptions& base_;
  std::vector<std::string> seen_;
  std::vector<Table3Row> rows_;
};

// Scales the learning rate as in section 5.3, by d_model^-0.5 (0 already means this formula). With
// the base's rate, twice the width did not train on Multi30k.
void set_width(TrainOptions& o, int64_t d_model) {
  o.lr *= std::sqrt(static_cast<double>(o.architecture.d_model) / static_cast<double>(d_model));
  o.architecture.d_model = d_model;
}

void width(Table3Rows& rows, int64_t d_model, InPaper paper) {
  if (d_model < 1) return;
  rows.add(fmt::format("C-dim-model-{}", d_model), fmt::format("d_model = {}", d_model), paper,
           [d_model](TrainOptions& o) { set_width(o, d_model); });
}

// (A): number of heads at constant multiply-adds.
void heads(Table3Rows& rows, const model::Config& b) {
  const std::vector<std::pair<double, InPaper>> all = {
      {1. / static_cast<double>(b.heads), {5.29, 24.9}}, {.5, {5.00, 25.5}}, {2, {4.91, 25.8}}, {4, {5.01, 25.4}}};
  for (const auto& [factor, paper] : all) {
    const auto h = static_cast<int64_t>(std::llround(factor * static_cast<double>(b.heads)));
    if (h >= 1 && b.d_model % h == 0) rows.number("A", "heads", "h", &model::Config::heads, h, paper);
  }
}

// (B): narrower keys with unchanged values.
void keys(Table3Rows& rows, const model::Config& b) {
  const int64_t d_k = b.d_model / b.heads;
  for (const auto& [parts, paper] : {std::pair{4, InPaper{5.16, 25.1}}, {2, InPaper{5.01, 25.4}}}) {
    const int64_t narrow = d_k / parts;
    if (narrow >= 1) rows.number("B", "dim-key", "d_k", &model::Config::d_k, narrow, paper);
  }
}

// (C): smaller and larger models.
void sizes(Table3Rows& rows, const model::Config& b) {
  for (const auto& [factor, paper] :
       {std::pair{1. / 3, InPaper{6.11, 23.7}}, {2. / 3, InPaper{5.19, 25.3}}, {4. / 3, InPaper{4.88, 25.5}}}) {
    const auto n = [factor = factor](int64_t of) {
      return std::max<int64_t>(1, std::llround(factor * static_cast<double>(of)));
    };
    const int64_t encoder = n(b.enc_layers), decoder = n(b.dec_layers);
    rows.add(fmt::format("C-layers-{}", decoder), fmt::format("N = {}", decoder), paper, [=](TrainOptions& o) {
      o.architecture.enc_layers = encoder;
      o.architecture.dec_layers = decoder;
    });
  }
  width(rows, b.d_model / 2, {5.75, 24.5});
  width(rows, b.d_model * 2, {4.66, 26.0});
  rows.number("C", "dim-ff", "d_ff", &model::Config::d_ff, b.d_ff / 2, {5.12, 25.4});
  rows.number("C", "dim-ff", "d_ff", &model::Config::d_ff, b.d_ff * 2, {4.75, 26.2});
}

// (D): without dropout and smoothing, and with twice as much of each.
void regularization(Table3Rows& rows, const TrainOptions& b) {
  for (const auto& [factor, paper] : {std::pair{0, InPaper{5.77, 24.6}}, {2, InPaper{4.95, 25.5}}}) {
    const double p = std::min(0.8, factor * b.architecture.dropout);
    rows.add(fmt::format("D-dropout-{}", p), fmt::format("P_drop = {}", p), paper, [p](TrainOptions& o) {
      o.architecture.dropout = p;
      if (p == 0) o.architecture.attention_dropout = o.architecture.activation_dropout = 0;
    });
  }
  for (const auto& [factor, paper] : {std::pair{0, InPaper{4.67, 25.3}}, {2, InPaper{5.47, 25.7}}}) {
    const double mass = std::min(0.9, factor * b.label_smoothing);
    rows.add(fmt::format("D-smoothing-{}", mass), fmt::format("eps_ls = {}", mass), paper,
             [mass](TrainOptions& o) { o.label_smoothing = mass; });
  }
}

}  // namespace

std::vector<Table3Row> table3_rows(const TrainOptions& base) {
  Table3Rows rows(base);
  heads(rows, base.architecture);
  keys(rows, base.architecture);
  sizes(rows, base.architecture);
  regularization(rows, base);
  rows.add("E-learned", "learned positions", {4.92, 25.7},
           [](TrainOptions& o) { o.architecture.positions = "learned"; });
  rows.add("big", "big", {4.33, 26.4}, [](TrainOptions& o) {
    model::Config& c = o.architecture;
    set_width(o, 2 * c.d_model);
    c.d_ff *= 2, c.heads *= 2;
    c.dropout = std::min(0.5, 3 * c.dropout);
    o.max_updates *= 3;
  });
  return rows.take();
}

double work_per_token(const TrainOptions& options) {
  const model::Config c = with_widths(options.architecture);
  const auto attention = static_cast<double>(2 * c.d_model * c.heads * (c.d_k + c.d_v));
  const auto feed_forward = static_cast<double>((c.gated ? 3 : 2) * c.d_model * c.d_ff);
  const auto output = static_cast<double>(c.d_model * options.vocab_size);
  return static_cast<double>(c.enc_layers) * (attention + feed_forward) +
         static_cast<double>(c.dec_layers) * (2 * attention + feed_forward) + output;
}

}  // namespace hexapla::lab
