// The plugin hexapla_opencl.so: the only code that is linked with OpenCL. The program opens it when an
// OpenCL device is asked for (backend/opencl/opencl.cpp), so one program runs with and without OpenCL.
#include "backend/opencl/plugin.h"

#include "opencl/opencl_backend.h"

namespace hexapla::opencl {
namespace {

Backend* open_device(int number) { return std::make_unique<OpenclBackend>(number).release(); }

}  // namespace
}  // namespace hexapla::opencl

extern "C" [[gnu::visibility("default")]] const hexapla::opencl::Plugin hexapla_opencl_plugin{
    HEXAPLA_VERSION, &hexapla::opencl::open_device, &hexapla::opencl::device_names};
