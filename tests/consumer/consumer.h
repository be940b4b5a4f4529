#pragma once
// Calls every function of include/hexapla: tests/install_test.cmake compares those that this program needs with those
// that the library exports, so a new function belongs here, too.
#include <hexapla/hexapla.h>
#include <hexapla/nn.h>

#include <iostream>
#include <utility>

// Moves to another object and back.
template <class T>
T moved(T object) {
  T other(std::move(object));
  object = std::move(other);
  return object;
}

void call_layers();
