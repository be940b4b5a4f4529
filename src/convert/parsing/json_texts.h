#pragma once
// JSON files of strangers, as far as models bring them along, read as the parser goes along: no tree is built, so
// memory stays in proportion to the file.
#include <map>
#include <string>
#include <vector>

namespace hexapla::convert {

// The object of texts under a key of the outermost object: {"weight_map": {"a": "x", "b": "y"}}. DataError naming the
// file, the key and what is wrong: no JSON, too deep, no such object, other values than texts in it, a key twice.
std::map<std::string, std::string> read_text_map(const std::string& path, const std::string& key);

// A list of texts: ["<unk>", "<s>"]. DataError as above.
std::vector<std::string> read_text_list(const std::string& path);

}  // namespace hexapla::convert
