#pragma once
// model.bin of a CTranslate2 model folder, binary versions 1 to 6 (its python/ctranslate2/specs/model_spec.py and
// src/models/model.cc): named variables, and aliases, other names of the same variable. Weights of 8 or 16 bit integers
// come with a scale for each row, or one for all, and are read as the numbers that they stand for. Names are those of
// today: the first revision called variables as OpenNMT-tf does.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "convert/containers/catalog.h"

namespace hexapla::convert {

class CTranslate2File : public ForeignTensors {
 public:
  // DataError naming the file and the variable: of another format or version, cut short, damaged.
  explicit CTranslate2File(const std::string& path);

  const std::string& path() const override { return file_.path(); }
  // With the aliases. Scales of integers ("..._scale") are not among them.
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;

  const std::string& specification() const { return specification_; }  // "TransformerSpec"; version 1 has none, ""
  uint32_t version() const { return version_; }                        // of the format
  uint32_t revision() const { return revision_; }                      // of the specification
  // An attribute: a variable of one number. Nothing: there is none of this name, or it has more numbers.
  std::optional<float> number(std::string_view name) const;
  // One of type i8, a text (before version 6: unk_token, bos_token, ...).
  std::optional<std::string> text(std::string_view name) const;

 private:
  struct Variable {
    size_t offset = 0;         // of its bytes in the file
    std::string scale;         // the variable with its scales; empty: none
    float constant_scale = 0;  // in its place; 0: none
  };
  class Head;
  void read_variables(Head& head);
  void read_aliases(Head& head);
  void find_scales(const std::string& name, const ForeignTensor& tensor, Variable& variable) const;
  std::vector<float> plain(const ForeignTensor& tensor, size_t offset) const;

  FileReader file_;
  std::string specification_;
  uint32_t version_ = 0, revision_ = 0;
  std::map<std::string, std::pair<ForeignTensor, Variable>> variables_;  // all, by all of their names
  Catalog<Variable> catalog_;
};

}  // namespace hexapla::convert
