#include "hexapla/model.h"

#include "decode/opened/open_model.h"
#include "lib/files/average.h"
#include "lib/guard.h"
#include "model/weights/mixed_precision.h"
#include "model/weights/quantize.h"
#include "model/weights/save_quantized.h"

namespace hexapla {

struct Model::Impl {
  static constexpr const char* kind = "model";
  model::LoadedModel loaded;
};

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Model Model::load(const std::string& path) {
  return api::guarded([&] { return Model(std::make_unique<Impl>(Impl{model::load_model(model::model_file(path))})); });
}

Model Model::average(const std::vector<std::string>& paths) {
  return api::guarded([&] {
    if (paths.empty()) throw UsageError("there is no model to average", "paths", "");
    std::vector<std::string> files;
    for (const std::string& path : paths) files.push_back(api::checkpoint_or_model(path));
    return Model(std::make_unique<Impl>(Impl{api::average_files(files)}));
  });
}

void Model::save(const std::string& path) const {
  api::guarded([&] { model::save_model(path, *impl_->loaded.net, impl_->loaded.text(), impl_->loaded.history); });
}

void Model::save_quantized(const std::string& path, const std::vector<std::string>& keep) const {
  api::guarded([&] {
    model::check_kept(*impl_->loaded.net, keep);
    model::save_quantized(path, *impl_->loaded.net, impl_->loaded.text(), impl_->loaded.history, keep);
  });
}

std::string Model::configuration() const {
  return api::guarded([&] { return impl_->loaded.config.to_json(); });
}

std::map<std::string, std::string> Model::history() const { return impl_->loaded.history; }

std::int64_t Model::parameter_count() const { return impl_->loaded.parameters->count(); }

std::vector<ParameterView> Model::parameters() {
  return api::guarded([&] {
    std::vector<ParameterView> all;
    model::for_each<model::Parameter>(*impl_->loaded.net, [&](const std::string& name, const model::Parameter& p) {
      ParameterView view{name, {}, p.value.data<float>(), static_cast<size_t>(p.shape.size())};
      for (int64_t i = 0; i < p.shape.rank(); ++i) view.shape.push_back(p.shape[i]);
      all.push_back(std::move(view));
    });
    return all;
  });
}

std::string Model::source_vocabulary() const { return impl_->loaded.source_vocabulary; }
std::string Model::target_vocabulary() const { return impl_->loaded.target_vocabulary; }

}  // namespace hexapla
