#pragma once
// Temporary files for the tests of this folder.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hexapla::data {

class TestFiles : public ::testing::Test {
 protected:
  TestFiles()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                (std::string("hexapla_data_") + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TestFiles() override { std::filesystem::remove_all(folder_); }

  std::string folder() const { return folder_.string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::filesystem::path folder_;
};

template <class Kind, class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Kind& error) {
    return error.what();
  }
  return "(no such error was thrown)";
}

}  // namespace hexapla::data
