#pragma once
// model.bin of a CTranslate2 model folder, binary versions 1 to 6 (its
// python/ctranslate2/specs/model_spec.py and src/models/model.cc): named variables, and aliases,
// which are further names of a variable. Weights of 8- or 16-bit integers have a scale per row, or
// one for all, and are read as real numbers. Names are those of the current revision: the first one
// used OpenNMT-tf's.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "convert/containers/catalog.h"

namespace hexapla::convert {

class CTranslate2File : public ForeignTensors {
 public:
  // DataError naming the file and the variable: another format or version, truncated, damaged.
  explicit CTranslate2File(const std::string& path);

  const std::string& path() const override { return file_.path(); }
  // Includes aliases, excludes the scales of integers ("..._scale").
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;

  const std::string& specification() const { return specification_; }  // "TransformerSpec"; version 1 has none, ""
  uint32_t version() const { return version_; }                        // of the format
  uint32_t revision() const { return revision_; }                      // of the specification
  // An attribute: a variable with one number. Nothing: no such variable, or more numbers.
  std::optional<float> number(std::string_view name) const;
  // An i8 attribute as text (before version 6: unk_token, bos_token, ...).
  std::optional<std::string> text(std::string_view name) const;

 private:
  struct Variable {
    size_t offset = 0;         // of its bytes in the file
    std::string scale;         // name of the variable with its scales; empty: none
    float constant_scale = 0;  // used without such a variable; 0: none
  };
  class Head;
  void read_variables(Head& head);
  void read_aliases(Head& head);
  void find_scales(const std::string& name, const ForeignTensor& tensor, Variable& variable) const;
  std::vector<float> plain(const ForeignTensor& tensor, size_t offset) const;

  FileReader file_;
  std::string specification_;
  uint32_t version_ = 0, revision_ = 0;
  std::map<std::string, std::pair<ForeignTensor, Variable>> variables_;  // all of them, under all their names
  Catalog<Variable> catalog_;
};

}  // namespace hexapla::convert
