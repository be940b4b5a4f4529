#pragma once
// The implementation of nn::Layer: a layer of src/core/model with the memory of its parameters.
#include "lib/nn/pass.h"
#include "model/parameters/parameters.h"

namespace hexapla::api {

class LayerState {
 public:
  virtual ~LayerState() = default;
  virtual std::vector<nn::Parameter> views() = 0;
  virtual void initialize(uint64_t seed, double gain) = 0;
  virtual const model::Parameters& parameters() const = 0;
};

nn::Parameter view_of(const std::string& name, const Shape& shape, const Tensor& value, const Tensor& gradient);

template <class Module>
class OwnedLayer final : public LayerState {
 public:
  explicit OwnedLayer(Module m)
      : module(std::move(m)), parameters_(module, DType::f32, model::Parameters::Use::training) {
    uint32_t number = 0;
    model::for_each<model::Dropout>(module, [&](const std::string&, model::Dropout& d) { d.number = ++number; });
    OwnedLayer::initialize(named_seed(1, 0), 1);
  }

  std::vector<nn::Parameter> views() override {
    std::vector<nn::Parameter> all;
    model::for_each<model::Parameter>(module, [&](const std::string& name, const model::Parameter& p) {
      all.push_back(view_of(name, p.shape, p.value, p.grad));
    });
    model::for_each<model::Buffer>(module, [&](const std::string& name, const model::Buffer& b) {
      all.push_back(view_of(name, b.shape, b.value, {}));
    });
    return all;
  }
  void initialize(uint64_t seed, double gain) override { model::initialize(module, seed, gain); }
  const model::Parameters& parameters() const override { return parameters_; }

  Module module;

 private:
  model::Parameters parameters_;
};

template <class Module>
std::shared_ptr<LayerState> own(Module module) {
  return std::make_shared<OwnedLayer<Module>>(std::move(module));
}

// The module of a layer made by own<Module>().
template <class Module>
Module& module_of(const nn::Layer& layer) {
  return static_cast<OwnedLayer<Module>&>(*layer.state()).module;
}

}  // namespace hexapla::api
