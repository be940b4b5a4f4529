#include "convert/foreign/adjusted_tensors.h"

#include <algorithm>

namespace hexapla::convert {

AdjustedTensors::AdjustedTensors(std::shared_ptr<const ForeignTensors> from)
    : from_(std::move(from)), list_(from_->list()) {
  for (const ForeignTensor& t : list_) sources_[t.name] = {t.name};
}

void AdjustedTensors::keep_below(const std::string& prefix) {
  std::vector<ForeignTensor> all;
  std::map<std::string, Source> sources;
  for (ForeignTensor& t : list_) {
    if (!t.name.starts_with(prefix)) continue;
    const std::string name = t.name.substr(prefix.size());
    sources[name] = std::move(sources_.at(t.name));
    t.name = name;
    all.push_back(std::move(t));
  }
  list_ = std::move(all);
  sources_ = std::move(sources);
}

void AdjustedTensors::scale(const std::string& name, double factor, const std::string& as) {
  ForeignTensor tensor = get(name);
  Source source = sources_.at(name);
  tensor.name = as;
  source.factor *= factor;
  if (source.factor != 1) tensor.type = ElementType::f32;
  put(std::move(tensor), std::move(source));
}

void AdjustedTensors::add(const std::string& name, std::vector<size_t> shape, std::vector<float> numbers) {
  put({name, std::move(shape), ElementType::f32}, {"", 1, std::move(numbers)});
}

void AdjustedTensors::put(ForeignTensor tensor, Source source) {
  sources_[tensor.name] = std::move(source);
  const auto at = std::lower_bound(list_.begin(), list_.end(), tensor.name,
                                   [](const ForeignTensor& t, const std::string& name) { return t.name < name; });
  if (at != list_.end() && at->name == tensor.name)
    *at = std::move(tensor);
  else
    list_.insert(at, std::move(tensor));
}

std::vector<float> AdjustedTensors::scaled(std::vector<float> numbers, double factor) {
  if (factor != 1)
    for (float& number : numbers) number = static_cast<float>(number * factor);
  return numbers;
}

std::vector<float> AdjustedTensors::read(const ForeignTensor& tensor) const {
  const Source& source = sources_.at(tensor.name);
  return scaled(source.name.empty() ? source.numbers : from_->read(from_->get(source.name)), source.factor);
}

std::vector<float> AdjustedTensors::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  const Source& source = sources_.at(tensor.name);
  const auto own = source.numbers.begin() + static_cast<std::ptrdiff_t>(source.name.empty() ? first : 0);
  return scaled(source.name.empty() ? std::vector<float>(own, own + static_cast<std::ptrdiff_t>(count))
                                    : from_->read_part(from_->get(source.name), first, count),
                source.factor);
}

}  // namespace hexapla::convert
