// Loads libpq, the client library of PostgreSQL, when the program first uses it. Only `ServingStore` uses this module. The
// module must not contain SQL.
#ifndef NIGHTJAR_CPOSTGRESQL_H
#define NIGHTJAR_CPOSTGRESQL_H

// Debian installs libpq-fe.h in a folder that is not on the compiler's include path.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// The functions that Nightjar calls.
#define LIBPQ_FUNCTIONS(each) \
  each(PQclear) each(PQcmdTuples) each(PQconnectdbParams) each(PQconninfoFree) each(PQconninfoParse) \
  each(PQerrorMessage) each(PQexec) each(PQexecParams) each(PQfinish) each(PQfreemem) each(PQgetResult) \
  each(PQgetisnull) each(PQgetlength) each(PQgetvalue) each(PQnfields) each(PQntuples) each(PQparameterStatus) \
  each(PQping) each(PQputCopyData) each(PQputCopyEnd) each(PQresultErrorField) each(PQresultStatus) each(PQstatus) \
  each(PQtransactionStatus)

typedef struct {
#define LIBPQ_FIELD(name) __typeof__(&name) name;
  LIBPQ_FUNCTIONS(LIBPQ_FIELD)
#undef LIBPQ_FIELD
} libpq_functions;

// Loads libpq. Returns NULL on success. Otherwise, returns the loader's error message, which is valid until this thread
// calls the loader again.
const char *libpq_load(libpq_functions *functions);

#endif
