// Every format of parallel text: what it reads, which side is which, and what it refuses.
#include "data/formats/format.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "data/temporary.h"
#include "support/compressed.h"

namespace heed {
namespace {

using namespace std::string_literals;

class Formats : public ::testing::Test {
 protected:
  // "source|target" of each pair; the notes and lines in notes_ and lines_.
  std::vector<std::string> read(const data::CorpusFiles& files) {
    data::PairReader reader(files);
    std::vector<std::string> pairs;
    lines_.clear();
    for (data::SentencePair pair; reader.next(pair);) {
      pairs.push_back(pair.source + "|" + pair.target);
      lines_.push_back(pair.line);
    }
    notes_ = reader.notes();
    return pairs;
  }
  std::vector<std::string> read(const std::string& name, const std::string& text, const data::Languages& languages = {},
                                const std::string& columns = "") {
    return read({.parts = {{.file = directory_.write(name, text)}},
                 .columns = data::parse_columns(columns),
                 .languages = languages});
  }
  // The error, without the directory.
  template <class... Arguments>
  std::string refusal(const Arguments&... arguments) {
    try {
      read(arguments...);
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string folder = directory_.path("");
      for (std::size_t at; (at = text.find(folder)) != text.npos;) text.erase(at, folder.size());
      return text;
    }
    return "nothing was thrown";
  }
  bool noted(std::string_view part) const {
    return std::ranges::any_of(notes_, [&](const std::string& note) { return note.find(part) != note.npos; });
  }

