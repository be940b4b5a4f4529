#pragma once
#include <vector>

#include "backend/backend.h"

namespace hexapla {

// The numbers of a tensor where host code can use them: the tensor itself if the backend works in the host's memory,
// else a copy with the same shape and strides.
class OnHost {
 public:
  enum class Contents { read, overwritten };  // overwritten: all numbers will be set, so a copy starts with any
  OnHost(Backend& backend, const Tensor& of, Contents contents = Contents::read);
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;

  const Tensor& operator*() const { return here_; }
  const Tensor* operator->() const { return &here_; }
  operator Tensor() const { return here_; }
  // After the host changed numbers: copies all of them back, and nothing between strided rows.
  void write_back() const;

 private:
  Backend& backend_;
  Tensor there_, here_;
  std::vector<std::byte> copy_;
};

// The same, for numbers that are only set.
inline OnHost set_on_host(Backend& backend, const Tensor& to) { return {backend, to, OnHost::Contents::overwritten}; }

}  // namespace hexapla
