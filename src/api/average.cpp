#include "api/average.h"

#include "base/error.h"
#include "decode/opened/open_model.h"
#include "model/weights/average.h"
#include "train/loop/run/run_models.h"

namespace hexapla::api {

model::LoadedModel average_files(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (!train::is_checkpoint(file) && decode::integers_in(file) > 0)
      throw DataError(cat(file, " is quantized; average the models that it and the others were made from"));
  return model::average_models(files, [](const std::string& f) {
    return train::is_checkpoint(f) ? train::load_checkpoint_model(f) : model::load_model(f);
  });
}

}  // namespace hexapla::api