  TemporaryDirectory directory_;
  std::vector<std::string> notes_;
  std::vector<std::int64_t> lines_;
};

using Pairs = std::vector<std::string>;
const data::Languages kGermanToEnglish{"de", "en"};

#define EXPECT_PART(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Formats, columns_of_a_table_by_header_number_or_name) {
  const std::string rows = "x\tHallo.\tHello.\ny\tTschüss.\tBye.\n";
  const Pairs forward = {"Hallo.|Hello.", "Tschüss.|Bye."}, backward = {"Hello.|Hallo.", "Bye.|Tschüss."};
  for (const char* header : {"id\tde\ten\n", "ID\tde-DE\ten_GB\n", "id\tGerman\tEnglish\n", "id\tDeutsch\tenglish\n",
                             "id\tdeu\teng\n", "id\tsource\ttarget\n", "id\tsrc\ttgt\n", "no\tSource\tTRG\n"}) {
    EXPECT_EQ(read("a.tsv", header + rows), forward) << header;
    EXPECT_EQ(read("a.tsv", header + rows, kGermanToEnglish), forward) << header;
    EXPECT_EQ(read("a.tsv", header + rows, {}, "2,3"), forward) << header;
    EXPECT_EQ(lines_, (std::vector<std::int64_t>{2, 3}));
  }
  EXPECT_EQ(read("a.tsv", "id\tde\ten\n" + rows, {"en", "de"}), backward);
  EXPECT_EQ(read("a.tsv", "id\tde\ten\n" + rows, {"English", ""}), backward);
  EXPECT_EQ(read("a.tsv", "id\tde\ten\n" + rows, {"", "de-AT"}), backward);
  EXPECT_EQ(read("a.tsv", "id\ta\tb\n" + rows, {}, "b,a"), backward);
  EXPECT_EQ(read("a.tsv", rows, {}, "3,2"), backward) << "no header";
  EXPECT_EQ(read("a.tsv", "Hallo.\tHello.\tx\n"), Pairs{"Hallo.|Hello."}) << "the first two";
  EXPECT_EQ(read("a.tsv", "id\tde\tfr\ten\n-\ta\tb\tc\n", kGermanToEnglish), Pairs{"a|c"});
}

TEST_F(Formats, a_header_is_reported_or_refused) {
  read("a.tsv", "de\ten\nHallo.\tHello.\n");
  EXPECT_TRUE(noted("translating from German (de) to English (en)"));
  read("a.tsv", "de\ten\nHallo.\tHello.\n", kGermanToEnglish);
  EXPECT_TRUE(notes_.empty());
  EXPECT_PART(refusal("a.tsv"s, "fr\ten\na\tb\n"s, kGermanToEnglish),
              "a.tsv:1: the columns are French (fr) and English (en), but the pairs should go from German (de) to");
  EXPECT_PART(refusal("a.tsv"s, "fr\ten\na\tb\n"s, kGermanToEnglish),
              "; correct --source-language or --target-language");
  EXPECT_PART(refusal("a.tsv"s, "de\tfr\ten\na\tb\tc\n"s), "the columns are German (de), French (fr) and English (en)");
  EXPECT_PART(refusal("a.tsv"s, "de\tfr\ten\na\tb\tc\n"s), "; set --source-language and --target-language");
  EXPECT_PART(refusal("a.tsv"s, "a\tb\n1\t2\n"s, data::Languages{}, "a,c"s),
              "a.tsv:1: there is no column 'c'; the first line has a and b");
  EXPECT_PART(refusal("a.tsv"s, "de\ten\n"s), "'a.tsv' is empty");
}

TEST_F(Formats, headers_in_other_languages) {
  const std::string rows = "a,Hallo.,Hello.\nb,Danke.,Thanks.\n";
  const Pairs pairs = {"Hallo.|Hello.", "Danke.|Thanks."};
  for (const char* header :
       {"id,Deutsch,Englisch\n", "id,Allemand,Anglais\n", "id,Aleman,Ingles\n", "id,alemán,inglés\n",
        "id,German text,English_sentence\n", "id,немецкий,английский\n", "id,ドイツ語,英語\n",
        "id,Tiếng Đức,Tiếng Anh\n", "id,Quelle,Ziel\n", "id,source_text,target_text\n", "id,Source,Cible\n",
        "id,Origen,Destino\n", "id,Original,Übersetzung\n"}) {
    EXPECT_EQ(read("a.csv", header + rows), pairs) << header;
    EXPECT_FALSE(noted("was read as a pair")) << header;
  }
  EXPECT_EQ(read("a.csv", "id,Allemand,Anglais\n" + rows, {"en", "de"}), (Pairs{"Hello.|Hallo.", "Thanks.|Danke."}));
  EXPECT_EQ(read("a.jsonl", "{\"Anglais\": \"Hello.\", \"Allemand\": \"Hallo.\"}\n", kGermanToEnglish),
            Pairs{"Hallo.|Hello."});
  EXPECT_EQ(read("a.csv", "Ingles,Espanol\nHello.,Hola.\n"), Pairs{"Hello.|Hola."});
  EXPECT_TRUE(noted("translating from English (en) to Spanish (es)"));
  EXPECT_EQ(read("a.csv", "Polish,Polnisch\nGerman,Deutsch\n").size(), 2u) << "a dictionary";
  EXPECT_FALSE(notes_.size() > 1);
}

TEST_F(Formats, a_language_may_be_one_word_of_a_column_name) {
  const std::string rows = "1,Hallo.,Hello.\n2,Danke.,Thanks.\n";
  const Pairs pairs = {"Hallo.|Hello.", "Danke.|Thanks."};
  for (const char* header :
       {"Nr.,Deutscher Satz,Englischer Satz\n", "sentence_id,text_de,text_en\n", "Nr,Deutsch (DE),Englisch (GB)\n",
        "no,Deutsch,Engl.\n", "id,Dt.,Engl. Satz\n", "x,text.deu,text.eng\n", "id,Text (de),Text (en)\n",
        "Nr,Deutsch,Englisch\n", "id,Deutsch [BR],Englisch\n"}) {
    EXPECT_EQ(read("a.csv", header + rows), pairs) << header;
    EXPECT_TRUE(noted("translating from German (de) to English (en)")) << header;
    EXPECT_EQ(read("a.csv", header + rows, {"englisch", "deutsch"})[0], "Hello.|Hallo.") << header;
    EXPECT_EQ(read("a.csv", header + rows, {}, "2,3"), pairs) << header;
  }
  EXPECT_EQ(read("a.jsonl", "{\"text_de\": \"a\", \"text_en\": \"b\"}\n", {"en", "de"}), Pairs{"b|a"});
  // Sentences are not headers, whatever words they have.
  for (const char* row : {"So what.,Et alors.", "He is German,Er ist Deutscher", "de la,of the", "It is so,Es ist so",
                          "I speak English and German,Ich spreche Deutsch", "Text (1),Satz (2)"})
    EXPECT_EQ(read("a.csv", row + "\nHallo.,Hello.\n"s).size(), 2u) << row;
  // Two columns of one language: which is meant is not clear.
  EXPECT_EQ(read("a.csv", "Deutscher Satz,Englischer Satz,Englische Notiz\na,b,c\n").size(), 2u);
}

TEST_F(Formats, a_header_with_other_languages_is_refused_whatever_else_it_has) {
  const std::string table = "Nr.;Deutsch;Englisch;Bemerkung\n1;Hallo.;Hello.;x\n";
  EXPECT_EQ(read("a.csv", table), Pairs{"Hallo.|Hello."});
  EXPECT_EQ(read("a.csv", table, {"englisch", "deutsch"}), Pairs{"Hello.|Hallo."});
  EXPECT_PART(
      refusal("a.csv"s, table, data::Languages{"de", "fr"}),
      "a.csv:1: the columns are German (de) and English (en), but the pairs should go from German (de) to French");
  EXPECT_PART(refusal("a.csv"s, "de;en;fr;x\na;b;c;d\n"s), "but the pairs should go from one language to another;");
}

TEST_F(Formats, a_column_of_numbers_is_not_text) {
  const std::string rows = "1;Hallo.;Hello.\n2;Danke.;Thanks.\n";
  EXPECT_PART(
      refusal("a.csv"s, "Nr.;Satz;Meaning\n" + rows),
      "a.csv: column 1 has only numbers or ids, and the first line does not say which columns are source and target: "
      "1 'Nr.', 2 'Satz' and 3 'Meaning'; give them, such as --columns 2,3");
  EXPECT_PART(refusal("a.csv"s, "Satz;Nr.;Meaning\nHallo.;1;Hello.\nDanke.;2;Thanks.\n"s), "--columns 1,3");
  std::string many = rows;
  for (int i = 0; i < 5; ++i) many += "7\tHallo.\tHello.\n";
  std::ranges::replace(many, ';', '\t');
  EXPECT_PART(refusal("a.tsv"s, many + "end.\tEnde.\tx\n"), "column 1 has only numbers");
  EXPECT_EQ(read("a.csv", "Nr.;Satz;Meaning\n" + rows, {}, "2,3").size(), 3u) << "chosen by the user";
  EXPECT_EQ(read("a.csv", "1;2\n3;4\n5;6\n").size(), 3u) << "there are no other columns";
  EXPECT_EQ(read("a.csv", "Nr.;Satz;Meaning\n" + rows + "drei;drei;three\n").size(), 4u) << "not only numbers";
}

TEST_F(Formats, a_column_of_ids_is_not_text) {
  for (const char* id : {"s-1", "menu.open", "a_b", "file:2", "#3"}) {
    const std::string rows = id + ";Hallo.;Hello.\n"s + id + ";Danke.;Thanks.\n";
    EXPECT_PART(refusal("a.csv"s, rows), "column 1 has only numbers or ids") << id;
    EXPECT_EQ(read("a.csv", rows + "Bitte;x;y\n").size(), 3u) << id;
  }
  for (const char* words : {"Hallo.", "so 1", "\u4f60\u597d3", "end:"})
    EXPECT_EQ(read("a.csv", words + ";a;b\n"s + words + ";a;b\n").size(), 2u) << words;
}

TEST_F(Formats, a_first_row_of_single_words_before_sentences_is_noted) {
  std::string rows;
  for (int i = 0; i < 5; ++i) rows += "Wie geht es?;How are you?\n";
  const auto is_noted = [&](const std::string& text) {
    read("a.csv", text);
    return noted("a.csv:1: the first line was read as a pair");
  };
  EXPECT_TRUE(is_noted("question;answer\n" + rows));
  EXPECT_FALSE(is_noted("Ja.;Yes.\n" + rows));
  EXPECT_FALSE(is_noted("question;an answer\n" + rows));
  EXPECT_FALSE(is_noted("question;answer\nJa.;Yes.\n" + rows)) << "there are other short rows";
}

TEST_F(Formats, an_archive_is_not_text) {
  EXPECT_PART(refusal("a.docx"s, "PK\x03\x04..."s),
              "a.docx' is a zip archive or an office document, not parallel text");
}

TEST_F(Formats, tables_that_do_not_name_their_languages_are_noted_beside_others) {
  const std::string named = directory_.write("n.csv", "English;German\nE1;D1\n"),
                    words = directory_.write("w.csv", "Ausgangstext;Übersetzung\nD2;E2\n"),
                    json = directory_.write("j.jsonl", "{\"source\": \"D3\", \"target\": \"E3\"}\n");
  const auto read_files = [&](std::vector<std::string> files, const std::string& columns = "") {
    return read(data::list_corpus({.files = std::move(files), .columns = columns}));
  };
  const std::string taken = ": it does not name its languages; its pairs are assumed to go from English (en) to German";
  EXPECT_EQ(read_files({named, words}), (Pairs{"E1|D1", "D2|E2"}));
  EXPECT_TRUE(noted("w.csv" + taken));
  read_files({json, named});
  EXPECT_TRUE(noted("j.jsonl" + taken));
  read_files({words, json});
  EXPECT_TRUE(notes_.empty()) << "nothing names a language";
  // Columns that the user chooses are named if they are languages, and decide about the other files.
  const std::string more = directory_.write("m.csv", "x;Deutsch;English\n-;D4;E4\n"),
                    tmx = directory_.write("t.tmx",
                                           "<tmx version=\"1.4\"><header srclang=\"en\"/><body><tu><tuv "
                                           "xml:lang=\"en\"><seg>E5</seg></tuv><tuv "
                                           "xml:lang=\"de\"><seg>D5</seg></tuv></tu></body></tmx>\n");
  EXPECT_EQ(read_files({more, tmx}, "Deutsch,English"), (Pairs{"D4|E4", "D5|E5"}));
  EXPECT_FALSE(noted("does not name"));
  EXPECT_EQ(read_files({more, tmx}, "2,3"), (Pairs{"D4|E4", "D5|E5"}));
  read_files({more, named}, "1,2");
  EXPECT_TRUE(noted("m.csv: it does not name its languages"));
  try {
    read_files({tmx, more}, "Deutsch,English");
    ADD_FAILURE() << "half of the pairs go the other way";
  } catch (const InputError& error) {
    EXPECT_PART(std::string(error.what()),
                "m.csv: the pairs of --columns go from German (de) to English (en), but they "
                "should go from English (en) to German (de)");
  }
}

TEST_F(Formats, languages_of_a_model_turn_pairs_round_with_a_note) {
  const data::Languages model{.source = "en", .target = "de", .why = "as the model does"};
  EXPECT_EQ(read("a.csv", "German;English\nD1;E1\n", model), Pairs{"E1|D1"});
  EXPECT_TRUE(noted("a.csv: translating from English (en) to German (de), as the model does"));
  EXPECT_EQ(read("a.csv", "D1.;E1.\n", model), Pairs{"D1.|E1."});
  EXPECT_TRUE(notes_.empty()) << "the table does not say";
}

TEST_F(Formats, a_first_line_that_looks_like_a_header_is_noted) {
  for (const char* odd : {"text_a,text_b\n", "Sentence,Meaning\n", "id,Klingon\n", "source,meaning\n"}) {
    EXPECT_EQ(read("a.csv", odd + "Hallo.,Hello.\n"s).size(), 2u) << odd;
    EXPECT_TRUE(noted("a.csv:1: the first line was read as a pair") && noted("--columns")) << odd;
  }
  for (const char* pair : {"Hallo,Hello\n", "Hi,Hallo\n", "Ja.,Yes.\n", "Das ist ein Text,This is a text\n"}) {
    read("a.csv", pair + "Hallo.,Hello.\n"s);
    EXPECT_TRUE(notes_.empty()) << pair << notes_.front();
  }
}

TEST_F(Formats, the_endings_of_plain_files_count_as_languages) {
  const std::string english = directory_.write("x.en", "E1\n"), german = directory_.write("x.de", "D1\n"),
                    header = directory_.write("a.csv", "German;English\nD2;E2\n"),
                    json = directory_.write("j.jsonl", "{\"de\": \"D3\", \"en\": \"E3\"}\n"),
                    bare = directory_.write("b.tsv", "D4.\tE4.\n"),
                    french = directory_.write("f.csv", "fr;en\nF5;E5\n");
  const auto read_files = [&](data::CorpusFlags flags) { return read(data::list_corpus(flags)); };
  EXPECT_EQ(read_files({.files = {header, english, german}}), (Pairs{"D2|E2", "D1|E1"}));
  EXPECT_TRUE(noted("x.de' is the source and"));
  EXPECT_EQ(read_files({.files = {english, german, header, json}}), (Pairs{"E1|D1", "E2|D2", "E3|D3"}));
  EXPECT_TRUE(noted("a.csv: translating from English (en) to German (de), as in '"));
  // Files of --train-source are as given, and say the direction first.
  EXPECT_EQ(read_files({.files = {header}, .sources = {english}, .targets = {german}}), (Pairs{"E2|D2", "E1|D1"}));
  EXPECT_EQ(read_files({.sources = {english}, .targets = {german}, .languages = kGermanToEnglish}), Pairs{"E1|D1"});
  // What the endings do not name keeps its order.
  EXPECT_EQ(read_files({.files = {german, english, french}}), (Pairs{"D1|E1", "F5|E5"}));
  EXPECT_EQ(read_files({.files = {header, bare}}), (Pairs{"D2|E2", "D4.|E4."}));
  EXPECT_TRUE(
      noted("b.tsv: it does not name its languages; its pairs are assumed to go from German (de) to English (en), like "
            "those of"));
  EXPECT_EQ(read_files({.files = {bare, header}}), (Pairs{"D4.|E4.", "D2|E2"}));
  EXPECT_TRUE(noted("b.tsv: it does not name its languages"));
  read_files({.files = {bare, header}, .languages = kGermanToEnglish});
  EXPECT_TRUE(notes_.empty()) << "the user said it";
}

TEST_F(Formats, the_languages_of_a_corpus_before_it_is_read) {
  const std::string english = directory_.write("x.en", "E1\n"), german = directory_.write("x.de", "D1\n"),
                    header = directory_.write("a.csv", "German;English\nD2;E2\n"),
                    bare = directory_.write("b.tsv", "D4.\tE4.\n");
  const auto languages = [&](std::vector<std::string> files) {
    const data::Languages found = data::corpus_languages(data::list_corpus({.files = std::move(files)}));
    return found.source + (found.guessed ? "?" : ">") + found.target;
  };
  EXPECT_EQ(languages({bare, bare}), ">");
  EXPECT_EQ(languages({bare, header}), "German>English");
  EXPECT_EQ(languages({english, german}), "en?de");
  EXPECT_EQ(languages({english, german, header}), "English>German");
  // They turn validation text round, but do not refuse other languages.
  const auto valid = data::list_corpus({.files = {german, english}, .languages = {"en", "de", true}});
  EXPECT_EQ(read(valid), Pairs{"E1|D1"});
  EXPECT_EQ(read({.parts = {{.file = header}}, .languages = {"en", "de", true}}), Pairs{"E2|D2"});
  EXPECT_EQ(read({.parts = {{.file = header}}, .languages = {"fr", "it", true}}), Pairs{"D2|E2"});
}

TEST_F(Formats, short_rows_name_the_way_out) {
  EXPECT_PART(refusal("a.tsv"s, "a\tb\nalone\n"s), "a.tsv:2: the line has 1 column, but column 2 is needed");
  EXPECT_PART(refusal("a.tsv"s, "a\tb\nalone\n"s), "`heed data");
  EXPECT_PART(refusal("a.tsv"s, "a\tb\nalone\n"s), "--clean PREFIX`");
  EXPECT_PART(refusal("a.csv"s, "a,b\n\"x\ny\",z\nalone\n"s), "a.csv:4: the line has 1 column");
  for (const char* header : {"", "source,target,x\n"})
    EXPECT_PART(refusal("a.csv"s, header + "a,b,c\n"s, data::Languages{}, "7,8"s),
                "'a.csv' has 3 columns, but --columns asks for 7 and 8");
  EXPECT_PART(refusal("a.csv"s, "a,b,c\nd,e\n"s, data::Languages{}, "1,3"s), "a.csv:2: the line has 2 columns");
}

TEST_F(Formats, csv_with_quotes_newlines_and_either_separator) {
  EXPECT_EQ(read("a.csv", "de,en\n\"Hallo, du\",\"He said \"\"hi\"\"\"\n\"zwei\n  Zeilen\",two\r\n\nGr\"oß,big"),
            (Pairs{"Hallo, du|He said \"hi\"", "zwei Zeilen|two", "Gr\"oß|big"}));
  EXPECT_EQ(lines_, (std::vector<std::int64_t>{2, 3, 6}));
  EXPECT_EQ(read("a.csv", "id;en;de\n1;Hello, you;Hallo, du\n", kGermanToEnglish), Pairs{"Hallo, du|Hello, you"});
  EXPECT_EQ(read("a.csv", "Hallo, du;Hello, you\nJa, gut;Yes\n"), (Pairs{"Hallo, du|Hello, you", "Ja, gut|Yes"}));
  EXPECT_EQ(read("a.csv", "a,b\n,\n\"\",x\n"), (Pairs{"a|b", "|", "|x"}));
  EXPECT_EQ(read("a.csv", "\xEF\xBB\xBF\"de\",\"en\"\r\n\"a\",\"b\"\r\n"), Pairs{"a|b"});
  EXPECT_PART(refusal("a.csv"s, "de,en\na,b\n\"open,c\nd,e\n"s),
              "a.csv:3: the quoted cell that starts in this record has no closing quote");
  EXPECT_PART(refusal("a.csv"s, "de,en\n\"a\"x,b\n"s), "a.csv:2: text follows a closing quote");
}

TEST_F(Formats, csv_cells_are_the_same_however_the_file_is_cut_into_chunks) {
  std::string text;
  Pairs expected;
  for (int i = 0; text.size() < 300'000; ++i) {
    text += fmt::format("\"s{}, \"\"x\"\"\n{}\",t{}\n", i, std::string(static_cast<std::size_t>(i % 97), 'y'), i);
    expected.push_back(fmt::format("s{}, \"x\"{}{}|t{}", i, i % 97 == 0 ? "" : " ",
                                   std::string(static_cast<std::size_t>(i % 97), 'y'), i));
  }
  EXPECT_EQ(read("a.csv", text), expected);
  EXPECT_EQ(read("a.csv.gz", testing::gzip(text)), expected);
}

TEST_F(Formats, json_lines_by_language_word_or_name) {
  EXPECT_EQ(read("a.jsonl", "{\"en\": \"b\", \"de\": \"a\"}\n\n{\"de\": \"c\\nd\", \"x\": 1, \"en\": \"e\"}\n",
                 kGermanToEnglish),
            (Pairs{"a|b", "c d|e"}));
  EXPECT_EQ(lines_, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(read("a.jsonl", "{\"translation\": {\"en\": \"b\", \"de\": \"a\"}, \"id\": \"7\"}\n"), Pairs{"b|a"});
  EXPECT_TRUE(noted("translating from English (en) to German (de)"));
  EXPECT_EQ(read("a.jsonl", "{\"source\": \"a\", \"target\": \"b\"}\n", kGermanToEnglish), Pairs{"a|b"});
  EXPECT_EQ(read("a.jsonl", "{\"x\": \"a\", \"y\": \"b\"}\n", {}, "y,x"), Pairs{"b|a"});
  EXPECT_EQ(read("a.jsonl",
                 "{\"de\": \"a\", \"en\": \"b\"}\n{\"de\": null, \"en\": \"b\"}\n{\"de\": \" \", \"en\": "
                 "\"b\"}\n{\"en\": \"b\"}\n"),
            Pairs{"a|b"});
  EXPECT_TRUE(noted("skipped 3 entries without text on both sides"));
  EXPECT_PART(refusal("a.jsonl"s, "{\"fr\": \"a\", \"en\": \"b\"}\n"s, kGermanToEnglish),
              "a.jsonl:1: the keys are fr and en, but the pairs should go from German (de)");
  EXPECT_PART(refusal("a.jsonl"s, "{\"de\": \"a\", \"en\": \"b\"}\n{\"de\": 1, \"en\": \"b\"}\n"s),
              "a.jsonl:2: the value of 'de' is a number; expected text");
  EXPECT_PART(refusal("a.jsonl"s, "{\"de\": \"a\", \"en\": \"b\"}\n{\"de\": \"a\n"s),
              "a.jsonl:2, column 10: the JSON text ends too early");
  EXPECT_PART(refusal("a.jsonl"s, "[1]\n"s), "a.jsonl:1: this is not a JSON object");
  EXPECT_PART(refusal("a.jsonl"s, "{}\n"s, data::Languages{}, "1,2"s), "--columns");
}

const char* const kPo = R"(# A comment.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: de\n"

#: file.c:1
msgid "Open"
msgstr "Öffnen"

#, fuzzy
msgid "Close"
msgstr "Zu"

msgctxt "menu"
msgid ""
"Two "
"lines\n"
"and \"more\"\tx"
msgstr "Zwei\nZeilen"

#| msgid "old"
msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] "%d Dateien"
msgid "untranslated"
msgstr ""
#~ msgid "obsolete"
#~ msgstr "veraltet"
)";

