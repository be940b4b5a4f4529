#include "lib/program/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <limits>

#include "backend/cases.h"
#include "backend/cpu/cpu.h"
#include "backend/device/device.h"
#include "backend/opencl/opencl.h"
#include "backend/reference/reference.h"
#include "base/classic.h"
#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/system/machine.h"
#include "model/checks/gradient_check.h"
#include "model/transformer.h"

namespace hexapla::api {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

// ", 2.2 GiB available", with caches that the system would give away; "": it does not say.
std::string available() {
  Classic<std::ifstream> file("/proc/meminfo");
  std::string name;
  for (double kib = 0; file >> name >> kib; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (name == "MemAvailable:") return fmt::format(", {:.1f} GiB available", kib * 1024 / kGib);
  return "";
}

std::string memory() {
  const std::string limit = what_limits_memory();
  return fmt::format(
      "{:.1f} GiB{}{}", double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)) / kGib, available(),
      limit.empty() ? ""
                    : fmt::format("; this process may have {:.1f} GiB ({})", double(usable_memory()) / kGib, limit));
}

// Checks the gradients of a small model with every layer of the paper by finite differences.
model::GradientReport gradient_check() {
  model::Config c;
  c.source_vocab = c.target_vocab = 11;
  c.enc_layers = c.dec_layers = 2;
  c.d_model = 6;
  c.d_ff = 8;
  c.heads = 2;
  c.resolve();
  model::Transformer model(c);
  model::Parameters parameters(model, DType::f64, model::Parameters::Use::training);
  model::initialize(model, 1);
  auto backend = make_reference_backend();
  Arena arena(size_t{16} << 20);
  Context cx{*backend, arena, DType::f64};
  cx.training = true;  // with dropout: its masks depend on names alone, so they stay the same
  const std::vector<int32_t> source{3, 4, 2, 6, 2}, source_rows{0, 3, 5}, in{1, 9, 10, 1}, out{9, 10, 2, 2},
      rows{0, 3, 4};
  model::Transformer::Saved saved;
  const model::BatchView batch{source, in, out, source_rows, rows};
  model.loss_and_gradient(cx, batch, 0.1, 1, saved);
  return model::check_gradients(model::checked_parameters(model), [&] {
    arena.clear();
    return model.loss(cx, batch, 0.1, saved).loss;
  });
}

struct KernelReport {
  double worst = 0;
  std::string where;
  size_t cases = 0, refused = 0;  // refused: calls that the device does not have
};
KernelReport kernel_check(Backend& backend) {
  KernelReport report;
  auto reference = make_reference_backend();
  for (const OpCase& c : op_cases()) {
    if (c.operations > 1e7) continue;  // the tests run these, too; here they would take most of the time
    try {
      const double error = worst_relative_error(c, backend, *reference);
      ++report.cases;
      if (!(error <= report.worst)) report.worst = error, report.where = c.name;
    } catch (const UsageError&) {
      ++report.refused;
    }
  }
  return report;
}

void tell_opencl(const std::function<void(const std::string& key, const std::string& value)>& tell) {
  std::string why;
  const std::vector<std::string> devices = opencl_devices(why);
  if (devices.empty()) tell("opencl", "none: " + why);
  for (size_t i = 0; i < devices.size(); ++i) tell(cat("opencl:", i), devices[i]);
}

}  // namespace

bool check_machine(const std::string& device,
                   const std::function<void(const std::string& key, const std::string& value)>& tell) {
  const auto start = std::chrono::steady_clock::now();
  bool well = true;
  const auto verdict = [&](const std::string& key, bool ok, const std::string& value) {
    well = well && ok;
    tell(key, (ok ? "OK    " : "FAIL  ") + value);
  };
  const auto chosen = make_backend(Precision::f32, device);
  auto backend = make_cpu_backend();
  tell("hexapla", fmt::format("{}{}{}, {}, {}", build().version, build().commit.empty() ? "" : " of ", build().commit,
                              build().compiler, build().type));
  tell("processor", processor_name());
  tell("instruction set", fmt::format("{} (best here: {})", backend->name(), name_of(best_isa())));
  tell("products", product_implementation(*backend));
  tell("training", fmt::format("products in {} (train --precision auto)", name_of(parse_precision("auto"))));
  tell("threads", fmt::format("{}", threads()));
  tell("memory", memory());
  tell_opencl(tell);
  const model::GradientReport g = gradient_check();
  verdict("gradients", g.worst <= 1e-7,
          fmt::format("{} derivatives, worst relative error {:.1e} (at most 1e-07){}", g.checked, g.worst,
                      g.worst <= 1e-7 ? "" : " at " + g.where));
  const KernelReport k = kernel_check(*chosen);
  verdict("kernels", k.worst <= 1e-5,
          fmt::format("{} cases on {}, worst relative error {:.1e} (at most 1e-05), {}{}", k.cases, chosen->name(),
                      k.worst, k.where, k.refused ? cat("; ", k.refused, " more that it does not have") : ""));
  tell("time", fmt::format("{:.1f} s", seconds_since(start)));
  return well;
}

}  // namespace hexapla::api
