#include "train/loop/run/result.h"

#include <fmt/format.h>

namespace hexapla::train {

void require_whole(const TrainResult& result) {
  if (result.missing.empty()) return;
  throw RunError(
      fmt::format("the run has ended, but not everything could be written. Missing:\n  {}\n{} is the {}. Free some "
                  "space, or raise the "
                  "file size limit; to get what is missing, train again in another `model` folder",
                  fmt::join(result.missing, "\n  "), result.model, result.contenders.front().what));
}

}  // namespace hexapla::train
