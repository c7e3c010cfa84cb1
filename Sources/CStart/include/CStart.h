// Work that must run before the required libraries are initialized. Linking this module is enough; there is nothing to call.
#ifndef NIGHTJAR_CSTART_H
#define NIGHTJAR_CSTART_H

#endif
