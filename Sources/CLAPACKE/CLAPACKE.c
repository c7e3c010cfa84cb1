#include "CLAPACKE.h"

#include <dlfcn.h>
#include <stdlib.h>

const char *lapacke_load(lapacke_functions *functions) {
  // OpenBLAS starts its threads when it is loaded, and each thread reserves 128 MB of address space. If a
  // limit forbids this, OpenBLAS waits forever. Only an environment variable prevents OpenBLAS from starting threads.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // OpenBLAS is loaded first and with global symbols. LAPACKE then calls the LAPACK functions of OpenBLAS
  // instead of the slow reference implementation.
  void *openblas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_GLOBAL);
  void *lapacke = openblas ? dlopen("liblapacke.so.3", RTLD_NOW) : NULL;
  if (!lapacke) return dlerror();
#define LAPACKE_FIND(name)                                                                            \
  functions->name = (__typeof__(&name))dlsym(#name[0] == 'L' ? lapacke : openblas, #name);            \
  if (!functions->name) return dlerror();
  LAPACKE_FUNCTIONS(LAPACKE_FIND)
#undef LAPACKE_FIND
  functions->openblas_set_num_threads(1);
  return NULL;
}
