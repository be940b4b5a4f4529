#pragma once
// Safetensors of any origin, with a JSON file that says which tensors each parameter is made of:
//   {"config": {"source-vocab": 8000, "target-vocab": 8000, "dim-model": 256, ...},
//    "tensors": {"encoder.layers.{i}.self_attention.qkv.weight":
//                  {"tensors": ["enc.{i}.q.weight", "enc.{i}.k.weight", "enc.{i}.v.weight"], "layout": "transposed"},
//                "encoder.layers.{i}.attention_norm.gain": "enc.{i}.norm.weight"},
//    "ignored": ["enc.version"],
//    "source_vocabulary": "source.spm", "target_vocabulary": "target.spm", "usage": {"search": {"beam-size": "5"}}}
// {i} stands for a layer's number. What the map does not name has the name that it has here; null: zeros.
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A folder with model.safetensors (or its index) and map.json.
bool is_mapped_safetensors(const std::string& folder);
// path: such a folder, or a file of safetensors or its index; then options.map names the map. Names of vocabularies are
// files beside the map; options.source_vocab and options.target_vocab take precedence. DataError naming the map and the
// key, or the file and the tensor. UsageError: there is no map, or no vocabulary.
ForeignModel read_mapped_safetensors(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
