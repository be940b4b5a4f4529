// hexapla doctor: describes this machine and checks whether hexapla computes correctly on it.
#include <fmt/format.h>

#include <iostream>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "cli/options/search_options.h"
#include "lib/program/doctor.h"

namespace hexapla::cli {
namespace {

struct Doctor {
  std::string device = "cpu";
  int threads = 0;

  int run() const {
    use_threads(threads);
    const bool well = api::check_machine(device, [](const std::string& key, const std::string& value) {
      std::cout << fmt::format("{:<16} {}\n", key, value) << std::flush;
    });
    if (!well)
      std::cerr << "hexapla: error: this machine computes wrong results. "
                << (device == "cpu" ? "Set HEXAPLA_ISA=generic to use the plainest kernels"
                                    : "Compute without --device")
                << ", and report the lines above.\n";
    return well ? 0 : 1;
  }
};

}  // namespace

void add_doctor(Command& app, Action& chosen) {
  auto doctor = std::make_shared<Doctor>();
  Command* c = app.add_command("doctor", "check this machine: instruction set, kernels, derivatives");
  bind_device(*c, doctor->device);
  c->add_option("--threads", doctor->threads, ranges::kThreads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->footer(
      "Examples:\n"
      "  hexapla doctor\n"
      "  hexapla doctor --device opencl        checks the kernels of a GPU\n"
      "  HEXAPLA_ISA=avx2 hexapla doctor       with a lower instruction set: generic, avx2, avx512, amx;\n"
      "                                        on Arm: generic, neon, dotprod, i8mm");
  c->callback([doctor, &chosen] { chosen = [doctor] { return doctor->run(); }; });
}

}  // namespace hexapla::cli
