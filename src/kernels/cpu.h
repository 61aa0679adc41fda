// The instruction set that the kernels run on. It is chosen once, at the first use, from what the machine has:
// the binary itself is built for plain x86-64. The environment variable HEED_CPU (scalar, sse4, avx2, avx512) lowers
// the choice, for tests and for reproducing another machine's numbers.
#pragma once

#include <string>
#include <vector>

namespace heed::kernels {

// "AVX-512", "AVX2", "SSE4" or "scalar".
std::string instruction_set();

// The processor's own name, "AMD EPYC 7B13"; empty if the system does not tell.
std::string processor_name();

// Every name that this machine can run, best first.
std::vector<std::string> instruction_sets();

// For tests: makes the SIMD kernels (not oneDNN, which chooses once per process) use the named set.
void use_instruction_set(const std::string& name);

}  // namespace heed::kernels
