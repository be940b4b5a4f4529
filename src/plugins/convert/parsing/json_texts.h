#pragma once
// JSON files of untrusted models, parsed as a stream without building a tree, so that memory is
// proportional to the file.
#include <map>
#include <string>
#include <vector>

namespace hexapla::convert {

// The object of strings under a key of the outermost object: {"weight_map": {"a": "x", "b": "y"}}.
// DataError naming the file, the key and the error: not JSON, too deep, no such object, values
// other than strings, a duplicate key.
std::map<std::string, std::string> read_text_map(const std::string& path, const std::string& key);

// A list of strings: ["<unk>", "<s>"]. DataError as above.
std::vector<std::string> read_text_list(const std::string& path);

}  // namespace hexapla::convert
