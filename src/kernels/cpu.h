// The instruction set of the kernels. The binary runs on any x86-64 machine; at the first use heed chooses the best
// instruction set that the machine has. The environment variable HEED_CPU (scalar, sse4, avx2, avx512) selects a lesser
// one, for tests and to reproduce another machine's numbers. Thread-safe.
#pragma once

#include <string>
#include <vector>

namespace heed::kernels {

// "AVX-512", "AVX2", "SSE4" or "scalar".
std::string instruction_set();
// Its value in HEED_CPU: "avx512", "avx2", "sse4" or "scalar".
std::string instruction_set_variable();

// The name of the processor, such as "AMD EPYC 7B13"; empty if unknown.
std::string processor_name();

// All instruction sets that this machine can run, best first.
std::vector<std::string> instruction_sets();

// Whether int8 products use the VNNI instructions: AVX-512 is in use, and the machine has them.
bool uses_vnni();
// For tests: false keeps the int8 products from using them.
void allow_vnni(bool allowed);

// For tests: makes the SIMD kernels use the named set. oneDNN keeps its own choice. UsageError if it is not available.
void use_instruction_set(const std::string& name);

}  // namespace heed::kernels
