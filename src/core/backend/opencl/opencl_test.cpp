// Compares every case of the table with the reference, on every OpenCL device of this machine.
#include "backend/opencl/opencl.h"

#include <gtest/gtest.h>

#include <set>

#include "backend/cases.h"
#include "backend/on_host.h"
#include "backend/opencl/test_devices.h"
#include "backend/reference/reference.h"

namespace hexapla {
namespace {

TEST(OpenclNames, AreParsed) {
  for (const char* wrong : {"opencl:", "opencl:x", "opencl:1x", "opencl:-1", "opencl1", "opencl:99999999999", "gpu"})
    EXPECT_THROW(make_opencl_backend(wrong), UsageError) << wrong;
}

// Without the plugin, or without a device, there is a reason.
TEST(OpenclNames, EveryDeviceHasOneOrThereIsAReason) {
  std::string why;
  const std::vector<std::string> devices = opencl_devices(why);
  if (devices.empty()) {
    EXPECT_FALSE(why.empty());
    EXPECT_THROW(make_opencl_backend(), UsageError);
  } else {
    EXPECT_EQ(make_opencl_backend()->name(), cat("opencl (", devices[0].substr(0, devices[0].rfind(" (")), ")"));
  }
}

// Calls that a GPU does not have: they are refused by name.
const std::set<std::string> kRefused = {"additive_attention", "additive_attention_backward", "additive_attention_step"};

class Opencl : public opencl::DeviceTest {
 protected:
  void expect_reference(DType type, double most) {
    if (!backend().supports(type)) GTEST_SKIP() << backend().name() << " has no " << name_of(type);
    const auto reference = make_reference_backend();
    for (const OpCase& c : op_cases()) {
      if (kRefused.contains(c.op)) continue;
      EXPECT_LE(worst_relative_error(c, backend(), *reference, type, type), most) << c.name;
    }
  }
};

TEST_F(Opencl, EqualsTheReferenceInF32) { expect_reference(DType::f32, 1e-5); }
TEST_F(Opencl, EqualsTheReferenceInF64) { expect_reference(DType::f64, 1e-13); }

std::string bytes_of(const OpCase& c, Backend& backend, DType type) {
  CaseData data(type, 7, &backend);
  c.prepare(backend, data)();
  std::string all;
  for (const auto& r : data.results()) {
    const OnHost value(backend, r.value);
    all.append(reinterpret_cast<const char*>(value->bytes), static_cast<size_t>(value->size()) * size_of(value->dtype));
  }
  return all;
}

// So long that the sum over the rows is made of parts.
TEST_F(Opencl, AddsGradientsOfWeightsInParts) {
  const auto reference = make_reference_backend();
  for (const bool turned : {false, true}) {
    const OpCase c{"linear_backward_weight", "long", [=](Backend& b, CaseData& d) -> std::function<void()> {
                     const Tensor x = d.strided({2100, 48}), dy = d.normal({2100, 65});
                     const Tensor dw = d.changed("dw", d.normal(turned ? Shape{65, 48} : Shape{48, 65}));
                     return [=, &b] { b.linear_backward_weight(x, dy, turned ? dw.transposed() : dw, {}); };
                   }};
    EXPECT_LE(worst_relative_error(c, backend(), *reference), 1e-5) << turned;
    EXPECT_TRUE(bytes_of(c, backend(), DType::f32) == bytes_of(c, backend(), DType::f32)) << turned;
  }
}

TEST_F(Opencl, GivesTheSameBitsTwice) {
  for (const OpCase& c : op_cases()) {
    if (kRefused.contains(c.op)) continue;
    EXPECT_TRUE(bytes_of(c, backend(), DType::f32) == bytes_of(c, backend(), DType::f32)) << c.name;
  }
}

TEST_F(Opencl, RefusesWhatItHasNot) {
  for (const OpCase& c : op_cases()) {
    if (!kRefused.contains(c.op)) continue;
    CaseData data(DType::f32, 7, &backend());
    EXPECT_THROW(c.prepare(backend(), data)(), UsageError) << c.name;
  }
  EXPECT_THROW(backend().pack_quantized({}, {}), UsageError);
}

TEST_F(Opencl, MasksAreThoseOfTheCpu) {
  const auto reference = make_reference_backend();
  for (const OpCase& c : op_cases()) {
    if (c.op != "dropout") continue;
    const std::string a = bytes_of(c, backend(), DType::f32), b = bytes_of(c, *reference, DType::f32);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); i += sizeof(float)) {
      const std::string zero(sizeof(float), '\0');
      EXPECT_EQ(a.compare(i, sizeof(float), zero) == 0, b.compare(i, sizeof(float), zero) == 0) << c.name << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace hexapla
