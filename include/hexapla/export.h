#pragma once
// Internal: HEXAPLA_API marks a function or class that libhexapla.so exports; everything else in it is hidden.

#if defined(__GNUC__)
#define HEXAPLA_API [[gnu::visibility("default")]]
#else
#define HEXAPLA_API
#endif
