// heed translate: standard input to standard output, one line out for each line in.
#include "base/files.h"
#include "command.h"
#include "translate/translator.h"

namespace heed::cli {
namespace {

struct Values {
  std::string model;
  int batch = 64;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file");
  o.flag("batch", v.batch, "sentences computed together", range(1, 100000));
}

int run(Values& v, Options& /*options*/) {
  Translator translator(v.model);
  LineReader reader("-");
  // Enough lines at a time to sort into batches of like length, few enough that a long text streams.
  const std::size_t window = 50 * static_cast<std::size_t>(v.batch);
  std::vector<std::string> lines;
  for (bool more = true; more;) {
    lines.clear();
    for (std::string line; lines.size() < window && (more = reader.next(line));) lines.push_back(line);
    for (const Translated& result : translator.translate(lines, static_cast<std::size_t>(v.batch)))
      write_output(result.text + "\n");
    flush_output();
  }
  return 0;
}

}  // namespace

extern const Command kTranslate;
const Command kTranslate{.name = "translate",
                         .group = "Models",
                         .summary = "translate text, one line out for each line in",
                         .example = "echo 'The old man sees a dog.' | heed translate run/model.safetensors",
                         .make = action<Values, declare, run>};

}  // namespace heed::cli
