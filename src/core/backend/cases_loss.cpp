// Cases of the softmax over the vocabulary and its loss.
#include <cmath>
#include <limits>

#include "backend/cases.h"

namespace hexapla {
namespace {

using Call = std::function<void()>;

struct LossSpec {
  int64_t rows, width, classes, tile;
  double smoothing;
  bool biased, transposed;
  double operations() const { return 2.0 * static_cast<double>(rows * width * classes); }
};
std::ostream& operator<<(std::ostream& o, const LossSpec& s) {
  return o << s.rows << 'x' << s.width << 'x' << s.classes << " tile " << s.tile << " smoothing " << s.smoothing
           << (s.biased ? " bias" : "") << (s.transposed ? " transposed" : "");
}

struct LossInputs {
  LossInput in;
  Tensor tile, loss, nll;
};

Tensor weight(CaseData& d, const LossSpec& s) {
  return s.transposed ? d.normal({s.classes, s.width}, 0.3) : d.normal({s.width, s.classes}, 0.3);
}
Tensor view(const LossSpec& s, Tensor w) { return s.transposed ? w.transposed() : w; }

LossInputs loss_inputs(CaseData& d, const LossSpec& s) {
  LossInput in;
  in.x = d.normal({s.rows, s.width});
  in.w = view(s, weight(d, s));
  if (s.biased) in.b = d.normal({s.classes});
  in.labels = d.ids({s.rows}, s.classes);
  in.smoothing = s.smoothing;
  in.scale = 0.7;
  return {in, d.constant({s.tile, s.classes}, 0), d.result("loss", {s.rows}, 1), d.result("nll", {s.rows}, 1)};
}

void add_loss(std::vector<OpCase>& cases, const LossSpec& s) {
  cases.push_back({"cross_entropy", cat("cross_entropy ", s),
                   [=](Backend& b, CaseData& d) -> Call {
                     return [&b, i = loss_inputs(d, s)] { b.cross_entropy(i.in, i.tile, i.loss, i.nll); };
                   },
                   s.operations()});
  cases.push_back({"cross_entropy_with_gradient", cat("cross_entropy_with_gradient ", s),
                   [=](Backend& b, CaseData& d) -> Call {
                     const Tensor db = s.biased ? d.changed("db", d.normal({s.classes})) : Tensor();
                     return [&b, db, i = loss_inputs(d, s), dx = d.result("dx", {s.rows, s.width}, 0.3),
                             dw = view(s, d.changed("dw", weight(d, s)))] {
                       b.cross_entropy_with_gradient(i.in, i.tile, i.loss, i.nll, dx, dw, db);
                     };
                   },
                   3 * s.operations()});
  cases.push_back({"cross_entropy_with_gradient", cat("cross_entropy_with_gradient ", s, " frozen"),
                   [=](Backend& b, CaseData& d) -> Call {
                     return [&b, i = loss_inputs(d, s), dx = d.result("dx", {s.rows, s.width}, 0.3)] {
                       b.cross_entropy_with_gradient(i.in, i.tile, i.loss, i.nll, dx, {}, {});
                     };
                   },
                   2 * s.operations()});
}

void add_log_softmax(std::vector<OpCase>& cases, Shape s) {
  const auto add = [&](const std::string& variant, auto x) {
    cases.push_back({"log_softmax", cat("log_softmax ", s, variant), [=](Backend& b, CaseData& d) -> Call {
                       return [&b, in = x(d, s), y = d.result("y", s, 1)] { b.log_softmax(in, y); };
                     }});
  };
  add("", [](CaseData& d, Shape t) { return d.normal(t, 3); });
  add(" large", [](CaseData& d, Shape t) { return d.normal(t, 1000); });
  cases.push_back({"log_softmax", cat("log_softmax ", s, " in place"), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, y = d.changed("y", d.normal(s), 1)] { b.log_softmax(y, y); };
                   }});
}

void add_top(std::vector<OpCase>& cases, Shape s, int64_t k) {
  const auto add = [&](const std::string& variant, auto x) {
    cases.push_back(
        {"log_softmax_top", cat("log_softmax_top ", k, " of ", s, variant), [=](Backend& b, CaseData& d) -> Call {
           return [=, &b, in = x(d, s), scores = d.result("scores", {s[0], k}, 1),
                   ids = d.result("ids", {s[0], k}, DType::i32)] { b.log_softmax_top(in, k, scores, ids); };
         }});
  };
  add("", [](CaseData& d, Shape t) { return d.normal(t, 3); });
  add(" with equals", [](CaseData& d, Shape t) { return d.coarse(t); });
  add(" all equal", [](CaseData& d, Shape t) { return d.constant(t, -2); });
}

}  // namespace

void add_loss_cases(std::vector<OpCase>& cases) {
  for (const double smoothing : {0.0, 0.1})
    for (const bool biased : {false, true})
      for (const bool transposed : {false, true}) {
        add_loss(cases, {1, 1, 1, 1, smoothing, biased, transposed});
        add_loss(cases, {7, 5, 17, 3, smoothing, biased, transposed});
        add_loss(cases, {33, 16, 1000, 32, smoothing, biased, transposed});
        add_loss(cases, {5, 65, 10007, 5, smoothing, biased, transposed});
      }
  add_loss(cases, {300, 64, 1000, 256, 0.1, false, true});
  for (const Shape& s : {Shape{1, 1}, Shape{7, 2}, Shape{3, 7}, Shape{5, 16}, Shape{9, 17}, Shape{33, 70},
                         Shape{2, 1000}, Shape{3, 10007}}) {
    add_log_softmax(cases, s);
    for (const int64_t k : {1, 4, 5, 13})
      if (k <= s[1]) add_top(cases, s, k);
  }
}

}  // namespace hexapla
