// Read by the sanitizers' runtime at program start; ASAN_OPTIONS and similar variables still
// override each value.
extern "C" {

const char* __asan_default_options() {
  return "detect_leaks=1:detect_stack_use_after_return=1:check_initialization_order=1:strict_string_checks=1";
}

const char* __ubsan_default_options() { return "print_stacktrace=1"; }

// The OpenMP runtime keeps its thread pool until the process ends, Open MPI its information about the machine, and PoCL
// its compiler.
const char* __lsan_default_suppressions() {
  return "leak:libgomp.so\nleak:libmpi.so\nleak:libopen-pal.so\nleak:libopen-rte.so\nleak:libpmix.so\n"
         "leak:libpocl.so\nleak:libLLVM\n";
}

// Third-party libraries are not instrumented, so their internals (libgomp's barriers, oneDNN's
// caches, SentencePiece) are not checked. base/compute/parallel.cpp annotates the barriers of our
// own parallel loops.
const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1:second_deadlock_stack=1"; }
}
