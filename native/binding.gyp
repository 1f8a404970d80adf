# One shared addon. Portable code is built without processor flags; a file that needs an instruction
# set is a separate static library, selected at run time (src/common/cpu.h).
{
  'variables': {
    'common_cflags': ['-O3', '-fPIC', '-fvisibility=hidden', '-fno-strict-aliasing', '-Wall', '-Wextra', '-Wno-unused-parameter', '-Wno-cast-function-type'],
    'common_cflags_cc': ['-std=c++20', '-fexceptions'],
  },
  'target_defaults': {
    'include_dirs': ["<!(node -p \"require('node-addon-api').include_dir\")", 'src'],
    # The third define drops an exception that cannot be thrown because its environment is ending, instead of aborting.
    'defines': ['NAPI_VERSION=8', 'NODE_ADDON_API_CPP_EXCEPTIONS_ALL', 'NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS', 'NODE_ADDON_API_DISABLE_DEPRECATED'],
    'cflags!': ['-O2', '-fno-exceptions'],
    'cflags_cc!': ['-std=gnu++17', '-std=gnu++20', '-fno-exceptions', '-fno-rtti'],
    'cflags': ['<@(common_cflags)'],
    'cflags_cc': ['<@(common_cflags_cc)'],
    'conditions': [
      ['target_arch=="x64"', {'defines': ['WRKZ_X86=1']}],
      ['target_arch=="arm64"', {'defines': ['WRKZ_ARM64=1']}],
    ],
    'xcode_settings': {
      'CLANG_CXX_LANGUAGE_STANDARD': 'c++20',
      'GCC_ENABLE_CPP_EXCEPTIONS': 'YES',
      'GCC_OPTIMIZATION_LEVEL': '3',
      'MACOSX_DEPLOYMENT_TARGET': '11.0',
      'OTHER_CFLAGS': ['-fno-strict-aliasing'],
    },
  },
  'targets': [
    {
      'target_name': 'wrkz_native',
      'dependencies': ['curve'],
      'sources': [
        'src/addon.cc',
        'src/common/cpu.cc',
        'src/common/thread_pool.cc',
        'src/common/async.cc',
        'src/common/napi_util.cc',
        'src/hash/keccak.cc',
        'src/hash/tree.cc',
        'src/hash/napi_hash.cc',
        'src/hash/blake256.cc',
        'src/hash/groestl.cc',
        'src/hash/jh.cc',
        'src/hash/skein.cc',
        'src/hash/blake2b.cc',
        'src/pow/cn_portable.cc',
        'src/pow/argon2.cc',
        'src/pow/scratchpad.cc',
        'src/pow/implementation.cc',
        'src/pow/pow.cc',
        'src/pow/lanes.cc',
        'src/pow/search.cc',
        'src/pow/napi_pow.cc',
        'src/pow/napi_search.cc',
        'src/sqlite/page_checksum_vfs.cc',
      ],
      'include_dirs': ['<!(node sqlite-headers.cjs)'],
      'conditions': [
        ['target_arch=="x64"', {'dependencies': ['pow_aesni', 'pow_avx2', 'pow_avx512', 'curve_avx2', 'curve_ifma']}],
        ['target_arch=="arm64"', {'dependencies': ['pow_armv8']}],
      ],
      # The pool's threads outlive an environment, so the library must never be unmapped.
      'ldflags': ['-Wl,-z,nodelete', '-Wl,--exclude-libs,ALL'],
    },
    {
      'target_name': 'curve',
      'type': 'static_library',
      'sources': [
        'src/curve/base_table.cc',
        'src/curve/batch.cc',
        'src/curve/batch_single.cc',
        'src/curve/keys.cc',
        'src/curve/napi_batch.cc',
        'src/curve/napi_keys.cc',
        'src/curve/napi_sub_wallet.cc',
        'src/curve/random.cc',
        'src/curve/scalar.cc',
        'src/curve/scan.cc',
        'src/curve/signatures.cc',
        'src/curve/vartime.cc',
      ],
    },
  ],
  'conditions': [
    ['target_arch=="x64"', {
      'targets': [
        {
          'target_name': 'curve_avx2',
          'type': 'static_library',
          'sources': ['src/curve/batch_avx2.cc'],
          'cflags': ['-mavx2', '-mfma'],
          'xcode_settings': {'OTHER_CFLAGS': ['-mavx2', '-mfma']},
        },
        {
          'target_name': 'curve_ifma',
          'type': 'static_library',
          'sources': ['src/curve/batch_ifma.cc'],
          # gcc 12 warns about the undefined source operands in its own headers of unmasked intrinsics.
          'cflags': ['-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl', '-mavx512ifma', '-Wno-uninitialized', '-Wno-maybe-uninitialized'],
          'xcode_settings': {'OTHER_CFLAGS': ['-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl', '-mavx512ifma']},
        },
        {
          'target_name': 'pow_aesni',
          'type': 'static_library',
          'sources': ['src/pow/cn_aesni.cc'],
          # In these loops, packing the scalar operations of two lanes into one vector is slower.
          'cflags': ['-msse4.1', '-maes', '-mtune=znver3', '-fno-tree-slp-vectorize'],
          'xcode_settings': {'OTHER_CFLAGS': ['-msse4.1', '-maes']},
        },
        {
          'target_name': 'pow_avx2',
          'type': 'static_library',
          'sources': ['src/pow/cn_avx2.cc', 'src/pow/argon2_avx2.cc'],
          'cflags': ['-maes', '-mavx2', '-mbmi2', '-mtune=znver3', '-fno-tree-slp-vectorize'],
          'xcode_settings': {'OTHER_CFLAGS': ['-maes', '-mavx2', '-mbmi2']},
        },
        {
          'target_name': 'pow_avx512',
          'type': 'static_library',
          'sources': ['src/pow/cn_avx512.cc', 'src/pow/argon2_avx512.cc'],
          # The AVX-512 headers of gcc cause warnings about uninitialized values.
          'cflags': ['-maes', '-mvaes', '-mavx2', '-mbmi2', '-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl', '-mtune=znver3', '-fno-tree-slp-vectorize', '-Wno-uninitialized', '-Wno-maybe-uninitialized'],
          'xcode_settings': {'OTHER_CFLAGS': ['-maes', '-mvaes', '-mavx2', '-mbmi2', '-mavx512f', '-mavx512bw', '-mavx512dq', '-mavx512vl']},
        },
      ],
    }],
    ['target_arch=="arm64"', {
      'targets': [
        {
          'target_name': 'pow_armv8',
          'type': 'static_library',
          'sources': ['src/pow/cn_armv8.cc'],
          # Older compilers support the AES instructions only together with SHA-2, so `+crypto` enables both.
          'cflags': ['-march=armv8-a+crypto', '-fno-tree-slp-vectorize'],
          'xcode_settings': {'OTHER_CFLAGS': ['-march=armv8-a+crypto']},
        },
      ],
    }],
  ],
}
