# One shared addon. The portable code is built without any processor flags; a file that needs an
# instruction set stands in a static library of its own, chosen at run time (src/common/cpu.h).
{
  'variables': {
    'common_cflags': ['-O3', '-fPIC', '-fvisibility=hidden', '-fno-strict-aliasing', '-Wall', '-Wextra', '-Wno-unused-parameter', '-Wno-cast-function-type'],
    'common_cflags_cc': ['-std=c++20', '-fexceptions'],
  },
  'target_defaults': {
    'include_dirs': ["<!(node -p \"require('node-addon-api').include_dir\")", 'src'],
    'defines': ['NAPI_VERSION=8', 'NODE_ADDON_API_CPP_EXCEPTIONS_ALL', 'NODE_ADDON_API_DISABLE_DEPRECATED'],
    'cflags!': ['-O2', '-fno-exceptions'],
    'cflags_cc!': ['-std=gnu++17', '-std=gnu++20', '-fno-exceptions', '-fno-rtti'],
    'cflags': ['<@(common_cflags)'],
    'cflags_cc': ['<@(common_cflags_cc)'],
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
      ],
      # The pool's threads outlive an environment, so the library must never be unmapped.
      'ldflags': ['-Wl,-z,nodelete', '-Wl,--exclude-libs,ALL'],
    },
    {
      'target_name': 'curve',
      'type': 'static_library',
      'sources': [
        'src/curve/base_table.cc',
        'src/curve/keys.cc',
        'src/curve/napi_keys.cc',
        'src/curve/napi_signatures.cc',
        'src/curve/random.cc',
        'src/curve/scalar.cc',
        'src/curve/signatures.cc',
        'src/curve/vartime.cc',
      ],
    },
  ],
}
