// Cases of element-wise ops, row ops without products, and the optimizer.
#include <cmath>

#include "backend/cases.h"

namespace hexapla {
namespace {

using Call = std::function<void()>;

const Shape kMatrices[] = {{1, 1}, {1, 7}, {7, 1}, {3, 5}, {9, 16}, {5, 70}, {33, 65}, {4, 127}, {3, 300}, {300, 512}};

struct Named {
  Activation f;
  const char* name;
};
constexpr Named kActivations[] = {{Activation::relu, "relu"},
                                  {Activation::gelu, "gelu"},
                                  {Activation::swish, "swish"},
                                  {Activation::gelu_tanh, "gelu_tanh"}};

void add_arithmetic(std::vector<OpCase>& cases, Shape s) {
  cases.push_back({"fill", cat("fill ", s),
                   [=](Backend& b, CaseData& d) -> Call { return [&b, x = d.result("x", s)] { b.fill(x, 0.3); }; }});
  cases.push_back({"add", cat("add ", s), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, x = d.normal(s), z = d.normal(s), y = d.result("y", s)] { b.add(x, z, y); };
                   }});
  cases.push_back({"add", cat("add ", s, " in place"), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, x = d.normal(s), y = d.changed("y", d.normal(s))] { b.add(y, x, y); };
                   }});
  cases.push_back({"combine", cat("combine ", s), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, x = d.normal(s), y = d.changed("y", d.normal(s))] { b.combine(0.7, x, -0.4, y); };
                   }});
  cases.push_back({"combine", cat("combine ", s, " over NaN"), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, x = d.normal(s), y = d.result("y", s)] { b.combine(-1.5, x, 0, y); };
                   }});
  cases.push_back({"multiply", cat("multiply ", s), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, x = d.normal(s), z = d.normal(s), y = d.result("y", s)] { b.multiply(x, z, y); };
                   }});
}

void add_activation(std::vector<OpCase>& cases, Shape s, Named a) {
  cases.push_back({"activate", cat("activate ", a.name, " ", s), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, f = a.f, x = d.normal(s, 3), y = d.result("y", s)] { b.activate(f, x, y); };
                   }});
  cases.push_back({"activate", cat("activate ", a.name, " ", s, " in place"), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, f = a.f, x = d.changed("x", d.normal(s, 3))] { b.activate(f, x, x); };
                   }});
  cases.push_back(
      {"activate_backward", cat("activate_backward ", a.name, " ", s), [=](Backend& b, CaseData& d) -> Call {
         return [&b, f = a.f, x = d.normal(s, 3), dy = d.normal(s), dx = d.result("dx", s)] {
           b.activate_backward(f, x, dy, dx);
         };
       }});
  cases.push_back({"activate_backward", cat("activate_backward ", a.name, " ", s, " in place"),
                   [=](Backend& b, CaseData& d) -> Call {
                     return [&b, f = a.f, x = d.normal(s, 3), dx = d.changed("dx", d.normal(s))] {
                       b.activate_backward(f, x, dx, dx);
                     };
                   }});
}

void add_dropped_activation(std::vector<OpCase>& cases, Shape s, Named a) {
  const DropoutMask mask{0x123456789ABCDEFu, 7, 3, 0.3f};
  cases.push_back({"activate_dropped", cat("activate_dropped ", a.name, " ", s), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, mask, f = a.f, x = d.normal(s, 3), y = d.result("y", s)] {
                       b.activate_dropped(f, x, mask, y);
                     };
                   }});
  cases.push_back({"activate_dropped_backward", cat("activate_dropped_backward ", a.name, " ", s, " in place"),
                   [=](Backend& b, CaseData& d) -> Call {
                     return [&b, mask, f = a.f, x = d.normal(s, 3), y = d.result("y", s),
                             dx = d.changed("dx", d.normal(s))] {
                       b.activate_dropped(f, x, mask, y);
                       b.activate_dropped_backward(f, f == Activation::relu ? y : x, dx, mask, dx);
                     };
                   }});
}

// Values so large that a careless exp overflows: the result is 0 or x, never NaN.
void add_extremes(std::vector<OpCase>& cases, Named a, double x) {
  const Shape s{1, 19};
  cases.push_back({"activate", cat("activate ", a.name, " of ", x), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, f = a.f, in = d.constant(s, x), y = d.result("y", s, 1)] { b.activate(f, in, y); };
                   }});
  cases.push_back(
      {"activate_backward", cat("activate_backward ", a.name, " of ", x), [=](Backend& b, CaseData& d) -> Call {
         return [&b, f = a.f, in = d.constant(s, x), dy = d.normal(s), dx = d.result("dx", s, 1)] {
           b.activate_backward(f, in, dy, dx);
         };
       }});
}

