#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <stddef.h>

const char *libpq_load(libpq_functions *functions) {
  void *library = dlopen("libpq.so.5", RTLD_NOW);
  if (!library) return dlerror();
#define LIBPQ_FIND(name)                                              \
  functions->name = (__typeof__(&name))dlsym(library, #name);         \
  if (!functions->name) return dlerror();
  LIBPQ_FUNCTIONS(LIBPQ_FIND)
#undef LIBPQ_FIND
  return NULL;
}
