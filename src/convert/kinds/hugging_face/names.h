#pragma once
// Where transformers keeps the weights of its encoder-decoder models: Marian, BART, mBART and M2M-100 are copies of one
// another, and differ in which norms they have, what their positions are, and which of three tables are one. The same
// names serve import and export.
#include <string>
#include <vector>

#include "convert/weight_map.h"

namespace hexapla::convert {

// Names of the tensors that hold the tables.
struct HuggingFaceTables {
  std::string source, target;  // of embeddings; the same where they are one
  std::string output;          // the generator's, where it is a table of its own; else ""
  bool bias = true;            // whether there is final_logits_bias; our bias is zeros without
};

// Of a resolved configuration: with biases everywhere but in the generator, where it may have one.
WeightMap hugging_face_weights(const model::Config& config, const HuggingFaceTables& tables);

// Which of these names the file has, the first of them. DataError naming the first: none.
std::string first_tensor_of(const ForeignTensors& tensors, const std::vector<std::string>& names);

// The tables of a file that transformers computes with. shared: the two sides have one vocabulary, and where nothing is
// tied they may still have one table of it. Which of the names that are one it holds depends on who wrote it.
HuggingFaceTables hugging_face_tables(const model::Config& config, const ForeignTensors& tensors, bool shared);

// The tables of the file that are none of those. DataError naming two tensors: tables that the configuration ties have
// other numbers. -> what to tell whoever imports it; "": nothing.
std::string check_other_tables(const model::Config& config, const HuggingFaceTables& tables,
                               const ForeignTensors& tensors);

// A folder's weights: one safetensors file, several with an index, or what torch.save() wrote, also several with an
// index. DataError naming the folder: none of these.
std::shared_ptr<const ForeignTensors> open_hugging_face_weights(const std::string& folder);

// Rows before the first position in a table of learned ones (transformers' offset of BART and mBART).
inline constexpr size_t learned_positions_from = 2;

}  // namespace hexapla::convert
