#pragma once
// The Python module, queried with JSON lines: one process answers all cases.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "answers.h"
#include "base/options/environment.h"

namespace hexapla::interfaces {

class Python {
 public:
  Python() {
    const char* program = environment("HEXAPLA_PYTHON_PACKAGE");
    if (!program) return;
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw RunError("no pipe for Python");
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      const std::string script = source_path("python/tests/answer_cases.py");
      execl(program, program, script.c_str(), nullptr);
      _exit(127);
    }
    close(to[0]), close(from[1]);
    to_ = fdopen(to[1], "w"), from_ = fdopen(from[0], "r");
  }
  ~Python() {
    if (child_ <= 0) return;
    std::fclose(to_);
    std::fclose(from_);
    waitpid(child_, nullptr, 0);
  }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;

  bool is_there() const { return child_ > 0; }

  Json answer(const Case& c) {
    const char* const tasks[] = {"translate", "score", "align"};
    const std::string asked = json_text(Json{{"models", c.subject->paths},
                                             {"task", tasks[static_cast<int>(c.task)]},
                                             {"lines", c.lines},
                                             {"translations", c.translations},
                                             {"options", c.options},
                                             {"constraints", c.constraints},
                                             {"units", c.units}}) +
                              "\n";
    std::fwrite(asked.data(), 1, asked.size(), to_);
    std::fflush(to_);
    std::string line;
    for (int byte; (byte = std::fgetc(from_)) != EOF && byte != '\n';) line += static_cast<char>(byte);
    const Json found = Json::parse(line, nullptr, false);
    if (found.is_discarded()) throw RunError("Python does not answer: is the package installed there?");
    return with_alignments(found, c);
  }

 private:
  // [source words, target words, links, rows]
  static Json with_alignments(Json found, const Case& c) {
    if (c.units.empty() || found.contains("error")) return found;
    for (Json& of_line : found["lines"])
      for (Json& t : of_line) {
        Alignment a;
        t["alignment"][0].get_to(a.source_words);
        t["alignment"][1].get_to(a.target_words);
        a.links = t["alignment"][2].get<std::vector<std::pair<int, int>>>();
        a.weights.rows = t["alignment"][3].size();
        for (const Json& row : t["alignment"][3]) {
          a.weights.columns = row.size();
          for (const Json& weight : row) a.weights.values.push_back(weight);
        }
        t.erase("alignment");
        t.update(alignment_json(a, c));
      }
    return found;
  }

  pid_t child_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace hexapla::interfaces
