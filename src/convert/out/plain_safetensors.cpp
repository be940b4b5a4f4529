#include "convert/out/plain_safetensors.h"

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "convert/out/new_folder.h"
#include "decode/models/search_defaults.h"

namespace hexapla::convert {

void export_safetensors(model::LoadedModel& m, const std::string& folder) {
  if (m.config.norm == "batch")
    throw DataError("a map of parameters has no place for the running statistics of BatchNorm; export another model");
  NewFolder out(folder);
  std::vector<NamedTensor> tensors;
  nlohmann::ordered_json map, names;
  for (const auto& [name, parameter] : leaves_of(*m.net).parameters) {
    tensors.push_back({name, parameter->value});
    names[name] = name;
  }
  const bool one = m.source_vocabulary == m.target_vocabulary;
  const std::string source = one ? "sentencepiece.model" : "source.spm", target = one ? source : "target.spm";
  map["config"] = nlohmann::ordered_json::parse(m.config.to_json());
  map["tensors"] = names;
  map["source_vocabulary"] = source;
  map["target_vocabulary"] = target;
  if (const auto search = m.history.find(decode::kSearchDefaults); search != m.history.end())
    map["search"] = nlohmann::ordered_json::parse(search->second);
  write_safetensors(out.file("model.safetensors"), tensors, {{"format", "pt"}});
  write_file_atomically(out.file("map.json"), json_text(map, 2) + "\n");
  write_file_atomically(out.file(source), m.source_vocabulary);
  if (!one) write_file_atomically(out.file(target), m.target_vocabulary);
  out.commit();
}

}  // namespace hexapla::convert
