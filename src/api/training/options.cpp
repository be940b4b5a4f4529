#include "api/training/options.h"

#include "backend/cpu/cpu.h"

namespace hexapla::api {

std::string dump_training(train::TrainOptions options) {
  options.precision = name_of(parse_precision(options.precision));
  return train::dump_options(options);
}

}  // namespace hexapla::api
