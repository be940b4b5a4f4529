// Cases of products with weights and of the norms.
#include <cmath>

#include "backend/cases.h"

namespace hexapla {
namespace {

using Call = std::function<void()>;

struct ProductShape {
  int64_t rows, in, out;
  double operations() const { return 2.0 * static_cast<double>(rows * in * out); }
};
std::ostream& operator<<(std::ostream& o, const ProductShape& s) { return o << s.rows << 'x' << s.in << 'x' << s.out; }

// [in, out] as stored, or a view of [out, in].
using StoredWeight = Tensor (*)(CaseData&, const ProductShape&);
Tensor plain(CaseData& d, const ProductShape& s) {
  return d.normal({s.in, s.out}, 1 / std::sqrt(static_cast<double>(s.in)));
}
Tensor transposed(CaseData& d, const ProductShape& s) {
  return d.normal({s.out, s.in}, 1 / std::sqrt(static_cast<double>(s.in)));
}
struct Layout {
  const char* name;
  StoredWeight stored;
  Tensor (*view)(Tensor);
};
const Layout kLayouts[] = {{"", plain, [](Tensor w) { return w; }},
                           {" transposed", transposed, [](Tensor w) { return w.transposed(); }}};

void add_linear(std::vector<OpCase>& cases, ProductShape s, const Layout& l) {
  const Shape x{s.rows, s.in}, y{s.rows, s.out};
  const auto add = [&](const std::string& variant, auto prepare) {
    cases.push_back({"linear", cat("linear ", s, l.name, variant), prepare, s.operations()});
  };
  add("", [=](Backend& b, CaseData& d) -> Call {
    return [&b, in = d.normal(x), w = l.view(l.stored(d, s)), bias = d.normal({s.out}), out = d.result("y", y)] {
      b.linear(in, w, bias, out);
    };
  });
  add(" no bias", [=](Backend& b, CaseData& d) -> Call {
    return [&b, in = d.normal(x), w = l.view(l.stored(d, s)), out = d.result("y", y)] { b.linear(in, w, {}, out); };
  });
  add(" strided", [=](Backend& b, CaseData& d) -> Call {
    return [&b, in = d.strided(x), w = l.view(l.stored(d, s)), bias = d.normal({s.out}), out = d.result("y", y)] {
      b.linear(in, w, bias, out);
    };
  });
}

// Two sequences: a long list of columns for all rows but one, and a short list for the last.
struct Selected {
  std::vector<int8_t> integers;
  std::vector<float> scales;
  std::vector<int32_t> first, second;
  std::vector<std::span<const int32_t>> lists;
  explicit Selected(const ProductShape& s) : second{static_cast<int32_t>(s.out - 1)} {
    for (int64_t i = 0; i < s.out * s.in; ++i) integers.push_back(static_cast<int8_t>(7 * i % 255));
    for (int64_t i = 0; i < s.out; ++i) scales.push_back(1e-3F * static_cast<float>(1 + i % 3));
    for (int64_t i = 0; i < s.out; i += 2) first.push_back(static_cast<int32_t>(i));
    lists = {first, second};
  }
};

void add_selected(std::vector<OpCase>& cases, ProductShape s) {
  const auto add = [&](const std::string& variant, bool biased, bool quantized) {
    cases.push_back(
        {"linear_selected", cat("linear_selected ", s, variant), [=](Backend& b, CaseData& d) -> Call {
           const auto some = std::make_shared<const Selected>(s);
           const Tensor x = d.strided({s.rows, s.in}), y = d.result("y", {s.rows, (s.out + 1) / 2});
           OutputTable of{.w = transposed(d, s).transposed()};
           if (biased) of.bias = d.normal({s.out});
           if (quantized) {
             of.integers = d.copy(some->integers, {s.out, s.in});
             of.scales = d.copy(some->scales, {s.out});
           }
           return [=, &b, rows = d.offsets({s.rows - 1, 1})] { b.linear_selected(x, of, {rows, some->lists}, y); };
         }});
  };
  add("", true, false);
  add(" no bias", false, false);
  add(" of integers", true, true);
}

void add_input_gradient(std::vector<OpCase>& cases, ProductShape s, const Layout& l) {
  const Shape x{s.rows, s.in}, y{s.rows, s.out};
  for (const Write how : {Write::set, Write::add})
    cases.push_back(
        {"linear_backward_input", cat("linear_backward_input ", s, l.name, how == Write::add ? " added" : ""),
         [=](Backend& b, CaseData& d) -> Call {
           const Tensor dx = how == Write::add ? d.changed("dx", d.normal(x)) : d.result("dx", x);
           return [=, &b, dy = d.normal(y), w = l.view(l.stored(d, s))] { b.linear_backward_input(dy, w, dx, how); };
         },
         s.operations()});
}

void add_weight_gradient(std::vector<OpCase>& cases, ProductShape s, const Layout& l) {
  const Shape x{s.rows, s.in}, y{s.rows, s.out};
  const auto add = [&](const std::string& variant, auto prepare) {
    cases.push_back(
        {"linear_backward_weight", cat("linear_backward_weight ", s, l.name, variant), prepare, s.operations()});
  };
  add("", [=](Backend& b, CaseData& d) -> Call {
    return [&b, in = d.normal(x), dy = d.normal(y), dw = l.view(d.changed("dw", l.stored(d, s))),
            db = d.changed("db", d.normal({s.out}))] { b.linear_backward_weight(in, dy, dw, db); };
  });
  add(" no bias, strided", [=](Backend& b, CaseData& d) -> Call {
    return [&b, in = d.strided(x), dy = d.normal(y), dw = l.view(d.changed("dw", l.stored(d, s)))] {
      b.linear_backward_weight(in, dy, dw, {});
    };
  });
}

void add_norms(std::vector<OpCase>& cases, Shape s) {
  const Shape width{s[1]};
  for (const char* variant : {"", " no residual"}) {
    const auto residual = [=](CaseData& d) { return *variant ? Tensor() : d.normal(s); };
    cases.push_back({"add_norm", cat("add_norm ", s, variant), [=](Backend& b, CaseData& d) -> Call {
                       return [&b, x = d.normal(s, 2), r = residual(d), g = d.positive(width), c = d.normal(width),
                               y = d.result("y", s, 1), h = d.result("normed", s, 1),
                               rstd = d.result("rstd", {s[0]})] { b.add_norm(x, r, g, c, 1e-5, y, h, rstd); };
                     }});
    cases.push_back({"batch_norm", cat("batch_norm ", s, variant), [=](Backend& b, CaseData& d) -> Call {
                       return [&b, x = d.normal(s, 2), r = residual(d), g = d.positive(width), c = d.normal(width),
                               y = d.result("y", s, 1), h = d.result("normed", s, 1), rstd = d.result("rstd", width),
                               mean = d.result("mean", width, 1), v = d.result("variance", width, 1)] {
                         b.batch_norm(x, r, g, c, 1e-3, y, h, rstd, mean, v);
                       };
                     }});
    cases.push_back(
        {"batch_norm_inference", cat("batch_norm_inference ", s, variant), [=](Backend& b, CaseData& d) -> Call {
           return [&b, x = d.normal(s, 2), r = residual(d), g = d.positive(width), c = d.normal(width),
                   mean = d.normal(width), v = d.positive(width),
                   y = d.result("y", s, 1)] { b.batch_norm_inference(x, r, g, c, 1e-5, mean, v, y); };
         }});
  }
}

// normed and rstd are arbitrary: the gradient is linear in them and must hold for any values.
void add_norm_gradients(std::vector<OpCase>& cases, Shape s) {
  const Shape width{s[1]};
  cases.push_back({"add_norm_backward", cat("add_norm_backward ", s), [=](Backend& b, CaseData& d) -> Call {
                     return [&b, h = d.normal(s), rstd = d.positive({s[0]}), g = d.positive(width),
                             dx = d.changed("d", d.normal(s), 1), dg = d.changed("dgain", d.normal(width)),
                             db = d.changed("dbias", d.normal(width))] { b.add_norm_backward(h, rstd, g, dx, dg, db); };
                   }});
  cases.push_back({"batch_norm_backward", cat("batch_norm_backward ", s), [=](Backend& b, CaseData& d) -> Call {
                     return
                         [&b, h = d.normal(s), rstd = d.positive(width), g = d.positive(width),
                          dx = d.changed("d", d.normal(s), 1), dg = d.changed("dgain", d.normal(width)),
                          db = d.changed("dbias", d.normal(width))] { b.batch_norm_backward(h, rstd, g, dx, dg, db); };
                   }});
}

void add_dropped_norms(std::vector<OpCase>& cases, Shape s) {
  const Shape width{s[1]};
  const DropoutMask mask{0x123456789ABCDEFu, 7, 3, 0.3f};
  cases.push_back({"add_norm_dropped", cat("add_norm_dropped ", s), [=](Backend& b, CaseData& d) -> Call {
                     return [=, &b, x = d.normal(s, 2), r = d.normal(s), g = d.positive(width), c = d.normal(width),
                             y = d.result("y", s, 1), h = d.result("normed", s, 1), rstd = d.result("rstd", {s[0]})] {
                       b.add_norm_dropped(x, r, mask, g, c, 1e-5, y, h, rstd);
                     };
                   }});
  cases.push_back(
      {"add_norm_dropped_backward", cat("add_norm_dropped_backward ", s), [=](Backend& b, CaseData& d) -> Call {
         return [=, &b, h = d.normal(s), rstd = d.positive({s[0]}), g = d.positive(width),
                 dx = d.changed("d", d.normal(s), 1), dr = d.result("dr", s, 1),
                 dg = d.changed("dgain", d.normal(width)), db = d.changed("dbias", d.normal(width))] {
           b.add_norm_dropped_backward(h, rstd, g, mask, dx, dr, dg, db);
         };
       }});
}

}  // namespace

void add_product_cases(std::vector<OpCase>& cases) {
  std::vector<ProductShape> shapes = {{1, 1, 1},     {1, 7, 5},    {7, 1, 3},    {5, 3, 1},
                                      {7, 33, 65},   {16, 16, 16}, {70, 65, 33}, {1, 512, 64},
                                      {33, 64, 192}, {2, 5, 1003}, {257, 3, 2},  {300, 128, 512}};
  for (const int64_t w : {1, 2, 3, 4, 7, 8, 9, 15, 17, 24, 31, 32, 47, 48, 63, 64, 70})
    shapes.push_back({3 + w % 5, w, 71 - w});
  for (const ProductShape& s : shapes) {
    for (const Layout& l : kLayouts) {
      add_linear(cases, s, l);
      add_input_gradient(cases, s, l);
      add_weight_gradient(cases, s, l);
    }
    add_selected(cases, s);
  }
}

void add_norm_cases(std::vector<OpCase>& cases) {
  for (const Shape& s : {Shape{1, 1}, Shape{1, 70}, Shape{7, 1}, Shape{5, 3}, Shape{3, 16}, Shape{13, 17},
                         Shape{33, 64}, Shape{9, 65}, Shape{4, 127}, Shape{257, 7}, Shape{300, 512}}) {
    add_norms(cases, s);
    add_norm_gradients(cases, s);
    add_dropped_norms(cases, s);
  }
}

}  // namespace hexapla
