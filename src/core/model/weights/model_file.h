#pragma once
// The model file: one safetensors file with everything needed to translate.
//   tensors       parameters and buffers by their dotted names, F32; parameters also F16 or BF16, as
//                 in another system's model, or I8 with NAME.scales; tokenizer.shared, or
//                 tokenizer.source and tokenizer.target: the bytes of the vocabularies (U8)
//   __metadata__  format "hexapla", format_version "1", or "2" if numbers are F16 or BF16,
//                 producer, config (JSON), checksum, usage (JSON, model/record/usage.h), and the
//                 history of the model
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/compute/pages.h"
#include "model/parameters/parameters.h"
#include "model/record/usage.h"
#include "model/transformer.h"
#include "tensor/safetensors.h"

namespace hexapla::model {

// Everything but a model's weights and configuration: its vocabularies and intended use.
struct ModelText {
  std::string source_vocabulary, target_vocabulary;  // bytes; may be the same
  Usage usage = {};
};

// Writes atomically; the same model gives the same bytes. history: how the model was made;
// InternalError if one of its keys is reserved by the format. RunError if the file cannot be
// written.
void save_model(const std::string& path, Transformer& net, const ModelText& text,
                const std::map<std::string, std::string>& history);

// RunError if a model file with these numbers could not be read again. save_model() calls it for
// all tensors before it writes the first byte.
void check_numbers(const std::string& path, const NamedTensor& numbers);

// Numbers that are computed one tensor at a time.
struct MadeNumbers {
  // Writes the numbers of a parameter or buffer to `to`. Called twice for each tensor, first for
  // the checksum, and must give the same numbers both times; RunError otherwise.
  std::function<void(const std::string& name, const Tensor& to)> fill;
  // A parameter's type: f32, f16, bf16, or i8, followed by NAME.scales. Empty: f32 for all.
  std::function<DType(const std::string& name)> type = {};
};
// The same with computed numbers. Takes no more memory than the largest tensor.
void save_model(const std::string& path, const Config& config, const ModelText& text,
                const std::map<std::string, std::string>& history, const MadeNumbers& numbers);

// Copies a model file with another usage record; numbers and vocabularies are unchanged. Errors as
// in load_to_translate() and save_model().
void copy_with_usage(const std::string& from, const Usage& usage, const std::string& to);

struct LoadedModel {
  Config config;
  std::unique_ptr<Transformer> net;
  std::unique_ptr<Parameters> parameters;  // from load_model: the memory of net
  std::vector<Pages> memory;               // from load_to_translate: the same, tensor by tensor
  std::string source_vocabulary, target_vocabulary;
  Usage usage;
  std::map<std::string, std::string> metadata;  // all of it
  std::map<std::string, std::string> history;   // as passed to save_model
  std::map<std::string, DType> stored;          // type of each parameter in the file: f32, f16, bf16 or i8

  // Everything that a model derived from this one keeps.
  ModelText text() const { return {source_vocabulary, target_vocabulary, usage}; }

  // For load_to_translate: memory that lives as long as the model.
  Tensor room(const Shape& shape, DType dtype);
  // Gives back the memory of a tensor of load_to_translate but keeps its addresses reserved. It
  // must not be read any more.
  void give_back(const Tensor& t);
};

// path itself, or the model in a run folder: model.safetensors, or best.safetensors during
// training. DataError: a folder without a model.
std::string model_file(const std::string& path);

// Loads a model for inference, in f32 even if it is quantized or stored in 16 bits. Shapes follow
// from the config, not from the file, and no more memory is taken than the length of the file.
// Everything is copied, and the checksum is computed from the copy, so later or concurrent changes
// to the file do not affect the model. DataError naming the file and the tensor or key: not a
// hexapla model, a newer format, truncated, damaged (checksum), or a tensor is missing, unexpected,
// of another type or shape, or has numbers that are not finite, beyond 1e9, or (scales and
// variances) below 0.
LoadedModel load_model(const std::string& path);
// The same, but quantized weights stay quantized, and 16-bit weights of products stay 16-bit;
// pack_weights() frees the weights of which it has copies. Such a model can only translate and
// score, for which one with 16-bit weights needs pack_weights().
LoadedModel load_to_translate(const std::string& path);

}  // namespace hexapla::model
