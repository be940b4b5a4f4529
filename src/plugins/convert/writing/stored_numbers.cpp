#include "convert/writing/stored_numbers.h"

#include "tensor/half.h"

namespace hexapla::convert {

DType type_to_write(const model::LoadedModel& model, const std::string& parameter) {
  const auto found = model.stored.find(parameter);
  return found != model.stored.end() && is_half(found->second) ? found->second : DType::f32;
}

DType type_of_all(const model::LoadedModel& model) {
  DType one = model.stored.empty() ? DType::f32 : type_to_write(model, model.stored.begin()->first);
  for (const auto& [name, type] : model.stored)
    if (type != one) one = DType::f32;
  return one;
}

void give_in(DType type, std::span<const float> numbers, const std::function<void(const void* bytes)>& take) {
  if (type == DType::f32) return take(numbers.data());
  std::vector<uint16_t> halves(numbers.size());
  const NumberStore store(Tensor(halves.data(), {std::ssize(halves)}, type));
  for (size_t i = 0; i < numbers.size(); ++i) store.set(i, numbers[i]);
  take(halves.data());
}

}  // namespace hexapla::convert
