#pragma once
// Releasing and acquiring the GIL, and calling Python, safely at the end of the interpreter. Up to
// Python 3.13, a daemon thread that requests the GIL during shutdown is ended by pthread_exit(),
// which unwinds its stack: through noexcept functions, which abort the process, and without the GIL
// that destructors of Python objects need. Here such a thread blocks forever, as in later versions
// of Python.
#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace hexapla::python {

// Calls f(), a call of Python. f must have no local objects with destructors.
template <class F>
auto in_python(F&& f) {
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    in_python([&] { PyEval_RestoreThread(state_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

class WithGil {
 public:
  WithGil() : state_(in_python([] { return PyGILState_Ensure(); })) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// Calls a Python function; throws what it raises.
inline nanobind::object call_python(nanobind::handle function, const nanobind::tuple& arguments) {
  PyObject* result = in_python([&] { return PyObject_CallObject(function.ptr(), arguments.ptr()); });
  if (!result) throw nanobind::python_error();
  return nanobind::steal(result);
}

}  // namespace hexapla::python
