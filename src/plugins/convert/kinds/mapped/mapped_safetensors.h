#pragma once
// Safetensors of any origin, with a JSON file that maps tensors to parameters:
//   {"config": {"source-vocab": 8000, "target-vocab": 8000, "dim-model": 256, ...},
//    "tensors": {"encoder.layers.{i}.self_attention.qkv.weight":
//                  {"tensors": ["enc.{i}.q.weight", "enc.{i}.k.weight", "enc.{i}.v.weight"], "layout": "transposed"},
//                "encoder.layers.{i}.attention_norm.gain": "enc.{i}.norm.weight"},
//    "ignored": ["enc.version"],
//    "source_vocabulary": "source.spm", "target_vocabulary": "target.spm", "usage": {"search": {"beam-size": "5"}}}
// {i} is a layer's number. Parameters not in the map have our names; null: zeros.
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// A folder with model.safetensors (or its index) and map.json.
bool is_mapped_safetensors(const std::string& folder);
// path: such a folder, or a safetensors file or index with options.map naming the map. The map
// names vocabulary files in its own folder; options.source_vocab and options.target_vocab take
// precedence. DataError naming the map and the key, or the file and the tensor. UsageError: no map
// or vocabulary.
ForeignModel read_mapped_safetensors(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
