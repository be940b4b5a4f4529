#include "backend/guarded/guarded.h"

#include "backend/decorators/each_op.h"
#include "backend/guarded/ranges.h"

namespace hexapla {
namespace {

class Guarded final : public Decorator {
 public:
  explicit Guarded(std::unique_ptr<Backend> inner) : Decorator(*inner), owned_(std::move(inner)) {}
  std::string name() const override { return inner_.name() + ", guarded"; }

  bool host_memory() const override { return false; }
  Pages allocate(size_t bytes) override { return ranges_->reserve(bytes); }
  void copy_to_device(const void* host, void* device, size_t bytes) override {
    std::memcpy(memory(device), host, bytes);
  }
  void copy_to_host(const void* device, void* host, size_t bytes) override { std::memcpy(host, memory(device), bytes); }

 private:
  // Gives the inner backend the same tensors at the addresses that it can read and write.
  void run(const Op& op, const Compute& compute) override {
    for (const OpTensor& t : op.tensors)
      if (t.tensor) t.tensor->bytes = memory(t.tensor->bytes);
    compute(inner_);
  }
  std::byte* memory(const void* address) const {
    std::byte* found = ranges_->find(address);
    HEXAPLA_CHECK(found, "a tensor does not lie in memory of the device");
    return found;
  }

  std::unique_ptr<Backend> owned_;
  std::shared_ptr<guarded::Ranges> ranges_ = std::make_shared<guarded::Ranges>();
};

}  // namespace

std::unique_ptr<Backend> make_guarded_backend(std::unique_ptr<Backend> inner) {
  HEXAPLA_CHECK(inner->host_memory(), inner->name(), " does not work in the memory of the host");
  return std::make_unique<Guarded>(std::move(inner));
}

}  // namespace hexapla
