// The lessons of docs/course: their commands run and print what the text says, and excerpts match
// the sources.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/options/environment.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

struct End {
  int code;
  std::string output;
};

End check_course() {
  const char* python = environment("HEXAPLA_PYTHON");
  const std::string command = cat("'", python ? python : "python3", "' -B '", source_path("scripts/course.py"),
                                  "' --program '", build_path("hexapla"), "' 2>&1");
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  for (int c; (c = fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  return {WEXITSTATUS(pclose(pipe)), output};
}

TEST(Course, LessonsPrintWhatTheySay) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "too long under a sanitizer";
#endif
  const End end = check_course();
  if (end.code == 127) GTEST_SKIP() << "no Python (HEXAPLA_PYTHON)";
  if (end.code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.code, 0) << end.output;
}

}  // namespace
}  // namespace hexapla
