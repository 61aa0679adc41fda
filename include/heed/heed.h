/* The C API of heed: translate, train, score and align from any language that can call C.
 *
 *   heed_error error;
 *   heed_translator* translator = NULL;
 *   if (heed_translator_open("run/model.safetensors", NULL, &translator, &error) != HEED_OK) return
 * fail(error.message); const char* lines[] = {"We see a dog."}; heed_results* results = NULL; if
 * (heed_translate(translator, lines, 1, NULL, &results, &error) != HEED_OK) return fail(error.message);
 *   heed_translation best = {sizeof best};
 *   heed_results_get(results, 0, 0, &best, &error);
 *   puts(best.text);
 *   heed_results_free(results);
 *   heed_translator_free(translator);
 *
 * - Text is UTF-8 that ends with a NUL byte; invalid UTF-8 is read as U+FFFD.
 * - Every function that can fail returns a heed_status and takes a heed_error, which may be NULL. It is only written if
 *   the function fails. A handle that is NULL, freed or of another kind is an error, never a crash.
 * - Structs start with their size in bytes, which the caller sets, so that fields can be added at their ends. Options
 *   may be NULL; fields that are 0 or NULL have their defaults: heed_translate_options options = {sizeof options};
 * - Any number of threads may call every function at once, also with the same handle.
 * - Results belong to the library: pointers into them are valid until their handle is freed.
 * - Settings are strings NAME=VALUE in an array that ends with NULL. The names are those of the command line without
 *   the dashes: "length-normalization=0.6", "plain=true"; docs/options.md lists them. */
#ifndef HEED_HEED_H
#define HEED_HEED_H

#include <stddef.h>
#include <stdint.h>

#include "heed/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, such as "0.1.0"; HEED_VERSION is that of this header. */
HEED_API const char* heed_version(void);

/* ---------------------------------------------------------------------------------------------------- errors ---- */

typedef enum heed_status {
  HEED_OK = 0,
  HEED_USAGE_ERROR = 1,    /* the request is invalid: an option, a handle, an index */
  HEED_INPUT_ERROR = 2,    /* a file is missing or damaged, a disk or the memory is full */
  HEED_INTERNAL_ERROR = 3, /* a bug in heed */
  HEED_STOPPED = 4         /* a callback stopped the work; there may be results */
} heed_status;

/* Filled by a call that fails, in the memory of the caller. It has a fixed size, so it needs none. */
typedef struct heed_error {
  heed_status status;
  char message[2044]; /* one sentence, UTF-8; cut at the end of a character if it is longer */
} heed_error;

/* Called with the work done and the whole work, on the thread that called heed. Return 0 to stop. */
typedef int (*heed_progress)(size_t done, size_t all, void* user);

/* ------------------------------------------------------------------------------------------------- translate ---- */

typedef struct heed_translator heed_translator;

typedef struct heed_translator_options {
  size_t size;
  int threads; /* that compute; 0: one per core */
  int copy;    /* copy the model to memory, so that nothing that happens to its file matters */
} heed_translator_options;

/* `model` is a model file or a run directory. */
HEED_API heed_status heed_translator_open(const char* model, const heed_translator_options* options,
                                          heed_translator** translator, heed_error* error);
/* Several models with the same vocabularies form an ensemble. */
HEED_API heed_status heed_ensemble_open(const char* const* models, size_t count, const heed_translator_options* options,
                                        heed_translator** translator, heed_error* error);
/* Calls that are running finish first, in their own time. Nothing happens if the handle is not valid. */
HEED_API void heed_translator_free(heed_translator* translator);

typedef struct heed_model_info {
  size_t size;
  const char* system;          /* the preset of the model */
  const char* source_language; /* two letters; empty if the model does not say */
  const char* target_language;
  int64_t parameters;
  int has_attention;
} heed_model_info;
/* The strings are valid until the translator is freed. */
HEED_API heed_status heed_translator_info(heed_translator* translator, heed_model_info* info, heed_error* error);

