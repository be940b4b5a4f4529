#pragma once
// Text files line by line, whole or in parts that several processes share.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hexapla/export.h"
#include "hexapla/owned.h"

namespace hexapla {

// The lines of a plain, .gz, .zst or .xz file, identified by its first bytes. They end at line feeds; a "\r" before one
// and a byte order mark at the beginning are dropped. Not thread-safe. DataError, naming file and line: no such file,
// damaged data, a line of more than 64 MiB. RunError: reading failed.
class TextFile {
 public:
  // path: "-" is standard input, which the first next() opens.
  HEXAPLA_API explicit TextFile(const std::string& path);
  // The lines that begin in one of several equal parts: "3/8". Nothing else is read, unless it has to be unpacked.
  // UsageError: no such part, or `path` is no regular file.
  HEXAPLA_API TextFile(const std::string& path, const std::string& shard);
  HEXAPLA_API ~TextFile();
  HEXAPLA_API TextFile(TextFile&&) noexcept;
  HEXAPLA_API TextFile& operator=(TextFile&&) noexcept;

  // Stores the next line. -> false: there is none
  HEXAPLA_API bool next(std::string& line);
  // Whether next() returns without waiting for a pipe or terminal (LineSource::ready).
  HEXAPLA_API bool ready();
  // For messages: the path, or "stdin".
  HEXAPLA_API std::string name() const;
  // A note for the user: why everything before the part had to be unpacked. "": nothing.
  HEXAPLA_API std::string note() const;

 private:
  friend class PairFile;
  friend class ShardFile;
  struct Impl;
  api::Owned<Impl> impl_;
};

// Sentences and their translations, from two files with matching lines or one with SOURCE<TAB>TARGET lines. Not
// thread-safe. DataError, naming file and line: errors of TextFile, files of different length, a whole file without a
// line, a line without exactly one tab.
class PairFile {
 public:
  HEXAPLA_API PairFile(TextFile source, TextFile target);
  HEXAPLA_API explicit PairFile(TextFile pairs);
  HEXAPLA_API ~PairFile();
  HEXAPLA_API PairFile(PairFile&&) noexcept;
  HEXAPLA_API PairFile& operator=(PairFile&&) noexcept;

  // Stores the next pair. -> false: there is none
  HEXAPLA_API bool next(std::string& source, std::string& target);
  // Whether next() returns without waiting for a pipe or terminal.
  HEXAPLA_API bool ready();

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

// All lines of a text, in memory. DataError: errors of TextFile, no line, a line that is not UTF-8 or has a NUL byte.
HEXAPLA_API std::vector<std::string> read_lines(const std::string& path);

// The file that is made from the lines of a part, line by line, compressed according to its name (.gz, .zst, .xz), that
// appears when it is complete, with PATH.manifest.json, by which `hexapla join` checks the parts. RunError: writing
// failed.
class ShardFile {
 public:
  // models: the files or folders that are used, and made_by: what else determines the content, in words. UsageError:
  // the path is that of an input, or `part` is a whole file.
  HEXAPLA_API ShardFile(const std::string& path, const TextFile& part, const std::vector<std::string>& models,
                        const std::string& made_by);
  HEXAPLA_API ~ShardFile();
  HEXAPLA_API ShardFile(ShardFile&&) noexcept;
  HEXAPLA_API ShardFile& operator=(ShardFile&&) noexcept;

  // Whether it is there already, intact and made from the same in the same way; it is not written again.
  HEXAPLA_API bool complete() const;
  HEXAPLA_API void write(std::string_view text);
  // lines: that were read of the part. RunError: another number was written.
  HEXAPLA_API void finish(std::int64_t lines);

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
