// The digests in a shard directory: "xxh64:" and 16 hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace heed::shards {

std::string digest_of(std::string_view text);
// The digest of a whole file. InputError if it cannot be read.
std::string digest_of_file(const std::string& path);
// A digest that takes little time even for a large file: of its size and 64 parts of 1 MiB each. A file of up to 64 MiB
// is read as a whole.
std::string sampled_digest_of_file(const std::string& path);

}  // namespace heed::shards
