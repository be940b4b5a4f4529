#pragma once
#include <cstdlib>
#include <string>

namespace hexapla {

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
