import type { PowAlgorithm } from '../pow';

/**
 * Known results in hex, a small sample of those recorded from the reference (docs/protocol/cryptography.md#derivations). Enough
 * to detect a build that computes other results than the network; the tests have all of them.
 */
export const SELF_TEST_VECTORS = {
  pow: [
    {
      algorithm: 'cn_slow_hash_v0',
      data: '90a3401589b6d7d66658d8f4dcd1a361ba5a3a73dfd4d997ba7f611a6c21b5bd229fd3317fb24fede66efd530d17544629cf8504e68c7b188e2d02f28e',
      hash: '54c0f434d2ea89f5524dbcbe7691f62e1b5add0a697d95605aa324161e930685',
    },
    {
      algorithm: 'cn_slow_hash_v0',
      data: '9d0ca50a96584c22805c4c89480c5a8e9a7181888f157ba1c4d7a7f99e69da02517f3cd3fcd785a4d0bb3cb22e91ff789f28e5683e9eab3989aea455ecca818dde0cbe3b',
      hash: '0be226bb45cf1f24695a7eb202e4d6f4ddad8390dfe45045fe614b6f2d7a940f',
    },
    {
      algorithm: 'cn_slow_hash_v0',
      data: '1ca90728fa949309a649a660b79d575b16340111164c4c7361355aad9f9c2791d686aa5ea32ea61e9d1072',
      hash: '27d003f336c858a82f20e69b5792bc0b14f3b56f2fadb9283d1f82a0e5f9f473',
    },
    {
      algorithm: 'cn_slow_hash_v0',
      data: '282a9ced1505e8ab638558d0c8114d00c1f9f71b88cd03cfcf3893c92e5dc559d2f1c3341127499217dae0cff2c7ce',
      hash: '8f7bc5a4722a73c1fbe7c3fe12a50ecde25cdf9dbf89d746fe35a47a92d19b7b',
    },
    {
      algorithm: 'cn_lite_slow_hash_v1',
      data: 'dc5d085c5e2b4990ff9b0068614fa7c51e64a7d3a2ae813da98c4b5f0a38c6dbe085204934937e97faef376e',
      hash: 'cef1e7b7848183c7cdb8dec8377078c32d7c24a58aa90d7c8c5c307795338c92',
    },
    {
      algorithm: 'cn_lite_slow_hash_v1',
      data: 'c8444ef94dcb654c47157290ece4e29eba17f48f66e8c4f9c7770a72ff532ee2ff61667f214f9cfa8b5c81',
      hash: '4bd17de712d5f5682cc0105af8af8e1414833a2ca8ddaa1aa9ae26819553a777',
    },
    {
      algorithm: 'cn_lite_slow_hash_v1',
      data: '6e2855c7355aa0002757ef37979cbe787fd390d94f143e98f1ffa2d6cedcd8efaef8b49467ef3f03b06292e47bc7',
      hash: '8c677df56298bc54f5e90f3351ee586293abbdadebeec9df4aa0cc91e4b8dcd9',
    },
    {
      algorithm: 'cn_lite_slow_hash_v1',
      data: 'e442506a569ce68a52fec5f194d011689601e126978f1f261d7e0896d39f28c0195d85a33f7f9d16c7f77d',
      hash: '7ae10ff10fd1e49fe6aba1b1240977c1f20e359859c366b375bd15c2f057929f',
    },
    {
      algorithm: 'cn_turtle_lite_slow_hash_v2',
      data: '22895530e03dd84dd9a4d4fee0372139e2a2f9fe70b0f0f31cb50e03578e81889eb3971738e8f49cd8d031c5dfb3aa6220d9e46ff3b002610b93b269c294b1',
      hash: 'eede9cab1e8134eadfff2e40e14c0b2e3bbe4ebec1cac4991cc9d2635e843954',
    },
    {
      algorithm: 'cn_turtle_lite_slow_hash_v2',
      data: '1d7d9bd006c279f0c4806789e86326835642ca1a848ce6604d478f2a74d501677ddfe310aa7534a6efc1924e73712c65b3e266d0013f632903fa9d09649bbb79303a3395ae94617505aa7ddaf5eb7443f2452136ae697f6b995e1fa718',
      hash: 'ace4741b3462bb4adb7691fbd47862e4ed93356eb1508c879cd4bf1ca9f35151',
    },
    {
      algorithm: 'cn_turtle_lite_slow_hash_v2',
      data: '30e493735ff75d36a7b65a77602166231b36218ffc36957371858ee9ddf100774c27dcca20d2ca07964b1d',
      hash: '71a0e1b8aa20b1742a5546de806cb53843a61d7767c5d49ddbfe8fb26af7517f',
    },
    {
      algorithm: 'cn_turtle_lite_slow_hash_v2',
      data: '9cd92e2373df75d1bf173a9d56f2f05e40f80222803ef7c5d578c3a5ba014079c3a2b12b58530c76eb9dcd3d9957ed',
      hash: 'cf8f58d035fcaf45004c5f0b7e79b34615ad21ec95d90222a166384570ea38b2',
    },
    {
      algorithm: 'chukwa',
      data: 'e82a50acee080f4a93d62363b0cb77390f570ec20aea29e1c7dce8150196d2e433104cc8f4105b4f4d7bea',
      hash: 'f276637cdd48a419f18d1493396bb44ce3a2b089dade6c5a8d8e1e000fd775b4',
    },
    {
      algorithm: 'cn_upx',
      data: 'e702e1eb5048ba9d4c38bcd5763c695c1b6e028c6ba7f9a3ad30d23fc95849b1b12f86b29ee9539055059ed1e75ca2',
      hash: 'ea619525b8d928b8e3e94e8733b2901964214571047bfcf6ddb5bc1b8a018909',
    },
    {
      algorithm: 'cn_upx',
      data: 'a75e2d757361ff2455f992447a5b906c55df23a0af7ac3b8695893a9bf41380486a4f416484bca1874c64ef2177c009644de29c84a',
      hash: '1a431040fda80a8773873766919555d2a31873165e9e3411b32aa467a21b1528',
    },
    {
      algorithm: 'cn_upx',
      data: '2e1fa34829c13644481dbfba295274d1a7d49f574dd57f4557df08efd37dada0374d14ea243c9a006abcc6',
      hash: '070c408954b276aea85c9e70e2fc2dd4d4ee74b5a48067a722a5f7212757786b',
    },
    {
      algorithm: 'cn_upx',
      data: '9b6fe47882c1af6c53db876efca586f6c5d481a3698bc96579b1e85cbf313971a566066a6f198aa8b3c180a87ce2326746840c4d61eeb6ab2dafcfb366997b4f10ba7d66114f0d',
      hash: '02e5dc83635fbc681cffb909fc5c15f6e6d4a62d6c5453927be73079ae0d4015',
    },
  ] satisfies { algorithm: PowAlgorithm; data: string; hash: string }[],
  fastHash: [
    { data: '', hash: 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470' },
    {
      data: '68c1eaebfe318318db3594b2916aade0a9dbea6e',
      hash: '609d98b33e7fb4c2d66a9c103bccae2d4362fefac6147b6966052fedf844ee9b',
    },
    {
      data: 'a66f39c3f294c3174a29f9ea0cd71bf51b2c6735e5aacfc6b8ca81a4cc58ac4ae326087cdfb788b16004f9b828469cdc5c757a340bbc54db2d380120506b42219c8e8bcdd2c6b21e28fc94bcacb30bb5010674293236466c07cb7d53c120b6a32f9559f8f6a7e54aff0cef1cf4e6a7319905929b8ddffafba759de8bac0fe2d2a8534862b783214842',
      hash: '255c7133a089baec06ecc695284dd404982e74e799d0f6dff18534af0b9d63ea',
    },
  ],
  tree: {
    hashes: [
      'fb5ca3ad9b716674cd65716bae68f91fe043f411c88aac225ef71065e6d33490',
      '163b6f21099f19e73b6d73bbdb8b90d558440726618bbe500465f5c038fcf678',
      '667403d4fd045fd4904de2c725a2a1a8d177826568e3daa5b91ddd2e15fd2e59',
      '41dae67c707366167170b29bdbc51644d40284ffdb61eb49fc6f392a9908a952',
      'e2a532346d0c7d3c4dd73fb700c3564d9c2cd8a76cc8d525b51ebb94da874b66',
    ],
    root: '8698aeed5a248205b816783598b02d198cb3849f1b9433b9bc7963beba8463e4',
  },
  rings: [
    {
      prefixHash: 'fadedf870d251c42cf428c53731722a9c65ee66f3a014ea0e50b444540974478',
      keyImage: '219c8d1dbc949f548f16c42e0de277a778f9d93dbbcf53fd1176b08d75b5fb72',
      keys: [
        'cb6a70497c94c430d1acf9898e29950fa88a194ea454635548d6a22a5bd1e0cd',
        'f95773ae2fb0219a27329042baf4ba0b699e5ac989260af9231acb7e5c559e22',
        '575cd5063873860b27129f18f0e775e30469ff9bc4d18d59128aeeb7aec90a13',
        'f2d781ee23432a9d0babac4a124ed53ed3234e6af6b467054be4f78c46221c96',
      ],
      signatures:
        'bd7caba77b37ac9d9e2838d60343fa7b0cf14388ad17ec287b2929782d34c70e2dd6031de0465e07763e83299f818acc2cb5421c1ae802a9940aba850f86aa05026f5c56f41e5a2e5ccba53d00a3a029d2f709cf55334a92b8daa0f4baf0f405682b9c4726d9c0c228b2efbd5761436d2a1bbe500a61575df19ca6fe018aa5000babee3e9552fe3938cb5210b361546996ac873dab31db8c73e5f38d5f819d0c98bdc3d362d6b2fa027dc38463cfd09c6f04a79f240ee5273cf9eca4711097010604d6fb5c950d9a50fd0571e6e34a25428b515be4479705e50103cc4974ce0a998f7c581c11cbe9784eeb211c9f1a4aead10e58f928321e161c324500cb8b03',
      valid: true,
    },
    {
      prefixHash: 'fadedf870d251c42cf428c53731722a9c65ee66f3a014ea0e50b4c4540974478',
      keyImage: '219c8d1dbc949f548f16c42e0de277a778f9d93dbbcf53fd1176b08d75b5fb72',
      keys: [
        'cb6a70497c94c430d1acf9898e29950fa88a194ea454635548d6a22a5bd1e0cd',
        'f95773ae2fb0219a27329042baf4ba0b699e5ac989260af9231acb7e5c559e22',
        '575cd5063873860b27129f18f0e775e30469ff9bc4d18d59128aeeb7aec90a13',
        'f2d781ee23432a9d0babac4a124ed53ed3234e6af6b467054be4f78c46221c96',
      ],
      signatures:
        'bd7caba77b37ac9d9e2838d60343fa7b0cf14388ad17ec287b2929782d34c70e2dd6031de0465e07763e83299f818acc2cb5421c1ae802a9940aba850f86aa05026f5c56f41e5a2e5ccba53d00a3a029d2f709cf55334a92b8daa0f4baf0f405682b9c4726d9c0c228b2efbd5761436d2a1bbe500a61575df19ca6fe018aa5000babee3e9552fe3938cb5210b361546996ac873dab31db8c73e5f38d5f819d0c98bdc3d362d6b2fa027dc38463cfd09c6f04a79f240ee5273cf9eca4711097010604d6fb5c950d9a50fd0571e6e34a25428b515be4479705e50103cc4974ce0a998f7c581c11cbe9784eeb211c9f1a4aead10e58f928321e161c324500cb8b03',
      valid: false,
    },
  ],
  /** An output with all derived values of its receiver, from the keys of transaction and wallet to the key image. */
  output: {
    transactionKey: 'c842e58163411f0cb06a99dc38b466c76f2758e88a88da4cc050ecfe6d04c799',
    viewSecret: '266aca662377f983187e7c68bb0aaa569f65429bc242d0a70ba467e506a7f002',
    spendKey: 'a595c6a1e4e3882c927b6769d14a343aaceac4d6f1b4afa99924f2abda41f0af',
    spendSecret: '7d711ade736c23f1b2c33129e66161b7c0ac5eea08185144c50a4554baec3905',
    index: 0,
    derivation: '31c269cb6af7cef60bb8dafb1e195d0acbd142723a67a51476089342a259ff82',
    key: 'a4201cbbc18ed1a39701e35d51afce78050f16ee03959633cd0c5146d7dbf093',
    secret: 'c794a8396f8ff4b590721184fc1b2e8aa802c5f8bc8a852e707140b578bba30c',
    keyImage: '6f29caefc67026d8d7a77f99306ef11550738849b168a1e22d31dc1da6e43ecc',
  },
};

export type SelfTestVectors = typeof SELF_TEST_VECTORS;
