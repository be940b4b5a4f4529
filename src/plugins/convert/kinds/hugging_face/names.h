#pragma once
// Tensor names of transformers' encoder-decoder models, for import and export. Marian, BART, mBART
// and M2M-100 are copies of one another that differ in their norms, their positions, and which of
// three tables are shared.
#include <string>
#include <vector>

#include "convert/foreign/weight_map.h"

namespace hexapla::convert {

struct HuggingFaceTables {
  std::string source, target;  // embeddings; the same name if shared
  std::string output;          // the generator's own table; "" if shared
  bool bias = true;            // whether there is a final_logits_bias; otherwise our bias is zero
};

// For a resolved configuration: biases everywhere; in the generator they are optional.
WeightMap hugging_face_weights(const model::Config& config, const HuggingFaceTables& tables);

// Whether two tensors have the same shape and numbers.
bool same_numbers(const ForeignTensors& tensors, const ForeignTensor& a, const ForeignTensor& b);

// The first of these names that the file has. DataError naming the first if there is none.
std::string first_tensor_of(const ForeignTensors& tensors, const std::vector<std::string>& names);

// The tables of the file that transformers uses. shared: both sides have one vocabulary, so even
// untied models may have one table. The writer chose which names of a shared table the file has.
HuggingFaceTables hugging_face_tables(const model::Config& config, const ForeignTensors& tensors, bool shared);

// Checks the file's other tables. DataError naming two tensors: tables that the configuration ties
// differ. Returns a note for the user; "": none.
std::string check_other_tables(const model::Config& config, const HuggingFaceTables& tables,
                               const ForeignTensors& tensors);

// A folder's weights: one safetensors file or several with an index, or files of torch.save(), one
// or several with an index. DataError naming the folder: none of these.
std::shared_ptr<const ForeignTensors> open_hugging_face_weights(const std::string& folder);

// Rows before position 0 in a table of learned positions (transformers' offset in BART and mBART).
inline constexpr size_t kFirstLearnedPosition = 2;

}  // namespace hexapla::convert
