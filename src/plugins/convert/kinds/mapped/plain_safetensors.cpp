#include "convert/kinds/mapped/plain_safetensors.h"

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "convert/kinds/mapped/tokenizer_json.h"
#include "convert/writing/new_folder.h"
#include "convert/writing/stored_numbers.h"

namespace hexapla::convert {

namespace {

// Writes the vocabulary of one side as NAME.json, or a note why it cannot.
void write_tokenizer_json(const NewFolder& out, const std::string& vocabulary, const std::string& name,
                          std::vector<std::string>& notes) {
  const text::PieceModel pieces = text::PieceModel::parse(vocabulary, name);
  const std::string why = why_no_tokenizer_json(pieces);
  if (why.empty())
    write_file_atomically(out.file(name), tokenizer_json(pieces));
  else
    notes.push_back(cat("no ", name, ": a file of Hugging Face's tokenizers cannot say this vocabulary, since ", why));
}

}  // namespace

std::vector<std::string> export_safetensors(model::LoadedModel& m, const std::string& folder) {
  if (m.config.norm == "batch")
    throw DataError("a map of parameters has no place for the running statistics of BatchNorm; export another model");
  NewFolder out(folder);
  std::vector<TensorSource> tensors;
  nlohmann::ordered_json map, names;
  for (const auto& [name, parameter] : leaves_of(*m.net).parameters) {
    const DType type = type_to_write(m, name);
    tensors.push_back({name, type, parameter->shape, [type, value = parameter->value](const auto& take) {
                         give_in(type, value.template values<float>(), take);
                       }});
    names[name] = name;
  }
  const bool one = m.source_vocabulary == m.target_vocabulary;
  const std::string source = one ? "sentencepiece.model" : "source.spm", target = one ? source : "target.spm";
  map["config"] = parse_json<nlohmann::ordered_json>(m.config.to_json(), "a configuration");
  map["tensors"] = names;
  map["source_vocabulary"] = source;
  map["target_vocabulary"] = target;
  if (!m.usage.empty()) map["usage"] = parse_json<nlohmann::ordered_json>(m.usage.to_json(), "a record");
  write_safetensors(out.file("model.safetensors"), tensors, {{"format", "pt"}});
  write_file_atomically(out.file("map.json"), json_text(map, 2) + "\n");
  write_file_atomically(out.file(source), m.source_vocabulary);
  if (!one) write_file_atomically(out.file(target), m.target_vocabulary);
  std::vector<std::string> notes;
  write_tokenizer_json(out, m.source_vocabulary, one ? "tokenizer.json" : "source_tokenizer.json", notes);
  if (!one) write_tokenizer_json(out, m.target_vocabulary, "target_tokenizer.json", notes);
  out.commit();
  return notes;
}

}  // namespace hexapla::convert
