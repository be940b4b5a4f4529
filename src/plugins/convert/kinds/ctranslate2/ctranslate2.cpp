#include "convert/kinds/ctranslate2/ctranslate2.h"

#include "convert/containers/ctranslate2_file.h"
#include "convert/foreign/adjusted_tensors.h"
#include "convert/foreign/feed_forwards.h"
#include "convert/kinds/ctranslate2/specification.h"
#include "convert/kinds/ctranslate2/words.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

// path: the folder of a model, or of the package that contains it.
CTranslate2Folder parts_of_folder(const std::string& path) {
  if (!is_file(path + "/model.bin") && is_file(path + "/model/model.bin")) return {path + "/model", path};
  return {path, is_file(path + "/../metadata.json") ? path + "/.." : ""};
}

}  // namespace

bool is_ctranslate2(const std::string& folder) {
  return is_file(folder + "/model.bin") || (is_file(folder + "/metadata.json") && is_file(folder + "/model/model.bin"));
}

ForeignModel read_ctranslate2(const std::string& path, const ImportOptions& options) {
  const CTranslate2Folder folder = parts_of_folder(path);
  const auto file = std::make_shared<CTranslate2File>(folder.model + "/model.bin");
  const Specification spec(*file);
  const auto tensors = std::make_shared<AdjustedTensors>(file);
  ForeignModel m{.origin = "CTranslate2", .config = spec.config(*tensors)};
  m.config.norm_eps = norm_eps_in(folder);
  resolve(m.config, file->path());
  m.weights = spec.weights(m.config);
  m.tensors = tensors;
  widen_feed_forwards(m);
  check(m.weights, m.config, *tensors);  // checks the vocabulary sizes against the tensors
  read_words(m, folder, *file, spec.zero_start(), options);
  spec.read_alignment(m.config, m.text.usage, m.notes);
  return m;
}

}  // namespace hexapla::convert