TEST_F(Formats, po_entries_plurals_and_what_is_skipped) {
  const Pairs expected = {"Open|Öffnen", "Two lines and \"more\"\tx|Zwei Zeilen", "%d file|%d Datei",
                          "%d files|%d Dateien"};
  EXPECT_EQ(read("a.po", kPo), expected);
  EXPECT_EQ(lines_, (std::vector<std::int64_t>{8, 15, 23, 23}));
  EXPECT_TRUE(noted("skipped 1 fuzzy entry"));
  EXPECT_TRUE(noted("skipped 1 entry without text on both sides"));
  EXPECT_TRUE(noted("translating to German (de)"));
  EXPECT_EQ(read("a.po", kPo, {"en", "de"}), expected);
  EXPECT_EQ(read("a.po", kPo, kGermanToEnglish)[0], "Öffnen|Open") << "the other direction";
  EXPECT_PART(refusal("a.po"s, std::string(kPo), data::Languages{"en", "fr"}),
              "'a.po' translates into German (de), but the pairs should go from English (en) to French (fr)");
  EXPECT_EQ(read("a.po", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\n"), Pairs{"b|c"});
  EXPECT_EQ(read("a.po", "msgid \"a\\x41\\101\"\nmsgstr \"c\"\n"), Pairs{"aAA|c"});
  EXPECT_EQ(
      read("a.po",
           "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\nmsgid \"a\"\nmsgstr \"\xE4\"\n"),
      Pairs{"a|ä"});
}

TEST_F(Formats, malformed_po_is_refused_with_its_line) {
  const auto refused = [&](const std::string& text) { return refusal("a.po"s, text); };
  EXPECT_PART(refused("msgid \"a\"\nmsgid \"b\"\n"), "a.po:2: a second msgid follows; msgstr is missing");
  EXPECT_PART(refused("msgstr \"b\"\n"), "a.po:1: msgid is missing before msgstr");
  EXPECT_PART(refused("msgid \"a\nmsgstr \"b\"\n"), "a.po:1: the string has no closing quote");
  EXPECT_PART(refused("msgid \"a\" x\nmsgstr \"b\"\n"), "a.po:1: there is text after the closing quote");
  EXPECT_PART(refused("msgid \"a\\q\"\nmsgstr \"b\"\n"),
              "a.po:1: a backslash is followed by something that is not an escape");
  EXPECT_PART(refused("hello\n"), "a.po:1: expected msgid, msgstr");
  EXPECT_PART(refused("msgid \"a\"\nmsgstr[1] \"b\"\n"), "not numbered 0, 1, 2");
  EXPECT_PART(refused("msgid \"a\"\n"), "the file ends before the msgstr");
  EXPECT_PART(refused("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=KOI8-R\\n\"\n"),
              "'a.po' is in 'KOI8-R', which heed does not read");
}

std::string tmx(const std::string& units, const std::string& header = "srclang=\"de\"") {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">\n<header " + header +
         "/>\n<body>\n" + units + "</body></tmx>\n";
}
std::string unit(const std::string& first, const std::string& second, const std::string& text = "Hallo",
                 const std::string& other = "Hello") {
  return "<tu><tuv xml:lang=\"" + first + "\"><seg>" + text + "</seg></tuv><tuv xml:lang=\"" + second + "\"><seg>" +
         other + "</seg></tuv></tu>\n";
}

TEST_F(Formats, tmx_by_language_or_declared_source) {
  EXPECT_EQ(read("a.tmx", tmx(unit("en-US", "DE", "Hello", "Hallo"))), Pairs{"Hallo|Hello"}) << "srclang decides";
  EXPECT_TRUE(noted("as its srclang says"));
  EXPECT_EQ(lines_, std::vector<std::int64_t>{6});
  EXPECT_EQ(read("a.tmx", tmx(unit("en", "de", "Hello", "Hallo"), "srclang=\"*all*\"")), Pairs{"Hello|Hallo"})
      << "the order decides";
  EXPECT_EQ(read("a.tmx", tmx(unit("de", "en-GB")), {"en", "de"}), Pairs{"Hello|Hallo"});
  EXPECT_EQ(read("a.tmx",
                 tmx("<tu><tuv xml:lang=\"en-US\"><seg>color</seg></tuv><tuv xml:lang=\"en-GB\"><seg>colour</seg></tuv>"
                     "<tuv lang=\"de\"><prop>p</prop><seg>Farbe</seg></tuv></tu>"),
                 {"en-GB", "de"}),
            Pairs{"colour|Farbe"});
  EXPECT_EQ(read("a.tmx", tmx(unit("de", "en") + unit("de", "fr") + unit("de", "en", "", "x") +
                              "<tu><tuv xml:lang=\"de\"/></tu>")),
            Pairs{"Hallo|Hello"});
  EXPECT_TRUE(noted("skipped 3 entries"));
  EXPECT_PART(refusal("a.tmx"s, tmx(unit("fr", "en")), kGermanToEnglish),
              "'a.tmx' has no pairs from German (de) to English (en); its languages are fr and en");
  EXPECT_PART(refusal("a.tmx"s, tmx("<tu><tuv xml:lang=\"a\"><seg>x</seg></tuv><tuv "
                                    "xml:lang=\"b\"><seg>x</seg></tuv><tuv xml:lang=\"c\"><seg>x</seg></tuv></tu>")),
              "a.tmx:6: the languages are a, b and c; choose two");
  EXPECT_PART(refusal("a.tmx"s, tmx("<tu><tuv><seg>x</seg></tuv></tu>")), "a.tmx:6: a tuv has no xml:lang");
  EXPECT_PART(refusal("a.tmx"s, tmx("")), "'a.tmx' has no translation units");
}

TEST_F(Formats, segments_keep_their_text_and_lose_native_codes) {
  EXPECT_EQ(read("a.tmx", tmx(unit("de", "en",
                                   "Ein <bpt i=\"1\">&lt;b&gt;</bpt>fettes<ept i=\"1\">&lt;/b&gt;</ept> "
                                   "<hi>Wort</hi><ph x=\"1\">{1}<sub>no</sub></ph>.",
                                   "\n   A <![CDATA[bold <]]> &amp;\n  word &#228;\n "))),
            Pairs{"Ein fettes Wort.|A bold < & word ä"});
}

TEST_F(Formats, xliff_1_and_2) {
  const std::string one =
      "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"><file source-language=\"en-US\" "
      "target-language=\"de\" original=\"x\" datatype=\"plaintext\"><body>\n"
      "<group><trans-unit id=\"1\"><source>Open <g id=\"1\">the</g> file<x id=\"2\"/></source><seg-source><mrk "
      "mtype=\"seg\">no</mrk></seg-source><target state=\"final\"><mrk mtype=\"seg\">Datei</mrk> öffnen</target>"
      "<alt-trans><source>No</source><target>Nein</target></alt-trans></trans-unit></group>\n"
      "<trans-unit id=\"2\"><source>Empty</source><target/></trans-unit><trans-unit "
      "id=\"3\"><source>None</source></trans-unit></body></file></xliff>";
  EXPECT_EQ(read("a.xlf", one), Pairs{"Open the file|Datei öffnen"});
  EXPECT_TRUE(noted("skipped 2 entries"));
  EXPECT_TRUE(noted("translating from English (en-US) to German (de)"));
  EXPECT_EQ(read("a.xliff", one, kGermanToEnglish), Pairs{"Datei öffnen|Open the file"});
  EXPECT_PART(refusal("a.xlf"s, one, data::Languages{"en", "fr"}),
              "a.xlf:1: the translations go from English (en-US) to German (de), but the pairs should go from English "
              "(en) to French (fr)");
  const std::string two =
      "<xliff version=\"2.0\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\"><originalData><data "
      "id=\"d\">code</data></originalData><segment><source>One <pc id=\"1\">two</pc><ph "
      "id=\"2\"/></source><target>Eins <pc id=\"1\">zwei</pc></target></segment>"
      "<segment><source>Three</source><target>Drei</target></segment><ignorable><source> "
      "</source></ignorable></unit></file></xliff>";
  EXPECT_EQ(read("a.xlf", two), (Pairs{"One two|Eins zwei", "Three|Drei"}));
  EXPECT_PART(refusal("a.xlf"s, "<xliff version=\"3\"/>"s), "heed reads versions 1.2 and 2");
  EXPECT_PART(refusal("a.xlf"s, "<html/>"s), "'a.xlf' is not XLIFF: its first element is 'html'");
  EXPECT_PART(refusal("a.xlf"s, "<xliff version=\"1.2\"/>"s), "has no unit");
}

TEST_F(Formats, malformed_or_hostile_xml_is_refused_with_its_line) {
  EXPECT_PART(refusal("a.tmx"s, tmx("<tu><tuv>\n</tu>")), "a.tmx:7: this is not well-formed XML: ");
  const std::string whole = tmx(unit("de", "en"));
  for (std::size_t size = whole.find("<body>") + 6; size < whole.rfind("</tmx>"); ++size)
    EXPECT_PART(refusal("a.tmx"s, whole.substr(0, size)), ">; it may be truncated: copy or download it again");
  EXPECT_PART(refusal("a.tmx"s, whole.substr(0, whole.find("</seg>"))), "the file ends inside <seg>; ");
  EXPECT_PART(refusal("a.tmx"s, whole + "<tmx/>"), "this is not well-formed XML");
  EXPECT_PART(refusal("a.tmx"s, "<tmx></body>"s), "this is not well-formed XML");
  ::testing::internal::CaptureStderr();
  EXPECT_PART(refusal("a.tmx"s, "<?xml version='1.0' encoding='ISO-2022-JP'?>\n<tmx>\x1b\xff\xff\x80 and more"s),
              "a.tmx:2: there are bytes that do not fit the file's encoding");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");  // libxml2 prints nothing of its own
  EXPECT_PART(refusal("a.tmx"s, "plain text\n"s), "a.tmx:1: this is not well-formed XML");
  EXPECT_PART(refusal("a.tmx"s, tmx(unit("de", "en", "&nbsp;"))), "a.tmx:6: ");
  std::string bomb = "<!DOCTYPE tmx [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 30; ++i) bomb += fmt::format("<!ENTITY a{} \"&a{};&a{};\">", i, i - 1, i - 1);
  const std::string start = "]>\n<tmx version=\"1.4\"><header/><body>\n";
  EXPECT_PART(refusal("a.tmx"s, bomb + start + unit("de", "en", "&a29;") + "</body></tmx>"),
              "this is not well-formed XML");
  EXPECT_PART(refusal("a.tmx"s, bomb + start + "<tu x=\"&a29;\"/></body></tmx>"),
              "a.tmx:3: this is not well-formed XML");
  const std::string outside = "<!DOCTYPE tmx [<!ENTITY e SYSTEM \"" + directory_.write("secret", "secret") + "\">";
  EXPECT_PART(refusal("a.tmx"s, outside + start + unit("de", "en", "&e;") + "</body></tmx>"),
              "the entity &e; is not one of XML's own");
  std::string deep = "<tmx>";
  for (int i = 0; i < 10'000; ++i) deep += "<a>";
  EXPECT_PART(refusal("a.tmx"s, deep), "this is not well-formed XML");
}

TEST_F(Formats, xml_in_the_encoding_that_it_declares) {
  const auto declared = [&](const std::string& encoding, const std::string& text) {
    return "<?xml version=\"1.0\" encoding=\"" + encoding + "\"?><tmx version=\"1.4\"><header srclang=\"de\"/><body>" +
           unit("de", "en", text) + "</body></tmx>";
  };
  EXPECT_EQ(read("a.tmx", declared("ISO-8859-1",
                                   "Gr\xFC\xDF"
                                   "e")),
            Pairs{"Grüße|Hello"});
  EXPECT_EQ(read("a.tmx", "\xEF\xBB\xBF" + declared("UTF-8", "Grüße")), Pairs{"Grüße|Hello"});
  std::string wide = "\xFF\xFE";
  for (const char c : declared("UTF-16", "Gruss")) (wide += c) += '\0';
  EXPECT_EQ(read("a.tmx", wide), Pairs{"Gruss|Hello"});
  EXPECT_EQ(read("a.tmx.xz", testing::xz(wide)), Pairs{"Gruss|Hello"});
  EXPECT_PART(refusal("a.tmx"s, declared("UTF-8",
                                         "Gr\xFC\xDF"
                                         "e")),
              "this is not well-formed XML");
}

TEST_F(Formats, detected_by_ending_or_content) {
  const auto format_of = [&](const std::string& name, const std::string& text) -> std::string {
    const data::CorpusFormat* found = data::detect_format(directory_.write(name, text));
    return found == nullptr ? "plain" : std::string(found->name);
  };
  EXPECT_EQ(format_of("a.TSV", ""), "tsv");
  EXPECT_EQ(format_of("a.csv.zst", ""), "csv");
  EXPECT_EQ(format_of("a.ndjson", ""), "jsonl");
  EXPECT_EQ(format_of("a.txt", "a\tb\n\nc\td\n"), "tsv");
  EXPECT_EQ(format_of("a.txt.gz", testing::gzip("a\tb\nc\td\n")), "tsv");
  EXPECT_EQ(format_of("a.txt", "a\tb\nplain\n"), "plain");
  EXPECT_EQ(format_of("a.de", "a\tb\nc\td\n"), "plain");
  EXPECT_EQ(format_of("a", "plain\n"), "plain");
  EXPECT_EQ(format_of("a.txt", ""), "plain");
  EXPECT_EQ(format_of("a.xml", tmx("")), "tmx");
  EXPECT_EQ(format_of("a.xml", "<?xml version=\"1.0\"?><!-- x -->\n<xliff version=\"2.0\">"), "xliff");
  EXPECT_EQ(format_of("a.txt", "# comment\nmsgid \"\"\nmsgstr \"\"\n"), "po");
  EXPECT_EQ(format_of("a.json", "{\"de\": \"a\", \"en\": \"b\"}\n"), "jsonl");
  EXPECT_EQ(data::detect_format("missing.txt"), nullptr);
  EXPECT_TRUE(data::looks_like_corpus("missing.tsv"));
  EXPECT_FALSE(data::looks_like_corpus("settings.toml"));
}

TEST_F(Formats, a_corpus_of_several_parts_keeps_their_order_and_direction) {
  const std::string table = directory_.write("a.tsv", "de\ten\n1\tone\n2\ttwo\n"),
                    memory = directory_.write("b.tmx", tmx(unit("en", "de", "three", "3"), "srclang=\"en\""));
  const std::string german = directory_.write("c.de", "4\n"), english = directory_.write("c.en", "four\n");
  data::CorpusFiles files = data::list_corpus({.files = {table, german, memory + ":2.5", english}});
  ASSERT_EQ(files.parts.size(), 3u);
  EXPECT_EQ(read(files), (Pairs{"1|one", "2|two", "3|three", "4|four"})) << "the first part decides the direction";
  data::PairReader reader(files);
  std::vector<double> weights;
  std::vector<std::size_t> parts;
  for (data::SentencePair pair; reader.next(pair);) {
    EXPECT_EQ(pair.number, static_cast<std::int64_t>(weights.size()) + 1);
    weights.push_back(pair.weight);
    parts.push_back(pair.part);
  }
  EXPECT_EQ(weights, (std::vector<double>{1, 1, 2.5, 1}));
  EXPECT_EQ(parts, (std::vector<std::size_t>{0, 0, 1, 2}));
  EXPECT_EQ(reader.name(data::Side::target), table + " and 2 more");
  EXPECT_PART(refusal(data::CorpusFiles{.parts = {{.file = table}, {.file = directory_.write("e.tsv", "")}}}),
              "'e.tsv' is empty");
}

TEST_F(Formats, the_files_of_a_corpus_as_flags) {
  const auto list = [&](const data::CorpusFlags& flags) { return data::list_corpus(flags); };
  const auto refused = [&](const data::CorpusFlags& flags) -> std::string {
    try {
      list(flags);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const std::string side = directory_.write("b.de", "a\n");
  EXPECT_PART(refused({.files = {"a.de", "a.en", side}, .flag = "train"}),
              fmt::format("--train: '{}' is plain text and has no other side", side));
  EXPECT_THROW(list({.files = {side + "x"}, .flag = "train"}), InputError);
  EXPECT_PART(refused({.files = {"a.tsv", "run.toml"}, .flag = "train"}),
              "'run.toml' is a configuration, not text; put it before --train");
  EXPECT_PART(refused({.flag = "train"}), "no training text; give --train FILE");
  EXPECT_PART(refused({.sources = {"a", "b"}, .targets = {"c"}, .flag = "valid"}),
              "--valid-source needs --valid-target, the translations of 'b'");
  EXPECT_PART(refused({.sources = {"a"}, .targets = {"c", "d"}, .flag = "valid"}),
              "--valid-target needs --valid-source, the other side of 'd'");
  const auto all = list({.files = {"x.tmx"}, .sources = {"a", "b"}, .targets = {"c", "d"}, .tables = {"t", ""}});
  ASSERT_EQ(all.parts.size(), 4u);
  EXPECT_EQ(all.parts[2].source + all.parts[2].target, "bd");
  EXPECT_EQ(all.parts[3].file + all.parts[3].format, "ttsv");

  const auto swapped = list({.files = {"a.en.gz", "a.de"}, .languages = kGermanToEnglish});
  EXPECT_EQ(swapped.parts[0].source, "a.de");
  ASSERT_EQ(swapped.notes.size(), 1u);
  EXPECT_EQ(list({.files = {"a.en", "a.de"}}).parts[0].source, "a.en");
  EXPECT_EQ(list({.files = {"a.en", "a.fr"}, .languages = kGermanToEnglish}).parts[0].source, "a.en");
}

TEST_F(Formats, weights_unless_a_file_has_that_name) {
  const std::string plain = directory_.write("a.tsv", "x\ty\n"), odd = directory_.write("b.tsv:3", "x\ty\n");
  const auto weight_of = [](const std::string& file) {
    return data::list_corpus({.files = {file}, .lone_file_is_table = true}).parts[0].weight;
  };
  EXPECT_EQ(weight_of(plain + ":3"), 3);
  EXPECT_EQ(weight_of(plain + ":0.5"), 0.5);
  EXPECT_EQ(weight_of(odd), 1);
  EXPECT_EQ(data::without_weight(plain + ":3"), plain);
  EXPECT_EQ(data::without_weight(odd), odd);
  for (const char* bad : {":0", ":-1", ":x", ":", ":1e99", ":nan"})
    EXPECT_THROW(weight_of(plain + bad), UsageError) << bad;
  const auto pair = data::list_corpus({.files = {"a.de:2", "a.en"}});
  EXPECT_EQ(pair.parts[0].weight, 2);
  EXPECT_EQ(pair.parts[0].source, "a.de");
  EXPECT_THROW(data::list_corpus({.files = {"a.de:2", "a.en:3"}}), UsageError);
}

TEST_F(Formats, invalid_utf8_in_a_table_is_counted) {
  data::CorpusFiles files{.parts = {{.file = directory_.write("a.csv", "de,en\nx,y\nb\xFF,\xC3\n")}}};
  data::PairReader reader(files);
  for (data::SentencePair pair; reader.next(pair);) EXPECT_EQ(pair.bad_utf8, pair.line == 3);
  EXPECT_EQ(reader.bad_utf8(data::Side::source).first_line, 3);
  files.strict = true;
  EXPECT_PART(refusal(files), "a.csv:3: byte 2 of the text is not valid UTF-8");
}

}  // namespace
}  // namespace heed
