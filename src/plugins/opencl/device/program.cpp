#include "opencl/device/program.h"

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/hash.h"

namespace hexapla::opencl {
namespace {

constexpr size_t kLinesOfLog = 12;

std::string first_lines(const std::string& log) {
  size_t end = 0;
  for (size_t line = 0; line < kLinesOfLog && end != std::string::npos; ++line) end = log.find('\n', end + 1);
  return log.substr(0, end);
}

std::string log_of(cl_program program, cl_device_id device) {
  size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log.substr(0, log.find('\0'));
}

const char* options_of(DType type) { return type == DType::f64 ? "-DHEXAPLA_F64" : ""; }

Compiled compiled(const Device& device, DType type, const std::string& source) {
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  Compiled program(clCreateProgramWithSource(device.context(), 1, &text, nullptr, &status));
  check(status, "load the kernels");
  const cl_device_id id = device.id();
  if (clBuildProgram(program.get(), 1, &id, options_of(type), nullptr, nullptr) != CL_SUCCESS)
    throw RunError(cat("the kernels do not compile for the OpenCL device ", device.name(), " (", name_of(type),
                       "); its compiler says:\n", first_lines(log_of(program.get(), id)),
                       "\nUpdate its driver, or give `device` cpu"));
  return program;
}

// A kept program begins with the hash of the rest. Empty: there is none, or it is damaged.
std::string kept(const std::string& path) {
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return "";
  try {
    const std::string all = read_file(path), bytes = all.size() < 32 ? "" : all.substr(32);
    return !bytes.empty() && hash_hex(bytes) == all.substr(0, 32) ? bytes : "";
  } catch (const Error&) {
    return "";
  }
}

// No error if it cannot be kept: the next start compiles again.
void keep(cl_program program, const std::string& path) {
  size_t size = 0;
  if (path.empty() || clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS ||
      size == 0)
    return;
  std::string bytes(size, '\0');
  auto* start = reinterpret_cast<unsigned char*>(bytes.data());
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof start, &start, nullptr) != CL_SUCCESS) return;
  try {
    std::filesystem::create_directories(directory_of(path));
    write_file_atomically(path, hash_hex(bytes) + bytes);
  } catch (const std::exception&) {  // a full disk, or a folder that cannot be written
  }
}

// Null: the driver does not accept it.
Compiled from_binary(const Device& device, DType type, const std::string& bytes) {
  if (bytes.empty()) return {};
  const cl_device_id id = device.id();
  const size_t size = bytes.size();
  const auto* start = reinterpret_cast<const unsigned char*>(bytes.data());
  cl_int accepted = CL_SUCCESS, status = CL_SUCCESS;
  Compiled program(clCreateProgramWithBinary(device.context(), 1, &id, &size, &start, &accepted, &status));
  if (status != CL_SUCCESS || accepted != CL_SUCCESS) return {};
  if (clBuildProgram(program.get(), 1, &id, options_of(type), nullptr, nullptr) != CL_SUCCESS) return {};
  return program;
}

}  // namespace

Program::Program(const Device& device, DType type, const std::string& source, const std::string& cache) {
  const std::string path =
      cache.empty() ? "" : cat(cache, "/", hash_hex(cat(device.version(), "\n", name_of(type), "\n", source)), ".bin");
  program_ = from_binary(device, type, kept(path));
  if (program_.get() != nullptr) return;
  program_ = compiled(device, type, source);
  keep(program_.get(), path);
}

cl_kernel Program::kernel(const std::string& name) {
  Kernel& found = kernels_[name];
  if (found.get() == nullptr) {
    cl_int status = CL_SUCCESS;
    found = Kernel(clCreateKernel(program_.get(), name.c_str(), &status));
    check(status, cat("make the kernel ", name));
  }
  return found.get();
}

}  // namespace hexapla::opencl
