#include "train/loop/run/same_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/range.h"
#include "base/system/machine.h"
#include "train/cluster/agreement.h"
#include "train/loop/run/resume_fingerprint.h"
#include "train/record/provenance.h"

namespace hexapla::train {
namespace {

int processors_of_host() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

int64_t sum_of_all(cluster::Processes& processes, int64_t own) {
  int64_t sum = 0;
  for (const std::string& text : cluster::gather(processes, cat(own))) sum += std::stoll(text);
  return sum;
}

std::vector<std::string> require_same_training(cluster::Processes& processes, const std::string& kernels,
                                               const std::string& fingerprint, const std::string& noted) {
  cluster::require_same(processes, "another program", build_text(), cluster::words_that_differ,
                        "start the same program on all hosts");
  cluster::require_same(processes, "other kernels", kernels, cluster::words_that_differ,
                        "set HEXAPLA_ISA to what all processors have");
  cluster::require_same(processes, "another run", fingerprint, first_difference,
                        "give all processes the same options, and put the same files on all hosts");
  cluster::require_same(processes, "other validation or learning rates", noted, changes,
                        "give all processes the same options, and put the same files on all hosts");
  return cluster::warnings_of_threads(processes, {threads(), usable_processors(), processors_of_host()});
}

void require_same_weights(cluster::Processes& processes, int64_t update, const std::string& hash) {
  cluster::require_same(
      processes, cat("other weights after update ", update), hash,
      [](const std::string& a, const std::string& b) { return cat("their hashes are ", a, " and ", b); },
      "a memory, a link or a processor is faulty, or not of the same kind (HEXAPLA_ISA makes kinds alike); the same "
      "command resumes from the last checkpoint");
}

TrainOptions with_choices_of_first(TrainOptions o, cluster::Processes& processes) {
  o.decay_updates = cluster::of_first(processes, o.decay_updates);
  o.valid_tokenize = cluster::of_first(processes, o.valid_tokenize);
  o.save_every = cluster::of_first(processes, o.save_every);
  o.valid_every = cluster::of_first(processes, o.valid_every);
  o.best_by = o.best_by.parse("best-by", cluster::of_first(processes, o.best_by.text()));
  o.max_loss_jump = parse_number<double>(cluster::of_first(processes, fmt::format("{}", o.max_loss_jump))).value();
  return o;
}

}  // namespace hexapla::train
