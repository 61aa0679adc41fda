#include "heed/model.h"

#include "api/guard.h"
#include "base/safetensors.h"
#include "model/model_file.h"

namespace heed {

void write_model(const std::string& model, const std::string& weights, const std::string& out) {
  api::guarded([&] {
    const model::ModelFile old = model::load_model(model);
    const Safetensors file(weights);
    const model::Model changed(old.model->config(), DType::f32, model::copied_from(file, "", old.names));
    save_model(out, changed, old.metadata);
  });
}

}  // namespace heed
