// heed vocab: lists a model's vocabularies, or shows how it reads a word.
#include <algorithm>
#include <numeric>

#include "base/json.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "command.h"
#include "model/model_path.h"
#include "translate/frequencies.h"
#include "translate/pipeline.h"

namespace heed::cli {
namespace vocab_command {

struct Values {
  std::string model, side = "both", search;
  int top = 0;
  bool plain = false, json = false;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.flag("side", v.side, "which vocabulary", choices({"source", "target", "both"}));
  o.flag(
      "top", v.top,
      "list only the N most frequent words of the training text (weights of files are ignored); 0: all entries, by id",
      at_least(0));
  o.flag("search", v.search, "show the tokens that this word or text becomes, and whether the model knows them")
      .value("WORD");
  o.flag("plain", v.plain,
         "only the words of one side, one per line in the order of their ids, as `heed import` reads them");
  declare_json(o, v.json);
}

struct Side {
  std::string_view name;
  const text::Vocabulary& words;
  const text::Tokenizer& tokenizer;
  const std::vector<std::int64_t>* frequencies;  // by id; null if the file has none
};

Json frequency_json(const Side& side, text::TokenId id) {
  return side.frequencies == nullptr ? Json() : Json((*side.frequencies)[static_cast<std::size_t>(id)]);
}

std::string frequency_text(const Side& side, text::TokenId id) {
  return side.frequencies == nullptr ? "-" : grouped((*side.frequencies)[static_cast<std::size_t>(id)]);
}

// The entries to list. Without frequencies, the first words are shown, which are the most frequent ones unless they are
// subwords.
std::vector<text::TokenId> chosen_ids(const Side& side, int top) {
  std::vector<text::TokenId> ids(static_cast<std::size_t>(side.words.size()));
  std::iota(ids.begin(), ids.end(), 0);
  if (top == 0) return ids;
  std::erase_if(ids, [&](text::TokenId id) { return side.words.is_special(id); });
  if (side.frequencies != nullptr)
    std::ranges::stable_sort(ids, std::ranges::greater(),
                             [&](text::TokenId id) { return (*side.frequencies)[static_cast<std::size_t>(id)]; });
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(top)));
  return ids;
}

Json list_side(const Side& side, const Values& v) {
  if (v.plain) {
    for (const text::TokenId id : chosen_ids(side, v.top)) write_output(std::string_view(side.words.word(id) + "\n"));
    return {};
  }
  Json list = Json::array();
  if (!v.json) write_output("{} vocabulary: {} entries\n", side.name, grouped(side.words.size()));
  if (!v.json) write_output("{:>8} {:>12}  {}\n", "id", "frequency", "word");
  for (const text::TokenId id : chosen_ids(side, v.top)) {
    const std::string& word = side.words.word(id);
    if (v.json)
      list.push_back({{"id", id},
                      {"word", word},
                      {"frequency", frequency_json(side, id)},
                      {"special", side.words.is_special(id)}});
    else
      write_output("{:>8} {:>12}  {}\n", id, frequency_text(side, id), word);
  }
  return list;
}

Json search_side(const Side& side, const Values& v) {
  Json tokens = Json::array();
  std::size_t unknown = 0;
  bool never_seen = false;
  std::string lines;
  for (const text::Token& token : side.tokenizer.tokenize(v.search)) {
    const text::TokenId id = side.words.id(token.text);
    const bool known = id >= 0 && id != side.words.special().unk;
    if (!known) ++unknown;
    if (known && side.frequencies != nullptr && (*side.frequencies)[static_cast<std::size_t>(id)] == 0)
      never_seen = true;
    tokens.push_back({{"token", token.text},
                      {"known", known},
                      {"id", known ? Json(id) : Json()},
                      {"frequency", known ? frequency_json(side, id) : Json()}});
    lines += fmt::format("{:>8} {:>12}  {}\n", known ? std::to_string(id) : "unknown",
                         known ? frequency_text(side, id) : "-", printable(token.text));
  }
  const bool all_known = unknown == 0 && !tokens.empty();
  if (v.json) return {{"known", all_known}, {"tokens", tokens}};
  write_output("{}: {}\n", side.name,
               tokens.empty() ? "no tokens"
               : !all_known   ? fmt::format("{} of {} tokens unknown", unknown, tokens.size())
               : never_seen   ? "can be spelled, but with tokens that were never seen in training"
                              : "known");
  write_output(lines);
  return {};
}

int run(Values& v, Options& options) {
  check<UsageError>(!options.is_set(&v.search) || v.top == 0,
                    "--search and --top cannot be combined; give only one of them");
  check<UsageError>(!v.plain || !(v.json || options.is_set(&v.search)),
                    "--plain cannot be combined with --{}; give only one of them", v.json ? "json" : "search");
  check<UsageError>(!v.plain || v.side != "both", "--plain lists one vocabulary; add --side source or --side target");
  const std::string path = model::model_path(v.model);
  const model::ModelFile file = model::load_model(path);
  const translate::TextPipeline pipeline = translate::read_pipeline(file, path);
  const auto frequencies = translate::read_frequencies(file, path);
  const Side sides[] = {
      {"source", pipeline.source(), pipeline.source_tokenizer(), frequencies ? &frequencies->source : nullptr},
      {"target", pipeline.target(), pipeline.target_tokenizer(), frequencies ? &frequencies->target : nullptr}};
  if (!frequencies && !v.plain)
    print_note(
        "{} does not record the word frequencies of its training text, so they are shown as -; models trained by this "
        "version record them",
        in_quotes(path));
  Json json = Json::object();
  if (options.is_set(&v.search)) json["search"] = v.search;
  for (const Side& side : sides)
    if (v.side == "both" || v.side == side.name)
      json[std::string(side.name)] = options.is_set(&v.search) ? search_side(side, v) : list_side(side, v);
  if (v.json) print_json(json);
  return 0;
}

}  // namespace vocab_command

const Command kVocab{.name = "vocab",
                     .group = "Models",
                     .summary = "list a model's vocabularies, or look up how it reads a word",
                     .example =
                         "heed vocab run/model.safetensors --side source --top 10\n"
                         "heed vocab run/model.safetensors --search house",
                     .make = action<vocab_command::Values, vocab_command::declare, vocab_command::run>};

}  // namespace heed::cli
