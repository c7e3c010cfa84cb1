#include <lapacke.h>
// OpenBLAS's own switch; cblas.h of the reference package does not declare it.
void openblas_set_num_threads(int num_threads);
// What was built, as `OpenBLAS 0.3.21 DYNAMIC_ARCH ... Haswell MAX_THREADS=64`; a string of its own.
char *openblas_get_config(void);
int openblas_get_num_threads(void);
