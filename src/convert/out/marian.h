#pragma once
// Models for Marian.
#include <string>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// A folder that marian-decoder and pymarian load: model.npz with its settings inside, model.npz.decoder.yml with those
// of the search, source.spm and target.spm. A model that came from Marian gets the bytes of weights that it had there.
// DataError: the model has what Marian cannot say. UsageError: there is something at `folder`. RunError: the disk.
void export_marian(model::LoadedModel& model, const std::string& folder);

}  // namespace hexapla::convert
