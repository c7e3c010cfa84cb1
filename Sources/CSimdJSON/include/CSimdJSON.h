// A C interface to simdjson (C++): parses one JSON text and extracts the values at given paths.
//
// To call simdjson directly, Swift would need C++ interoperability in every module that imports this module.
// These functions throw no C++ exception. If memory runs out, they return NULL, false or an error code.
// This module must not open files or depend on the pipeline file: `Readers` passes the bytes and the paths.
// At least NJSON_PADDING readable bytes with any content must follow every `bytes` argument.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The number of bytes that simdjson may read past the end of a text. CSimdJSON.cpp checks that this number is large
// enough for the installed simdjson.
enum { NJSON_PADDING = 64 };

// The value at a path.
typedef enum : uint32_t {
  NJSON_ABSENT = 0,     // no such key, or a parent value that is not an object
  NJSON_NULL = 1,
  NJSON_TEXT = 2,       // offset, length: into the record's strings
  NJSON_INTEGER = 3,    // integer
  NJSON_NUMBER = 4,     // number
  NJSON_BOOLEAN = 5,    // integer, 0 or 1
  NJSON_STRUCTURE = 6,  // an object or array
  NJSON_LIST = 7,       // offset, length: into the record's lists; only for paths with `wants_list`
} njson_kind;

typedef struct {
  njson_kind kind;
  size_t offset;
  size_t length;
  int64_t integer;
  double number;
} njson_value;

typedef enum : uint32_t {
  NJSON_DIALECT_PLAIN = 0,      // the text is the record
  NJSON_DIALECT_FIRESTORE = 1,  // the text is a Firestore REST document, or a query result that contains one
  NJSON_DIALECT_PARSE = 2,      // the text is a Parse object; an inner object with `__type` is one value, such as a date
  NJSON_DIALECT_REALTIME = 3,   // the text is any value. The path `$value` leads to a value that is not an object or
                                // array. Such a value is a record if `$value` is a path, or if all paths begin with `$`
} njson_dialect;

typedef enum : uint32_t {
  NJSON_RECORD = 0,         // values are filled
  NJSON_REFUSED = 1,        // simdjson rejected the text; `error` is its error code
  NJSON_NOT_AN_OBJECT = 2,  // well-formed, but not an object
  NJSON_NO_RECORD = 3,      // Firestore: a response without a document; skip it
  NJSON_BAD_VALUE = 4,      // Firestore: not a document, or the field at `path` is not a typed value
  NJSON_DUPLICATE_KEY = 5,  // an object has the same key twice: a key of `path`, or of the dialect if `path` is -1
} njson_status;

// The outcome of one extraction. `strings` and `lists` stay valid until the next call on the same extractor.
typedef struct {
  njson_status status;
  int32_t error;                  // simdjson's error code if the text was rejected
  int32_t path;                   // the index of the faulty path; -1 for the document itself
  const uint8_t *_Nullable strings;
  size_t strings_length;
  // The elements of all lists, concatenated. An element consists of one byte for the kind (NJSON_TEXT, NJSON_INTEGER,
  // NJSON_NUMBER or NJSON_BOOLEAN), eight bytes in native byte order (the length of a text, otherwise the bits of the
  // value), and the bytes of a text. An object is NJSON_STRUCTURE with its number of members, then for each member the
  // key as a text and the value.
  const uint8_t *_Nullable lists;
  size_t lists_length;
} njson_outcome;

typedef struct njson_extractor njson_extractor;

// Returns a new extractor without paths, or NULL if memory runs out.
njson_extractor *_Nullable njson_create(void);
void njson_destroy(njson_extractor *_Nonnull extractor);

// Adds a path of `count` keys, the outermost key first. Returns false if memory runs out.
//
// With `wants_list`, an array of scalars, or of objects of scalars, becomes a list (Firestore: an arrayValue). Nulls,
// and members of objects that are not scalars, are left out. In the Realtime Database, arrays are objects with indices
// as keys. An object of scalars therefore also becomes a list. If all values are flags, the list has the keys of the
// true flags; otherwise, it has the values.
bool njson_add_path(
    njson_extractor *_Nonnull extractor, const uint8_t *_Nonnull const *_Nonnull keys,
    const size_t *_Nonnull lengths, size_t count, bool wants_list);

// Parses one JSON text and fills values[i] for the i-th added path. A duplicate key is an error only if it is part of a
// path, or if the dialect reads the key itself.
njson_outcome njson_extract(
    njson_extractor *_Nonnull extractor, const uint8_t *_Nonnull bytes, size_t length, njson_dialect dialect,
    njson_value *_Nullable values);

// Writes up to `capacity` keys of the last record and returns the number of written keys. Call this function only after
// NJSON_RECORD. For Firestore, the keys are the names of the document's fields.
size_t njson_keys(
    njson_extractor *_Nonnull extractor, const uint8_t *_Nullable *_Nonnull keys, size_t *_Nonnull lengths,
    size_t capacity);

// Parses one JSON text of any type. Returns 0 or simdjson's error code.
int32_t njson_validate(njson_extractor *_Nonnull extractor, const uint8_t *_Nonnull bytes, size_t length);

// Return simdjson's name of an error code, such as `NUMBER_ERROR`, and its message. Both strings are static.
const char *_Nonnull njson_error_name(int32_t error);
const char *_Nonnull njson_error_message(int32_t error);

// Returns whether the end of a text is still certain after simdjson rejected the text with this error code. The end is
// certain if a number or an escape is invalid, the nesting is too deep, or the text is too long.
bool njson_is_contained(int32_t error);

// Returns whether the bytes are valid UTF-8. The bytes need no padding.
bool njson_is_utf8(const uint8_t *_Nonnull bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
