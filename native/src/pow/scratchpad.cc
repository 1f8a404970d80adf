#include "pow/scratchpad.h"

#include <sys/mman.h>

#include <new>

namespace wrkz {
namespace {

constexpr size_t kHugePage = 2 * 1024 * 1024;

class Region {
 public:
  ~Region() { Free(); }

  uint8_t* Grow(size_t size) {
    if (size <= size_) return data_;
    Free();
    Allocate((size + kHugePage - 1) / kHugePage * kHugePage);
    return data_;
  }

 private:
  // Huge pages require an aligned region, so one more page is mapped and the start is moved to the alignment.
  void Allocate(size_t size) {
    mapped_size_ = size + kHugePage;
    mapped_ = mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) {
      mapped_ = nullptr;
      throw std::bad_alloc();
    }
    const auto address = reinterpret_cast<uintptr_t>(mapped_);
    data_ = static_cast<uint8_t*>(mapped_) + ((kHugePage - address % kHugePage) % kHugePage);
    size_ = size;
#ifdef MADV_HUGEPAGE
    madvise(data_, size_, MADV_HUGEPAGE);  // best effort: without huge pages, hashing is only slower
#endif
  }
  void Free() {
    if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
    mapped_ = nullptr;
    data_ = nullptr;
    size_ = 0;
  }
  void* mapped_ = nullptr;
  size_t mapped_size_ = 0;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

uint8_t* ThreadScratchpad(size_t size) {
  thread_local Region region;
  return region.Grow(size);
}

}  // namespace wrkz
