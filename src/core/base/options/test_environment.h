#pragma once
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/options/environment.h"

namespace hexapla {

// The number in an environment variable.
inline uint64_t environment_or(const char* name, uint64_t otherwise) {
  const char* given = environment(name);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

// An environment variable with this value during its lifetime.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_.empty())
      unsetenv(name_);
    else
      setenv(name_, old_.c_str(), 1);
  }
  Environment(const Environment&) = delete;

 private:
  const char* name_;
  std::string old_;
};

}  // namespace hexapla
