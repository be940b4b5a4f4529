#pragma once
#include <semaphore>

namespace hexapla::api {

// So many calls run at the same time; more of them wait. A call within a call, of a caller's function, does not wait.
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
