// Chukwa (docs/protocol/proof-of-work.md#argon2id): Argon2id 1.3 with one lane, 256 KiB, 4 passes and a result of 32
// bytes. The salt is the first 16 bytes of the input.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wrkz {

inline constexpr size_t kArgonBlockWords = 128;
inline constexpr size_t kChukwaBlocks = 256;
inline constexpr size_t kChukwaMemory = kChukwaBlocks * kArgonBlockWords * 8;

// The compression G of two blocks. `out` = G(x, y), or `out` ^= G(x, y) when `add` is set. `out` must not alias an input.
// Blocks are 64-byte aligned.
using ArgonCompress = void (*)(uint64_t* out, const uint64_t* x, const uint64_t* y, bool add);

void ArgonCompressPortable(uint64_t* out, const uint64_t* x, const uint64_t* y, bool add);
#if WRKZ_X86
void ArgonCompressAvx2(uint64_t* out, const uint64_t* x, const uint64_t* y, bool add);
void ArgonCompressAvx512(uint64_t* out, const uint64_t* x, const uint64_t* y, bool add);
#endif

// `size` >= 16; `memory`: kChukwaMemory bytes, 64-byte aligned.
void Chukwa(const uint8_t* data, size_t size, uint64_t* memory, ArgonCompress compress, uint8_t hash[32]);

}  // namespace wrkz
