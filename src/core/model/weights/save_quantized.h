#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/weights/stored_model.h"

namespace hexapla::model {

// As save_model(), with every quantizable parameter as integers except those whose names begin with
// one of keep.
void save_quantized(const std::string& path, Transformer& net, const ModelText& text,
                    const std::map<std::string, std::string>& history, const std::vector<std::string>& keep);
// The same from a file, in little more memory than the largest tensor of integers.
void save_quantized(const std::string& path, StoredModel& from, const std::vector<std::string>& keep);

}  // namespace hexapla::model
