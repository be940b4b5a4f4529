#pragma once
// The model file: one safetensors file that holds all that translating needs.
//   tensors       the parameters and buffers under their dotted names, F32; parameters also F16 or BF16, as another
//                 system's model had them, or I8 with NAME.scales; tokenizer.shared, or tokenizer.source and
//                 tokenizer.target: the bytes of the vocabularies (U8)
//   __metadata__  format "hexapla", format_version "1", or "2" where numbers are F16 or BF16, producer, config (JSON),
//                 checksum, usage (JSON, model/record/usage.h), and the history of the model
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/compute/pages.h"
#include "model/record/usage.h"
#include "model/transformer.h"
#include "model/weights/parameters.h"
#include "tensor/safetensors.h"

namespace hexapla::model {

// Everything beside a model's weights: the vocabularies, and how the model is meant to be used.
struct ModelText {
  std::string source_vocabulary, target_vocabulary;  // bytes; the two may be the same
  Usage usage = {};
};

// Writes atomically: the same model gives the same bytes. history: how the model came about; InternalError where one of
// its keys is a name the format has for itself. RunError where the file cannot be written.
void save_model(const std::string& path, Transformer& net, const ModelText& text,
                const std::map<std::string, std::string>& history);

// RunError where a model file with these numbers could not be read again. save_model() asks it of all that it writes,
// before the first byte.
void check_numbers(const std::string& path, const NamedTensor& numbers);

// Numbers that are made one tensor at a time.
struct MadeNumbers {
  // Writes those of a parameter or buffer to a tensor in memory. It is called twice for each, first for the checksum,
  // and must give the same both times.
  std::function<void(const std::string& name, const Tensor& to)> fill;
  // In what a parameter is stored: f32, f16 or bf16. None: all of them in f32.
  std::function<DType(const std::string& name)> type = {};
};
// The same with such numbers. No more memory is taken than that of the largest tensor.
void save_model(const std::string& path, const Config& config, const ModelText& text,
                const std::map<std::string, std::string>& history, const MadeNumbers& numbers);

// The model of a file with another record of how it is used: its numbers and vocabularies are copied as they are.
// Errors as load_to_translate() and save_model().
void copy_with_usage(const std::string& from, const Usage& usage, const std::string& to);

struct LoadedModel {
  Config config;
  std::unique_ptr<Transformer> net;
  std::unique_ptr<Parameters> parameters;  // of load_model: the memory of net
  std::vector<Pages> memory;               // of load_to_translate: the same, tensor by tensor
  std::string source_vocabulary, target_vocabulary;
  Usage usage;
  std::map<std::string, std::string> metadata;  // all of it
  std::map<std::string, std::string> history;   // what save_model was given
  std::map<std::string, DType> stored;          // in what the file has each parameter: f32, f16, bf16 or i8

  // All that a model made from this one is saved with.
  ModelText text() const { return {source_vocabulary, target_vocabulary, usage}; }

  // Of load_to_translate: memory that lasts as long as the model.
  Tensor room(const Shape& shape, DType dtype);
  // Gives back the memory of a tensor of load_to_translate; its place stays taken. Nothing may read it any more.
  void give_back(const Tensor& t);
};

// path itself, or the model in the folder of a run: model.safetensors, or best.safetensors while it is in training.
// DataError: a folder without one.
std::string model_file(const std::string& path);

// Loads a model for inference, in f32 even where it is quantized or stored in 16 bits. The shapes follow from the
// config, never from the file, and no more memory is taken than the file is long. All of it is copied and the checksum
// is that of the copy, so whatever becomes of the file later, or while it is read, the model is the one that was saved.
// DataError naming the file and the tensor or key: not a hexapla model, a newer format, cut short, damaged (checksum),
// a tensor missing, unexpected, of another type or shape, or with numbers that are not finite or beyond 1e9, scales and
// variances below 0.
LoadedModel load_model(const std::string& path);
// The same, but what is quantized stays so, as do weights of products in 16 bits, and pack_weights() gives back the
// memory of the weights that it has copies of: such a model can only translate and score. One with such weights needs
// pack_weights() for that.
LoadedModel load_to_translate(const std::string& path);

}  // namespace hexapla::model
