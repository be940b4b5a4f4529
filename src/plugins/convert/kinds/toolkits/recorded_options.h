#pragma once
// The options that a PyTorch checkpoint records with its weights (argparse.Namespace, or a
// dictionary), read with checks: every value has a type and numbers have a range. DataError names
// the file, the option, the value and what is allowed.
#include <string>
#include <vector>

#include "base/range.h"
#include "convert/containers/torch_file.h"

namespace hexapla::convert {

class RecordedOptions {
 public:
  // keys: the path to the options from the outermost dictionary. The file must outlive this object.
  RecordedOptions(const TorchFile& file, const std::vector<std::string>& keys);

  // options: an object or a dictionary of the file, or nullptr; place: its name in messages.
  RecordedOptions(const TorchFile& file, const PickleValue* options, std::string place);

  bool exist() const { return options_ != nullptr; }
  const std::string& path() const { return file_.path(); }
  bool has(const std::string& key) const;  // present and not None
  int64_t whole(const std::string& key, const Range<int64_t>& allowed) const;
  int64_t whole(const std::string& key, const Range<int64_t>& allowed, int64_t otherwise) const;
  double number(const std::string& key, const Range<double>& allowed,
                double otherwise) const;  // or the first of a list
  bool flag(const std::string& key, bool otherwise) const;
  std::string word(const std::string& key, const std::string& otherwise) const;
  std::vector<std::string> texts(const std::string& key) const;  // a list of texts

  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const;
  // Rejects an unsupported option unless it is absent, None, false, 0 or "".
  void require_none(const std::string& key) const;

 private:
  const PickleValue* find(const std::string& key) const;

  const TorchFile& file_;
  const PickleValue* options_ = nullptr;
  std::string place_;  // "args", for messages
};

}  // namespace hexapla::convert
