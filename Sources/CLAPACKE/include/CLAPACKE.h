// Loads OpenBLAS and LAPACKE when the program first uses them. Only `LeastSquares` uses this module. The module must not
// depend on the matrices that its caller passes.
#ifndef NIGHTJAR_CLAPACKE_H
#define NIGHTJAR_CLAPACKE_H

#include <lapacke.h>

// These functions exist only in OpenBLAS, so lapacke.h does not declare them. The caller must not free the
// result of `openblas_get_config`, such as `OpenBLAS 0.3.21 DYNAMIC_ARCH ... Haswell MAX_THREADS=64`.
void openblas_set_num_threads(int num_threads);
int openblas_get_num_threads(void);
char *openblas_get_config(void);

// Two functions of OpenBLAS. They are declared here, because several Debian packages contain a cblas.h, and these files
// differ. The integers have the values of the enumerations in cblas.h.
void cblas_dsyrk(int layout, int triangle, int transpose, int n, int k, double alpha, const double *a, int lda,
                 double beta, double *c, int ldc);
void cblas_dtrsm(int layout, int side, int triangle, int transpose, int diagonal, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb);

// The functions that Nightjar calls.
#define LAPACKE_FUNCTIONS(each) \
  each(LAPACKE_dpotrf_work) each(LAPACKE_dpocon_work) each(LAPACKE_dpotrs_work) each(LAPACKE_dpotri_work) \
  each(LAPACKE_dpstrf_work) each(LAPACKE_dgeqp3_work) each(LAPACKE_dormqr_work) each(LAPACKE_dtrtrs_work) each(LAPACKE_dtrcon_work) \
  each(LAPACKE_dgelsd_work) each(cblas_dsyrk) each(cblas_dtrsm) each(openblas_set_num_threads) each(openblas_get_num_threads) each(openblas_get_config)

typedef struct {
#define LAPACKE_FIELD(name) __typeof__(&name) name;
  LAPACKE_FUNCTIONS(LAPACKE_FIELD)
#undef LAPACKE_FIELD
} lapacke_functions;

// Loads OpenBLAS and LAPACKE, and limits OpenBLAS to one thread per call. With more threads, the calls of all workers
// would compete for all cores, and the last bits of a sum would depend on the number of cores. Call this function
// before the process starts a second thread.
//
// Returns NULL on success. Otherwise, returns the loader's error message, which is valid until this thread calls the
// loader again.
const char *lapacke_load(lapacke_functions *functions);

#endif
