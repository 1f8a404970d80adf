import {
  BodyError,
  bodyLimit,
  ByteBudget,
  Command,
  decodeHeader,
  decodeKv,
  decodePeers,
  decodePeers6,
  encodeHeader,
  encodeKv,
  FrameParser,
  handshakeRequest,
  handshakeResponse,
  kv,
  type KvSection,
  type KvValue,
  missingTransactions,
  newBlock,
  newLiteBlock,
  newTransactions,
  pingResponse,
  requestChain,
  requestObjects,
  requestPool,
  responseChain,
  responseObjects,
  timedSyncRequest,
  timedSyncResponse,
} from '../src';

const decoders: readonly ((body: Buffer) => unknown)[] = [
  handshakeRequest.decode,
  handshakeResponse.decode,
  missingTransactions.decode,
  newBlock.decode,
  newLiteBlock.decode,
  newTransactions.decode,
  pingResponse.decode,
  requestChain.decode,
  requestObjects.decode,
  requestPool.decode,
  responseChain.decode,
  responseObjects.decode,
  timedSyncRequest.decode,
  timedSyncResponse.decode,
];

const KIB = 1024;
const MIB = 1024 * KIB;

/** A second copy of the limits of docs/protocol/p2p.md#frame-limits, for a peer with pending requests of each kind. */
const LIMITS: Readonly<Record<keyof typeof Command, number>> = {
  handshake: 64 * KIB,
  timedSync: 64 * KIB,
  ping: 4 * KIB,
  newBlock: 8 * MIB,
  newTransactions: 50_000_000,
  requestObjects: 512 * KIB,
  responseObjects: 50_000_000,
  requestChain: 64 * KIB,
  responseChain: 512 * KIB,
  requestPool: 50_000_000,
  newLiteBlock: 4 * MIB,
  missingTransactions: 512 * KIB,
};
const header = (name: keyof typeof Command) => ({
  command: Command[name] as number,
  kind: 'notification' as const,
  returnCode: 0,
  length: 0n,
});

describe('the largest body of each command', () => {
  const requested = { handshaken: true, objectsRequested: true, transactionsRequested: true };
  const names = Object.keys(Command) as (keyof typeof Command)[];

  it.each(names)('%s', (name) => {
    expect(bodyLimit(header(name), requested)).toBe(LIMITS[name]);
    expect(bodyLimit(header(name), { ...requested, handshaken: false })).toBe(64 * KIB);
    const unasked = { handshaken: true, objectsRequested: false, transactionsRequested: false };
    const small = name === 'responseObjects' ? MIB : name === 'newTransactions' ? 16 * MIB : LIMITS[name];
    expect(bodyLimit(header(name), unasked)).toBe(small);
  });

  it('is accepted, one more byte is not', () => {
    for (const [declared, error] of [
      [100n, undefined],
      [101n, 'frame-too-large'],
    ] as const) {
      const bytes = encodeHeader({ command: 1, kind: 'request', returnCode: 0, body: Buffer.alloc(0) });
      bytes.writeBigUInt64LE(declared, 8);
      const budget = new ByteBudget(1 << 20);
      const parser = new FrameParser({ limitOf: () => 100, onFrame: () => undefined, budget });
      expect(parser.push(bytes)).toBe(error);
    }
  });

  it('may use up the budget to its last byte', () => {
    const budget = new ByteBudget(10);
    expect([budget.take(10), budget.take(1), budget.inUse]).toEqual([true, false, 10]);
  });
});

describe('a header', () => {
  const bytes = encodeHeader({ command: 1003, kind: 'request', returnCode: 0, body: Buffer.alloc(0) });

  it.each([
    [0, 1, 'notification'],
    [1, 1, 'request'],
    // The reference treats any other byte than 0 as true.
    [2, 1, 'request'],
    [255, 1, 'request'],
    [0, 2, 'response'],
    [1, 2, 'response'],
    [1, 3, 'response'],
  ])('with the response request %d and flags %d is a %s', (wish, flags, kind) => {
    const changed = Buffer.from(bytes);
    changed[16] = wish;
    changed.writeUInt32LE(flags, 25);
    expect(decodeHeader(changed)?.kind).toBe(kind);
  });
});