typedef struct heed_translate_options {
  size_t size;
  int beam;                    /* 0: the default, 5 */
  int nbest;                   /* 0: 1 */
  int attention;               /* return the attention weights */
  int alignment;               /* return the links between words */
  int warnings;                /* look for possible errors */
  const char* const* prefixes; /* one per line, how its translation must begin; NULL: none */
  const char* const* settings;
  heed_progress progress; /* in source tokens; lines that are not done when it stops have no translations */
  void* user;             /* passed to progress */
} heed_translate_options;

typedef struct heed_results heed_results;

/* One result per line. HEED_STOPPED, with results, if `progress` stopped the call. */
HEED_API heed_status heed_translate(heed_translator* translator, const char* const* lines, size_t count,
                                    const heed_translate_options* options, heed_results** results, heed_error* error);
HEED_API void heed_results_free(heed_results* results);

/* The number of lines, and of the translations of a line: 0 if it was not done when the call was stopped. */
HEED_API heed_status heed_results_lines(heed_results* results, size_t* count, heed_error* error);
HEED_API heed_status heed_results_translations(heed_results* results, size_t line, size_t* count, heed_error* error);

typedef struct heed_token {
  const char* text;
  uint32_t begin, end; /* its characters, not bytes, in the text: [begin, end) */
} heed_token;

/* Words are counted from 0. */
typedef struct heed_link {
  uint32_t source, target;
  int sure;
} heed_link;

typedef struct heed_translation {
  size_t size;
  const char* text;
  double score;
  double log_probability;
  const heed_token* source_tokens;
  size_t source_count;
  const heed_token* target_tokens;
  size_t target_count;
  const float* probabilities; /* one per target token, or NULL */
  const float* attention;     /* target_count rows of source_count weights, or NULL */
  const heed_link* links;
  size_t link_count;
  int source_end, target_end; /* whether the last token of the side is the end symbol */
} heed_translation;
/* Translation `index` of a line, best first. */
HEED_API heed_status heed_results_get(heed_results* results, size_t line, size_t index, heed_translation* translation,
                                      heed_error* error);

typedef struct heed_warning {
  size_t size;
  const char* kind; /* unattended, repetition, unknown, number, untranslated, low_confidence, … */
  const char* text; /* the words in question */
  int in_source;    /* whether begin and end refer to the source, not to the translation */
  uint32_t begin, end;
} heed_warning;
HEED_API heed_status heed_results_warnings(heed_results* results, size_t line, size_t* count, heed_error* error);
HEED_API heed_status heed_results_warning(heed_results* results, size_t line, size_t index, heed_warning* warning,
                                          heed_error* error);

/* The attention of a translation as an SVG picture; `title` may be NULL. `numbers`: write the weights into the cells.
 * The picture is valid until the results are freed. */
HEED_API heed_status heed_results_svg(heed_results* results, size_t line, size_t index, const char* title, int numbers,
                                      const char** svg, heed_error* error);

/* The probability of known translations: results with one translation per line, whose score is the mean log-probability
 * per token. A pair that is too long for the model has none. `attention`: also return the weights. */
HEED_API heed_status heed_score_pairs(heed_translator* translator, const char* const* sources,
                                      const char* const* targets, size_t count, int attention, heed_results** results,
                                      heed_error* error);

/* ----------------------------------------------------------------------------------------------------- align ---- */

typedef struct heed_align_options {
  size_t size;
  int pretokenized;            /* words are separated by spaces */
  int threads;                 /* 0: one per core */
  const char* source_language; /* without a translator: two letters, for the rules that split text into words */
  const char* target_language;
  double threshold; /* with a translator: minimum attention weight of a link */
  int shift;        /* with a translator: use the step after each word */
} heed_align_options;

typedef struct heed_alignments heed_alignments;

/* Links between words, from the attention of a model or, if `translator` is NULL, learned from the texts alone. */
HEED_API heed_status heed_align(heed_translator* translator, const char* const* sources, const char* const* targets,
                                size_t count, const heed_align_options* options, heed_alignments** alignments,
                                heed_error* error);
