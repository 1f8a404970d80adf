#include <atomic>
#include <cstring>

#include "common/cpu.h"
#include "pow/pow.h"

namespace wrkz {
namespace {

struct Table {
  PowImplementation entries[4];
  size_t count = 0;
  std::atomic<size_t> current{0};

  Table() {
    entries[count++] = {"portable", true, PortableKernels(), ArgonCompressPortable};
#if WRKZ_X86
    const CpuFeatures& cpu = Cpu();
    const bool avx2 = cpu.aesni && cpu.avx2 && cpu.bmi2;
    const bool avx512 = avx2 && cpu.avx512 && cpu.vaes;
    entries[count++] = {"aesni", cpu.aesni, AesniKernels(), ArgonCompressPortable};
    entries[count++] = {"avx2", avx2, Avx2Kernels(), ArgonCompressAvx2};
    entries[count++] = {"avx512", avx512, Avx512Kernels(), ArgonCompressAvx512};
#endif
#if WRKZ_ARM64
    entries[count++] = {"armv8", Cpu().armAes, Armv8Kernels(), ArgonCompressPortable};
#endif
    current = Best();
  }

  // The last supported entry: the table is ordered from the portable to the widest implementation.
  size_t Best() const {
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
      if (entries[i].supported) best = i;
    }
    return best;
  }
};

Table& Implementations() {
  static Table table;
  return table;
}

}  // namespace

const PowImplementation& CurrentImplementation() {
  Table& table = Implementations();
  return table.entries[table.current.load(std::memory_order_relaxed)];
}

bool SelectImplementation(const char* name) {
  Table& table = Implementations();
  if (std::strcmp(name, "auto") == 0) {
    table.current = table.Best();
    return true;
  }
  for (size_t i = 0; i < table.count; i++) {
    if (table.entries[i].supported && std::strcmp(name, table.entries[i].name) == 0) {
      table.current = i;
      return true;
    }
  }
  return false;
}

}  // namespace wrkz
