#include "opencl/device/device.h"

#include <algorithm>

#include "base/error.h"

namespace hexapla::opencl {
namespace {

constexpr size_t kLeastLocalMemory = 16 << 10;  // bytes: what OpenCL 1.2 promises, less than any GPU has

const char* name_of(cl_int status) {
  switch (status) {
    case CL_DEVICE_NOT_AVAILABLE:
      return "the device is not available";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "the device has too little free memory";
    case CL_OUT_OF_RESOURCES:
      return "the device has run out of resources, or was lost";
    case CL_OUT_OF_HOST_MEMORY:
      return "the host has too little free memory";
    case CL_BUILD_PROGRAM_FAILURE:
      return "a program does not compile";
    case CL_INVALID_BUFFER_SIZE:
      return "the device has no buffers of this size";
    case CL_INVALID_COMMAND_QUEUE:
      return "the device was lost";
    default:
      return "OpenCL's error";
  }
}

template <class T>
T number(cl_device_id device, cl_device_info what) {
  T value{};
  constexpr size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): some properties are handles
  check(clGetDeviceInfo(device, what, kBytes, &value, nullptr), "ask a device for its properties");
  return value;
}

std::string text(cl_device_id device, cl_device_info what) {
  size_t size = 0;
  check(clGetDeviceInfo(device, what, 0, nullptr, &size), "ask a device for its properties");
  std::string all(size, '\0');
  check(clGetDeviceInfo(device, what, size, all.data(), nullptr), "ask a device for its properties");
  return all.substr(0, all.find('\0'));
}

std::string platform_name(cl_device_id device) {
  const auto platform = number<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  char name[256] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
  return name;
}

bool has_f64(cl_device_id device) {
  return text(device, CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos;
}

std::vector<cl_platform_id> all_platforms() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  return platforms;
}

// By number: GPUs first, else as the platforms list them.
std::vector<cl_device_id> all_devices() {
  std::vector<cl_device_id> all;
  for (cl_platform_id platform : all_platforms()) {
    cl_uint n = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS) continue;
    all.resize(all.size() + n);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, all.data() + all.size() - n, nullptr);
  }
  std::stable_partition(all.begin(), all.end(), [](cl_device_id d) {
    return (number<cl_device_type>(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
  });
  return all;
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) all += cat(i == 0 ? "" : "; ", "opencl:", i, " is ", names[i]);
  return all;
}

cl_device_id device_of(int number) {
  const std::vector<cl_device_id> all = all_devices();
  if (all.empty() && all_platforms().empty())
    throw UsageError(
        "there is no OpenCL device here: install the OpenCL driver of the GPU's vendor (clinfo lists what is found), "
        "or give `device` cpu");
  if (all.empty())  // PoCL where its folder cannot be made, for example
    throw UsageError(
        "an OpenCL driver is installed, but finds no device: it may need a folder for compiled kernels that it can "
        "write (check XDG_CACHE_HOME, POCL_CACHE_DIR and HOME; clinfo lists what is found), or give `device` cpu");
  if (number < 0 || number >= std::ssize(all))
    throw UsageError(cat("there is no OpenCL device ", number, ": ", listed(device_names())));
  return all[static_cast<size_t>(number)];
}

[[noreturn]] void refuse_device(const std::string& name, const std::string& why) {
  throw UsageError(
      cat("the OpenCL device ", name, " cannot be used: ", why, "; choose another one, or give `device` cpu"));
}

}  // namespace

void check(cl_int status, const std::string& doing) {
  if (status == CL_SUCCESS) return;
  const bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES;
  throw RunError(cat("cannot ", doing, " on the OpenCL device: ", name_of(status), " (", status, ")",
                     memory ? "; smaller batches need less memory" : ""));
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (cl_device_id d : all_devices())
    names.push_back(cat(text(d, CL_DEVICE_NAME), " (", platform_name(d), ", driver ", text(d, CL_DRIVER_VERSION), ", ",
                        number<cl_ulong>(d, CL_DEVICE_GLOBAL_MEM_SIZE) >> 20, " MiB, f32",
                        opencl::has_f64(d) ? " and f64)" : " only)"));
  return names;
}

Device::Device(int number) : id_(device_of(number)), name_(text(id_, CL_DEVICE_NAME)) {
  f64_ = opencl::has_f64(id_);
  local_memory_ = opencl::number<cl_ulong>(id_, CL_DEVICE_LOCAL_MEM_SIZE);
  memory_ = opencl::number<cl_ulong>(id_, CL_DEVICE_GLOBAL_MEM_SIZE);
  largest_buffer_ = opencl::number<cl_ulong>(id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const auto group = opencl::number<size_t>(id_, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  if (opencl::number<cl_bool>(id_, CL_DEVICE_AVAILABLE) == CL_FALSE)
    refuse_device(name_, "its driver says that it is not available");
  if (opencl::number<cl_bool>(id_, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE)
    refuse_device(name_, "its driver has no compiler");
  if (group < static_cast<size_t>(kGroup))
    refuse_device(name_, cat("its work groups have at most ", group, " items, and the kernels need ", kGroup));
  if (local_memory_ < kLeastLocalMemory)
    refuse_device(name_,
                  cat("it has ", local_memory_, " bytes of local memory, and the kernels need ", kLeastLocalMemory));
  cl_int status = CL_SUCCESS;
  context_ = OpenContext(clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status));
  check(status, "open a context");
  queue_ = CommandQueue(clCreateCommandQueue(context(), id_, 0, &status));
  check(status, "open a queue");
}

std::string Device::version() const {
  return cat(platform_name(id_), "\n", name_, "\n", text(id_, CL_DEVICE_VERSION), "\n", text(id_, CL_DRIVER_VERSION));
}

}  // namespace hexapla::opencl
