#pragma once
// Numbers in the type of the model's file: 16-bit weights are exported as 16 bits.
#include <functional>
#include <span>
#include <string>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// A parameter's type: f16 or bf16 if the file has it, otherwise f32.
DType type_to_write(const model::LoadedModel& model, const std::string& parameter);
// The common 16-bit type of all parameters; f32: there is none.
DType type_of_all(const model::LoadedModel& model);

// Calls take(the numbers' bytes in this type).
void give_in(DType type, std::span<const float> numbers, const std::function<void(const void* bytes)>& take);

}  // namespace hexapla::convert
