#include "lib/training/options.h"

#include "backend/device/device.h"

namespace hexapla::api {

std::string dump_training(train::TrainOptions options) {
  options.precision = name_of(parse_precision(options.precision, options.device));
  return train::dump_options(options);
}

}  // namespace hexapla::api
