#pragma once
// Numbers in the type in which a model's file has them: what came in 16 bits goes out in 16 bits.
#include <functional>
#include <span>
#include <string>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// Of a parameter: f16 or bf16 where the file has it so, otherwise f32.
DType type_to_write(const model::LoadedModel& model, const std::string& parameter);
// The one type of 16 bits that all parameters have; f32 where there is none.
DType type_of_all(const model::LoadedModel& model);

// take(bytes of the numbers in this type).
void give_in(DType type, std::span<const float> numbers, const std::function<void(const void* bytes)>& take);

}  // namespace hexapla::convert
