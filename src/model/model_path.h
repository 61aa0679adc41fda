// Which file a model's path names.
#pragma once

#include <string>
#include <vector>

namespace heed::model {

// The model file that a path names: the file itself, or model.safetensors in a run directory. Wherever a model is read,
// both are accepted. InputError if the directory has no model.
std::string model_path(const std::string& path);
// For Option::reads(): the same without errors.
std::vector<std::string> model_files(const std::string& path);
// Whether a path names a run directory, or a file that begins like a model. Never fails.
bool is_model(const std::string& path);
// What to call a model in a table: the name of the run directory, or the path of the file.
std::string model_title(const std::string& path);

}  // namespace heed::model
