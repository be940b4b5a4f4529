#include "lib/training/options.h"

#include "backend/device/device.h"
#include "data/training_text.h"
#include "train/automatic/choose.h"

namespace hexapla::api {

std::string dump_training(train::TrainOptions options) {
  options.precision = name_of(parse_precision(options.precision, options.device));
  if (options.preset == train::kAutomatic && !options.train_sets.empty()) {
    const data::ReadingProgress silent = [](const char*, int64_t) {};
    data::TrainingText text(data::parse_sets("train-sets", options.train_sets, options.text.tsv),
                            {size_t{1} << 30, ""});
    const auto backend = make_backend(parse_precision(options.precision, options.device), options.device);
    options = train::choose_recipe(options, train::facts_of(text, silent), *backend).options;
  }
  return train::dump_options(options);
}

}  // namespace hexapla::api