void add_dropout(std::vector<OpCase>& cases, Shape s, float p) {
  const DropoutMask mask{0x123456789ABCDEFu, 7, 3, p};
  cases.push_back({"dropout", cat("dropout ", s, " p ", p), [=](Backend& b, CaseData& d) -> Call {
                     return [=, &b, x = d.normal(s), y = d.result("y", s)] { b.dropout(x, mask, y); };
                   }});
  cases.push_back({"dropout", cat("dropout ", s, " p ", p, " in place"), [=](Backend& b, CaseData& d) -> Call {
                     return [=, &b, x = d.changed("x", d.normal(s))] { b.dropout(x, mask, x); };
                   }});
}

// Few words and many rows: ids repeat, so their gradients must be summed.
void add_embedding(std::vector<OpCase>& cases, int64_t words, int64_t rows, int64_t width) {
  const Shape table{words, width}, out{rows, width}, n{rows};
  const double scale = std::sqrt(static_cast<double>(width));
  const std::string shape = cat(rows, " of ", words, "x", width);
  for (const Write how : {Write::set, Write::add})
    cases.push_back(
        {"embed", cat("embed ", shape, how == Write::add ? " added" : ""), [=](Backend& b, CaseData& d) -> Call {
           const Tensor y = how == Write::add ? d.changed("y", d.normal(out)) : d.result("y", out);
           return [=, &b, t = d.normal(table), ids = d.ids(n, words)] { b.embed(t, ids, scale, how, y); };
         }});
  cases.push_back({"embed_backward", cat("embed_backward ", shape), [=](Backend& b, CaseData& d) -> Call {
                     return [=, &b, dy = d.normal(out), ids = d.ids(n, words),
                             dt = d.changed("dtable", d.normal(table))] { b.embed_backward(dy, ids, scale, dt); };
                   }});
}

// Every other row, the last one first.
void add_put_rows(std::vector<OpCase>& cases, int64_t rows, int64_t width) {
  cases.push_back({"put_rows", cat("put_rows ", rows, "x", width), [=](Backend& b, CaseData& d) -> Call {
                     std::vector<int32_t> indices;
                     for (int64_t n = rows; n-- > 0;) indices.push_back(static_cast<int32_t>(2 * n));
                     return [&b, x = d.strided({rows, width}), ids = d.integers(indices),
                             y = d.changed("y", d.normal({2 * rows, width}))] { b.put_rows(x, ids, y); };
                   }});
}

void add_adam(std::vector<OpCase>& cases, int64_t n, int64_t step, double weight_decay) {
  const Shape s{n};
  const AdamStep how{0.1, 0.9, 0.98, 1e-9, step, 0.5, weight_decay};
  cases.push_back(
      {"adam", cat("adam ", n, " step ", step, " decay ", weight_decay), [=](Backend& b, CaseData& d) -> Call {
         return [=, &b, p = d.changed("p", d.normal(s, 0.1)), g = d.normal(s), m = d.changed("m", d.normal(s, 0.1)),
                 v = d.changed("v", d.positive(s))] { b.adam(p, g, m, v, how); };
       }});
}

}  // namespace

void add_elementwise_cases(std::vector<OpCase>& cases) {
  for (const Shape& s : kMatrices) add_arithmetic(cases, s);
  for (const Named& a : kActivations) {
    for (const Shape& s : kMatrices) add_activation(cases, s, a), add_dropped_activation(cases, s, a);
    for (const double x : {-1e4, -90.0, -20.0, 0.0, 20.0, 90.0, 1e4}) add_extremes(cases, a, x);
  }
  for (const Shape& s : kMatrices)
    for (const float p : {0.1f, 0.5f}) add_dropout(cases, s, p);
  add_embedding(cases, 1, 1, 1);
  add_embedding(cases, 2, 7, 127);
  add_embedding(cases, 3, 50, 17);
  add_embedding(cases, 1000, 33, 65);
  add_embedding(cases, 1000, 300, 512);
  for (const int64_t rows : {1, 5, 70})
    for (const int64_t width : {1, 17, 512}) add_put_rows(cases, rows, width);
  for (const Shape& s : {Shape{1, 1}, Shape{1, 2}, Shape{70, 65}, Shape{33, 16}, Shape{1000, 64}, Shape{300, 512}})
    for (const Sinusoids kind : {Sinusoids::interleaved, Sinusoids::halves, Sinusoids::timing_signal})
      cases.push_back(
          {"sinusoids", cat("sinusoids ", static_cast<int>(kind), " ", s), [=](Backend& b, CaseData& d) -> Call {
             return [=, &b, t = d.result("table", s)] { b.sinusoids(kind, t); };
           }});
  for (const int64_t n : {1, 7, 33, 1000, 100003}) {
    for (const int64_t step : {1, 2, 1000}) add_adam(cases, n, step, step == 2 ? 0.3 : 0);
    cases.push_back({"sum_of_squares", cat("sum_of_squares ", n), [=](Backend& b, CaseData& d) -> Call {
                       const Tensor sum = d.result("sum", {1}, DType::f64);
                       return [=, &b, x = d.normal({n})] {
                         const double found = b.sum_of_squares(x);
                         b.copy_to_device(&found, sum.bytes, sizeof found);
                       };
                     }});
  }
}

}  // namespace hexapla
