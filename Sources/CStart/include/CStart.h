// What a program has to do before the libraries that it needs begin. Linking this does it; there is nothing to call.
#ifndef NIGHTJAR_CSTART_H
#define NIGHTJAR_CSTART_H

#endif
