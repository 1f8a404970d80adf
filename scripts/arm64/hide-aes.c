// Loaded before a program, it answers for the processor: everything but the AES instructions. Then the native module must
// find its portable path by itself.
#define _GNU_SOURCE
#include <asm/hwcap.h>
#include <dlfcn.h>
#include <sys/auxv.h>

unsigned long getauxval(unsigned long type) {
  unsigned long (*real)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
  unsigned long value = real(type);
  return type == AT_HWCAP ? value & ~HWCAP_AES : value;
}
