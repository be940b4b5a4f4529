#pragma once
// Internal: ownership of an object of the library's classes. After a move, the object can only be
// destroyed or assigned to; anything else is a UsageError.
#include <memory>
#include <string>
#include <utility>

#include "hexapla/error.h"

namespace hexapla::api {

// T::kind is the object's name in messages, "translator".
template <class T>
class Owned {
 public:
  Owned(std::unique_ptr<T> object) : object_(std::move(object)) {}
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T* operator->() const { return &**this; }
  T& operator*() const {
    if (!object_)
      throw UsageError(std::string("this ") + T::kind + " was moved from: use the one that it was moved to");
    return *object_;
  }
  std::unique_ptr<T> release() noexcept { return std::move(object_); }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace hexapla::api