describe('limits of the decoder', () => {
  const filled = (count: number): KvSection =>
    new Map([
      [
        'a',
        kv.array(
          'uint8',
          Array.from({ length: count }, () => kv.uint8(1)),
        )!,
      ],
    ]);

  it('allow values up to the limit, including the fields of objects', () => {
    expect(decodeKv(encodeKv(filled(9)), { maxValues: 10 }).size).toBe(1);
    expect(() => decodeKv(encodeKv(filled(10)), { maxValues: 10 })).toThrow('too many values');
  });

  const strings = (name: string, count: number, size = 0): Buffer =>
    encodeKv(
      new Map([
        [
          name,
          kv.array(
            'string',
            Array.from({ length: count }, () => kv.string(Buffer.alloc(size))),
          )!,
        ],
      ]),
    );

  it('allow 10,000 values, and one more for each hundred bytes', () => {
    expect(newTransactions.decode(strings('txs', 9_999)).transactions).toHaveLength(9_999);
    expect(() => newTransactions.decode(strings('txs', 12_000))).toThrow('too many values');
    // As many transactions of the minimum size as fit the response to a pool request.
    expect(newTransactions.decode(strings('txs', 100_000, 105)).transactions).toHaveLength(100_000);
  });

  it('cause no work for unknown fields', () => {
    const shape = { txs: 'many' } as const;
    const meter = { made: 0, ignored: 0 };
    expect(decodeKv(encodeKv(filled(249_000)), { shape, meter }).size).toBe(0);
    expect(meter).toEqual({ made: 0, ignored: 1 });
    expect(newTransactions.decode(strings('other', 999)).transactions).toEqual([]);
    for (const decode of decoders) expect(() => decode(strings('other', 1_000))).toThrow('too many unknown values');
    const named = new Map(Array.from({ length: 80_000 }, (_, index) => [index.toString(36), kv.uint8(1)]));
    const many = { made: 0, ignored: 0 };
    expect(() => decodeKv(encodeKv(named), { shape, meter: many })).toThrow('too many unknown values');
    expect(many).toEqual({ made: 0, ignored: 1_000 });
  });

  it('cause no work for fields of another kind', () => {
    const meter = { made: 0, ignored: 0 };
    const wrong = encodeKv(new Map([['hop', kv.array('uint8', Array(249_000).fill(kv.uint8(1)) as KvValue[])!]]));
    expect(() => decodeKv(wrong, { shape: { hop: 'one' }, meter })).toThrow('field hop should be a single value');
    expect(meter).toEqual({ made: 0, ignored: 0 });
    for (const shape of [{ a: 'one' }, { a: [{}] }, { a: {} }] as const) {
      expect(() => decodeKv(strings('a', 1), { shape })).toThrow('not an array of string');
    }
    expect(() => decodeKv(encodeKv(new Map([['a', kv.object({})]])), { shape: { a: 'many' } })).toThrow('not object');
  });

  it('return the hashes of a pool request without copies', () => {
    const hashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(requestPool.decode(requestPool.encode({ hashes }))).toEqual({ packed: Buffer.concat(hashes) });
    expect(() => requestPool.decode(encodeKv(new Map([['txs', kv.string(Buffer.alloc(33))]])))).toThrow(BodyError);
  });

  it('accept fields of a fixed size only with that size', () => {
    const named = (size: number): KvSection => new Map([['blockHash', kv.string(Buffer.alloc(size, 7))]]);
    expect(missingTransactions.decode(encodeKv(named(32))).blockHash).toEqual(Buffer.alloc(32, 7));
    for (const size of [0, 31, 33]) expect(() => missingTransactions.decode(encodeKv(named(size)))).toThrow(BodyError);
  });

  it('allow eight nested objects', () => {
    const nested = (depth: number): KvSection =>
      depth === 1 ? new Map() : new Map([['o', { type: 'object', value: nested(depth - 1) }]]);
    expect(requestPool.decode(encodeKv(nested(8)))).toEqual({ packed: Buffer.alloc(0) });
    expect(() => requestPool.decode(encodeKv(nested(9)))).toThrow(BodyError);
  });
});

describe('peer lists', () => {
  it('with an incomplete entry are rejected', () => {
    expect(() => decodePeers(Buffer.alloc(25))).toThrow(BodyError);
    expect(() => decodePeers(Buffer.alloc(47))).toThrow(BodyError);
    expect(() => decodePeers6(Buffer.alloc(41))).toThrow(BodyError);
    expect(decodePeers(Buffer.alloc(48))).toHaveLength(2);
  });

  it('are read up to 250 entries', () => {
    expect(decodePeers(Buffer.alloc(24 * 2_700))).toHaveLength(250);
    expect(decodePeers6(Buffer.alloc(40 * 1_600))).toHaveLength(250);
  });
});
