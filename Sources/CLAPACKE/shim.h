#include <lapacke.h>
// Specific to OpenBLAS: the reference cblas.h does not declare it.
void openblas_set_num_threads(int num_threads);
// The build configuration, such as `OpenBLAS 0.3.21 DYNAMIC_ARCH ... Haswell MAX_THREADS=64`. The caller must not free
// it.
char *openblas_get_config(void);
int openblas_get_num_threads(void);
