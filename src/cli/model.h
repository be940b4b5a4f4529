#pragma once
// What every subcommand that uses a model shares: loading it with its vocabularies and a backend.
#include <memory>
#include <string>

#include "decode/translator.h"
#include "model/model_file.h"

namespace hexapla::cli {

struct OpenModel {
  LoadedModel file;
  Vocabulary source, target;
  std::unique_ptr<Backend> backend;

  TextTranslator translator() const { return TextTranslator(*file.net, source, target, *backend); }
};
// path: a model file, or the folder of a run with model.safetensors (or best.safetensors while it is in training).
// DataError otherwise. threads 0: every core.
OpenModel open_model(const std::string& path, int threads);

}  // namespace hexapla::cli
