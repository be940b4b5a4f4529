#pragma once
// Code shared by the measurements.
#include <string>

#include "model/config.h"

namespace hexapla::api {

// A preset's model with this number of pieces on both sides.
inline model::Config model_of(const std::string& preset, int64_t vocabulary) {
  model::Config c = model::Config::preset(preset);
  c.source_vocab = c.target_vocab = vocabulary;
  c.resolve();
  return c;
}

}  // namespace hexapla::api
