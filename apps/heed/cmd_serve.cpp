// heed serve: an HTTP server that translates.
#include "base/system.h"
#include "base/terminal.h"
#include "command.h"
#include "model/model_path.h"
#include "serve/health_check.h"
#include "serve/service.h"
#include "text/languages.h"

namespace heed::cli {
namespace serve_command {

struct Values {
  serve::ServeOptions serve;
  std::string check;
};

void declare(Options& o, Values& v) {
  o.positional("[PAIR=]MODEL", v.serve.models,
               "one model file or run directory per language pair; en-de=MODEL names the languages of a model that "
               "does not record them",
               0)
      .reads([](const std::string& argument) { return model::model_files(serve::model_of_argument(argument)); });
  o.flag("check", v.check, "only ask the server at this port or address whether it is ready; exit code 0: yes, 1: no")
      .value("PORT|URL");
  declare(o, v.serve);
}

// A pair may be named differently on purpose, for example for a dialect.
void note_other_languages(const serve::LanguagePair& pair) {
  const auto& [source, target] = pair.translator->pipeline().languages();
  const std::string recorded = text::language_key(source) + "-" + text::language_key(target);
  if (!source.empty() && !target.empty() && recorded != pair.name())
    print_note("the model of {} records that it translates {}", pair.name(), printable(recorded));
}

int run(Values& v, Options& options) {
  if (!v.check.empty()) {
    check<UsageError>(v.serve.models.empty(), "--check {} asks a running server, so it takes no model", v.check);
    serve::check_health(v.check);
    return 0;
  }
  check<UsageError>(!v.serve.models.empty(), "no model to serve; name one, for example heed serve run");
  resolve(v.serve, options);
  serve::block_signals();  // before any thread is started
  serve::Service service(v.serve, [](std::string_view lines) { return write_all(STDERR_FILENO, lines) == 0; });
  service.open();
  std::string pairs;
  for (const auto& pair : service.loaded()->pairs.all()) {
    note_other_languages(*pair);
    pairs += (pairs.empty() ? "" : ", ") + pair->name();
  }
  const bool is_ipv6 = v.serve.host.find(':') != std::string::npos;
  write_output("serving {} on http://{}{}{}:{}\n", pairs, is_ipv6 ? "[" : "", v.serve.host, is_ipv6 ? "]" : "",
               service.port());
  flush_output();
  service.run();
  return 0;
}

}  // namespace serve_command

const Command kServe{.name = "serve",
                     .group = "Models",
                     .summary = "answer translation requests over HTTP, with the APIs of LibreTranslate and DeepL",
                     .example = "heed serve en-de=run --port 5018",
                     .make = action<serve_command::Values, serve_command::declare, serve_command::run>};

}  // namespace heed::cli
