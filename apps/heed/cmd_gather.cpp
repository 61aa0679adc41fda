// heed gather: joins what the workers of a shard directory have made.
#include "command.h"
#include "output_file.h"
#include "shards/worker.h"

namespace heed::cli {
namespace gather_command {

struct Values {
  std::string directory, output;
};

void declare(Options& o, Values& v) {
  o.positional("DIR", v.directory, "the directory of --shard-dir").reads([](const std::string&) {
    return std::vector<std::string>{};
  });
  o.flag("output", v.output, "write to this file instead of standard output; compressed if it ends in .gz, .zst or .xz")
      .value("FILE")
      .writes()
      .common();
}

int run(Values& v, Options& /*options*/) {
  const auto directory = shards::ShardDirectory::open(v.directory);
  OutputFile output(v.output, false);
  shards::gather(directory, [&](std::string_view text) { output.write(text); });
  output.commit();
  return 0;
}

}  // namespace gather_command

const Command kGather{.name = "gather",
                      .group = "Models",
                      .summary = "join the results of many processes that divided a text with --shard-dir",
                      .example =
                          "heed translate run --input pocket.test.en --shard-dir shards\n"
                          "heed gather shards -o translated.de",
                      .make = action<gather_command::Values, gather_command::declare, gather_command::run>};

}  // namespace heed::cli
