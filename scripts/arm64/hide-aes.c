// A library for LD_PRELOAD that hides the AES instructions of the processor: the native module must select its portable
// path.
#define _GNU_SOURCE
#include <asm/hwcap.h>
#include <dlfcn.h>
#include <sys/auxv.h>

unsigned long getauxval(unsigned long type) {
  unsigned long (*real)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
  unsigned long value = real(type);
  return type == AT_HWCAP ? value & ~HWCAP_AES : value;
}
