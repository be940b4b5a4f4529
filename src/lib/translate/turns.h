#pragma once
#include <semaphore>

namespace hexapla::api {

// Limits the number of concurrent calls; others wait. A nested call, from a caller's function, does
// not wait.
class Turns {
 public:
  explicit Turns(int at_a_time) : free_(at_a_time) {}

  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns) {
      if (depth++ == 0) turns_.free_.acquire();
    }
    ~Turn() {
      if (--depth == 0) turns_.free_.release();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    inline static thread_local int depth = 0;
    Turns& turns_;
  };

 private:
  std::counting_semaphore<> free_;
};

}  // namespace hexapla::api