HEED_API heed_status heed_alignments_get(heed_alignments* alignments, size_t line, const heed_link** links,
                                         size_t* count, heed_error* error);
HEED_API void heed_alignments_free(heed_alignments* alignments);

/* ------------------------------------------------------------------------------------------------------ score ---- */

typedef struct heed_score_options {
  size_t size;
  const char* const* metrics;  /* ends with NULL; NULL: bleu, chrf, ter */
  int lowercase;               /* ignore case; in heed_evaluate, 0 leaves that to the model and -1 keeps case */
  int beam;                    /* of heed_evaluate; 0: 5 */
  int text_layer;              /* in heed_evaluate: translate as heed_translate does, not every line as it is */
  const char* const* settings; /* such as "tokenize=intl"; in heed_evaluate only tokenize */
} heed_score_options;

typedef struct heed_scores heed_scores;

/* Scores translations against `sets` lists of `count` references each: references[set * count + line]. */
HEED_API heed_status heed_score(const char* const* translations, const char* const* references, size_t sets,
                                size_t count, const heed_score_options* options, heed_scores** scores,
                                heed_error* error);
/* Translates the sources and scores the translations; two more scores are called exact (in percent) and perplexity. */
HEED_API heed_status heed_evaluate(heed_translator* translator, const char* const* sources,
                                   const char* const* references, size_t count, const heed_score_options* options,
                                   heed_scores** scores, heed_error* error);
HEED_API void heed_scores_free(heed_scores* scores);
HEED_API heed_status heed_scores_count(heed_scores* scores, size_t* count, heed_error* error);

typedef struct heed_metric_score {
  size_t size;
  const char* name;  /* bleu */
  const char* label; /* BLEU */
  double score;
  const char* signature; /* as sacreBLEU writes it */
  const char* details;
  int lower_is_better;
} heed_metric_score;
HEED_API heed_status heed_scores_get(heed_scores* scores, size_t index, heed_metric_score* score, heed_error* error);

/* ------------------------------------------------------------------------------------------------------ train ---- */

typedef struct heed_update {
  size_t size;
  int64_t update, updates; /* counted from 1; of the whole run */
  int64_t epoch;           /* counted from 1 */
  double loss;             /* per target token */
  double gradient_norm, learning_rate;
} heed_update;

typedef struct heed_validation {
  size_t size;
  int64_t update, epoch;
  double train_loss;
  int validated; /* 0 without validation text */
  double perplexity, accuracy, bleu, chrf, exact;
  int best;
  double seconds;
} heed_validation;

typedef struct heed_train_options {
  size_t size;
  const char* const* train; /* files of parallel text, of any supported format; ends with NULL, like all lists here */
  const char* const* valid;
  const char* out;            /* the run directory; NULL: "run" */
  const char* preset;         /* NULL: the default */
  const char* from;           /* a model to continue training from; NULL: none */
  const char* const* configs; /* TOML files with settings */
  int resume, overwrite;
  const char* const* settings;                             /* keys such as "training.epochs=5" */
  int (*on_update)(const heed_update* update, void* user); /* return 0 to stop after a checkpoint */
  void (*on_validation)(const heed_validation* validation, void* user);
  void (*on_note)(const char* sentence, void* user);
  void* user; /* passed to the callbacks, which are called on the thread that called heed_train() */
} heed_train_options;

typedef struct heed_train_result {
  size_t size;
  int64_t update; /* the last one done */
  int has_best;
  double best;      /* of validation.metric */
  char reason[256]; /* why the run ended */
} heed_train_result;

/* HEED_STOPPED if on_update stopped the run, which then continues with `resume`. `result` may be NULL. */
HEED_API heed_status heed_train(const heed_train_options* options, heed_train_result* result, heed_error* error);

/* Writes a copy of a model with other parameters: those of `weights`, a safetensors file with tensors of the same names
 * and shapes. Writes the whole file `out` or nothing. */
HEED_API heed_status heed_model_write(const char* model, const char* weights, const char* out, heed_error* error);

#ifdef __cplusplus
}
#endif

#endif /* HEED_HEED_H */
