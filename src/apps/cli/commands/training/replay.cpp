// hexapla replay: repeats the training step at which a run failed, op by op.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <numeric>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "cli/options/search_options.h"
#include "cli/terminal/terminal.h"
#include "lib/display.h"
#include "lib/training/replay.h"

namespace hexapla::cli {
namespace {

constexpr size_t kShownBefore = 12;  // outputs before the first bad one
constexpr size_t kShownLargest = 12;

std::string table_head() {
  return fmt::format("{:>6}  {:<44} {:<28} {:<7} {:>13} {:>11}  {}\n", "output", "place", "op", "name", "shape",
                     "largest", "bad values");
}

std::string table_row(size_t number, const OpOutput& o) {
  std::string faults;
  if (o.found.nan) faults += fmt::format("{} NaN ", o.found.nan);
  if (o.found.infinite) faults += fmt::format("{} infinite ", o.found.infinite);
  if (!faults.empty()) faults += fmt::format("of {}", o.found.values);
  return fmt::format("{:>6}  {:<44} {:<28} {:<7} {:>13} {:>11.4g}  {}\n", number, o.scope, o.op, o.output, cat(o.shape),
                     o.found.largest, faults);
}

// The indices into `outputs` of those with the largest values, the largest first.
std::vector<size_t> largest_outputs(const std::vector<OpOutput>& outputs) {
  std::vector<size_t> indices(outputs.size());
  std::iota(indices.begin(), indices.end(), size_t{0});
  std::stable_sort(indices.begin(), indices.end(),
                   [&](size_t a, size_t b) { return outputs[a].found.largest > outputs[b].found.largest; });
  indices.resize(std::min(indices.size(), kShownLargest));
  return indices;
}

struct Replay {
  std::string path;
  std::string precision, device = "cpu";
  bool all = false;
  int threads = 0;

  int run() const {
    use_threads(threads);
    const api::Replayed replayed = api::replay(path, precision, device);
    const train::StepFindings& f = replayed.found;
    std::cout << "was      " << text::printable(replayed.reason) << "\n"
              << "pairs    " << replayed.lines << " of the training sets\n"
              << "found    " << f.text() << "\n"
              << fmt::format("loss     {:.9g} per token, gradient norm {:.9g}\n\n",
                             f.loss.loss / static_cast<double>(std::max<int64_t>(f.loss.tokens, 1)), f.gradient_norm)
              << table(f) << std::flush;
    return 0;
  }

 private:
  std::string table(const train::StepFindings& f) const {
    std::string text = table_head();
    if (!all && !f.bad()) {
      for (const size_t i : largest_outputs(f.outputs)) text += table_row(i, f.outputs[i]);
      return text + "(the largest; --all shows every output)\n";
    }
    const size_t from = all || f.first_bad < kShownBefore ? 0 : f.first_bad - kShownBefore;
    const size_t to = all ? f.outputs.size() : std::min(f.first_bad + 3, f.outputs.size());
    for (size_t i = from; i < to; ++i)
      text += table_row(i, f.outputs[i]) + (i == f.first_bad ? "        ^ the first bad value\n" : "");
    return text;
  }
};

}  // namespace

void add_replay(Command& app, Action& chosen) {
  auto r = std::make_shared<Replay>();
  Command* c = app.add_command("replay", "rerun the step at which a training failed, op by op");
  c->add_option("DIR", r->path, "folder of the run, or its folder failure")->required();
  c->add_option("--precision", r->precision, "f32 or bf16; default: that of the run");
  bind_device(*c, r->device);
  c->add_flag("--all", r->all, "every output of every op, not only those around the first bad value");
  c->add_option("--threads", r->threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->footer(
      "Examples:\n"
      "  hexapla replay run                    where the first NaN of the failed step came from\n"
      "  hexapla replay run --precision f32    would it have failed in f32, too?\n"
      "DIR/failure has the pairs of the step (lines.txt), the findings (report.txt), and weights and moments before "
      "it.");
  c->callback([r, &chosen] { chosen = [r] { return r->run(); }; });
}

}  // namespace hexapla::cli
