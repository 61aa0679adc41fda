// int8 models: the ranges of activations that they are made from, and their files. Every matrix is stored as integers;
// biases, and matrices with a single row, stay in f32.
//
// A file has three tensors per matrix NAME (kernels/int8.h): NAME, I8 [out,in]; NAME.scale, F32 [out]; and, unless NAME
// is only read by row, NAME.input_factor, F32 [in].
#pragma once

#include <map>
#include <memory>
#include <string>

#include "kernels/matmul.h"
#include "model/model_file.h"

namespace heed::model {

// The largest magnitude of each weight's inputs, per kRangeColumns columns; by parameter. Training records it, so that
// the model can be quantized later without the text.
struct InputRanges {
  static constexpr Index kRangeColumns = 64;
  static constexpr const char* kMetadataKey = "heed.input_ranges";

  std::map<std::string, std::vector<float>> largest;

  std::string to_json() const;
  // InputError, which begins with `where`, unless it has the ranges of this model's weights.
  static InputRanges from_json(std::string_view json, const Model& model, std::string_view where);
};

// Records the ranges of everything that the model computes on this thread, from construction to destruction. One at a
// time per thread; the model must outlive it and have f32 parameters.
class RangeRecorder {
 public:
  explicit RangeRecorder(const Model& model);
  ~RangeRecorder();
  RangeRecorder(const RangeRecorder&) = delete;
  RangeRecorder& operator=(const RangeRecorder&) = delete;

  const InputRanges& ranges() const { return ranges_; }

 private:
  void add(const Tensor& x, const Tensor& w);

  const Parameters& parameters_;
  InputRanges ranges_;
  kernels::ProjectObserver observer_;
};

// Whether a parameter is a matrix of an int8 model, and whether products read it.
bool becomes_int8(const autograd::Parameter& parameter);
bool has_input(const autograd::Parameter& parameter);

bool is_int8(const Model& model);

// Writes the int8 version of a model of f32. InternalError if ranges are missing.
void save_int8_model(const std::string& path, const Model& model, const InputRanges& ranges, const Metadata& metadata);

// Uses the parameters of an int8 file in place. InputError unless it has exactly these, with valid scales.
void borrow_int8_parameters(const std::shared_ptr<const Safetensors>& file, const TensorNames& names,
                            Parameters& parameters);

// The numbers that an int8 model stands for, in f32.
std::unique_ptr<Model> to_f32(const Model& model);
// load_model(), but an int8 model is converted to f32: for training and export.
ModelFile load_f32_model(const std::string& path);

}  // namespace heed::model
