// The digests and message authentication codes of OpenSSL, for `Files` and `Tombstones`. This module must not
// contain code of Nightjar.
#include <openssl/evp.h>
#include <openssl/hmac.h>
