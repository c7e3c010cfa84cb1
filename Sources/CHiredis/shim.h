// The client library of Redis, for `ServingStore`. This module must not contain code of Nightjar.
#include <hiredis/hiredis.h>
