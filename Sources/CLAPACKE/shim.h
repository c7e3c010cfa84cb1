#include <lapacke.h>
// OpenBLAS's own switch; cblas.h of the reference package does not declare it.
void openblas_set_num_threads(int num_threads);
