import fc from 'fast-check';
import {
  buildExtra,
  decodeBlock,
  encodeBlock,
  encodeTransaction,
  MAX_UINT64,
  networkOf,
  type RawBlock,
  type Transaction,
  type TransactionInput,
} from '@wrkz/core-types';
import { readBinaryResponse, readSyncResponse, type SyncBlock } from '@wrkz/client';
import { chainA } from '@wrkz/testing';
import { runQuery } from '../../src/rpc';
import { resolveStart } from '../../src/rpc/queries/sync-blocks';
import { readerOf } from './support/chain-of';
import { plainItem } from './support/wallet-sync-plain';

/*
 * The writer of `/getwalletsyncdata` reads stored bytes and creates no objects. Its responses are compared with a
 * simple implementation, byte for byte (docs/protocol/lessons.md#hashing-known-data).
 */

const devnet = networkOf('devnet');
const ITEMS = /^\{"items":\[(.*)\],("scannedToHeight":\d+,)?"status":"OK","synced":(true|false)(,"topBlock":.*)?\}$/s;

interface Options {
  readonly skipCoinbase: boolean;
  readonly skipKeyOffsets: boolean;
  readonly encoding: 'hex' | 'base64';
}

const VARIANTS: readonly Options[] = [false, true].flatMap((skipCoinbase) =>
  [false, true].flatMap((skipKeyOffsets) =>
    (['hex', 'base64'] as const).map((encoding) => ({ skipCoinbase, skipKeyOffsets, encoding })),
  ),
);

/** The items of a response with all blocks of a reader from `start` on, as text. */
function items(blocks: readonly RawBlock[], start: number, options: Options): string | undefined {
  const range = { checkpoints: Buffer.alloc(0), startHeight: start, startTimestamp: 0, blockCount: 1000 };
  const query = { ...range, ...options, skipEmpty: false, endHeight: 0 };
  const response = runQuery(readerOf(blocks, { first: start }), devnet, 'walletSyncData', query).toString('latin1');
  return ITEMS.exec(response)?.[1];
}

/** The blocks of a binary response and of a response in JSON, as a client reads them. */
function bothReadings(blocks: readonly RawBlock[], start: number, skipCoinbase: boolean): [SyncBlock[], SyncBlock[]] {
  const reading = (encoding: 'hex' | 'binary'): SyncBlock[] => {
    const range = { checkpoints: Buffer.alloc(0), startHeight: start, startTimestamp: 0, blockCount: 1000 };
    const query = { ...range, skipCoinbase, skipKeyOffsets: true, encoding, skipEmpty: false, endHeight: 0 };
    const body = runQuery(readerOf(blocks, { first: start }), devnet, 'walletSyncData', query);
    const response = encoding === 'binary' ? readBinaryResponse(body) : readSyncResponse(body);
    return (response?.blocks ?? []).map(({ height, hash, timestamp, coinbase, transactions }) => {
      return { height, hash, timestamp, coinbase, transactions };
    });
  };
  return [reading('binary'), reading('hex')];
}

function plain(blocks: readonly RawBlock[], start: number, options: Options): string {
  return blocks.map((raw, i) => plainItem(raw, start + i, options)).join(',');
}

test.each(VARIANTS)('all of chain A is returned as parsed: %j', (options) => {
  const blocks = chainA();
  expect(blocks.length).toBeGreaterThan(700);
  expect(items(blocks, 0, options)).toBe(plain(blocks, 0, options));
});

test.each([false, true])('all of chain A is in a binary response; without coinbases: %s', (skipCoinbase) => {
  const [binary, json] = bothReadings(chainA(), 0, skipCoinbase);
  expect(json.length).toBeGreaterThan(700);
  expect(binary).toEqual(json);
});

describe('any content of a transaction', () => {
  /** Numbers of every length of a varint. */
  const wide = fc
    .tuple(fc.bigInt({ min: 0n, max: MAX_UINT64 }), fc.integer({ min: 0, max: 63 }))
    .map(([value, shift]) => value >> BigInt(shift));
  const edge = fc.constantFrom(0n, 127n, 128n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, MAX_UINT64);
  const number = fc.oneof(wide, edge);
  const bytes = (length: number): fc.Arbitrary<Buffer> =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
  const input: fc.Arbitrary<TransactionInput> = fc.oneof(
    fc.record({ type: fc.constant('base' as const), height: fc.nat(2 ** 32 - 1) }),
    fc.record({
      type: fc.constant('key' as const),
      amount: number,
      keyOffsets: fc.array(fc.nat(2 ** 32 - 1), { maxLength: 4 }),
      keyImage: bytes(32),
    }),
  );
  const extra = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((array) => Buffer.from(array)),
    // Bytes that look like the start of a field, so that keys and payment ids are at unusual positions.
    fc
      .array(fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 9, 33, 0x7f, 0x80), fc.integer({ min: 0, max: 255 })), {
        maxLength: 120,
      })
      .map((array) => Buffer.from(array)),
    fc
      .record({ publicKey: bytes(32), nonce: fc.oneof(bytes(33), bytes(9), bytes(40)) })
      .map(({ publicKey, nonce }) => buildExtra({ publicKey, nonce })),
  );
  const transaction = fc
    .record({
      version: fc.constantFrom(0, 1),
      unlockTime: number,
      inputs: fc.array(input, { maxLength: 4 }),
      outputs: fc.array(fc.record({ amount: number, key: bytes(32) }), { maxLength: 4 }),
      extra,
    })
    .map((prefix): Transaction => {
      const signatures = prefix.inputs.map((one) =>
        one.type === 'key' ? Buffer.alloc(64 * one.keyOffsets.length, 0xaa) : Buffer.alloc(0),
      );
      return { ...prefix, signatures };
    });

  const template = decodeBlock((chainA()[1] as RawBlock).block);

  test('is returned as parsed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ coinbase: transaction, transactions: fc.array(transaction, { maxLength: 3 }) }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.constantFrom(...VARIANTS),
        (made, options) => {
          const blocks = made.map(({ coinbase, transactions }) => {
            const alone: Transaction = { ...coinbase, inputs: [{ type: 'base', height: 1 }], signatures: [] };
            return {
              block: encodeBlock({ ...template, coinbase: alone }),
              transactions: transactions.map(encodeTransaction),
            };
          });
          expect(items(blocks, 5_000_000, options)).toBe(plain(blocks, 5_000_000, options));
          const [binary, json] = bothReadings(blocks, 5_000_000, options.skipCoinbase);
          expect(binary).toEqual(json);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a stored prefix that is damaged', () => {
  const [genesis, block] = chainA() as [RawBlock, RawBlock];
  const sound = readerOf([genesis, block]);
  const query = {
    ...{ checkpoints: Buffer.alloc(0), startHeight: 0, startTimestamp: 0, blockCount: 10, endHeight: 0 },
    ...{ skipCoinbase: false, skipKeyOffsets: false, skipEmpty: false, encoding: 'hex' as const },
  };
  const withPrefix = (change: (prefix: Buffer) => Buffer): typeof sound =>
    ({
      ...sound,
      scanTransactions: (first: number, end: number) => {
        const { hashes, prefixes } = sound.scanTransactions(first, end);
        return { hashes, prefixes: prefixes.map((prefix) => change(Buffer.from(prefix))) };
      },
    }) as unknown as typeof sound;

  test.each(['hex', 'binary'] as const)('and truncated is reported, for every length (%s)', (encoding) => {
    const { prefixes } = sound.scanTransactions(0, 1);
    const lengths = [...(prefixes[0] as Buffer).keys()];
    for (const length of lengths) {
      const reader = withPrefix((prefix) => prefix.subarray(0, length));
      expect(() => runQuery(reader, devnet, 'walletSyncData', { ...query, encoding })).toThrow(
        /cannot be read: unexpected end of data/,
      );
    }
  });

  test.each([
    ['an input', 3, 'unknown input type 7'],
    ['an output', 0, 'unknown output type 7'],
  ])('in the tag of %s is reported', (_name, at, message) => {
    const prefix0 = sound.scanTransactions(0, 1).prefixes[0] as Buffer;
    // version, unlock time, one input: its tag and height; then the outputs: their number, the amount, the tag
    const place = at > 0 ? at : prefix0.indexOf(2, 6);
    const reader = withPrefix((prefix) => {
      prefix[place] = 7;
      return prefix;
    });
    for (const encoding of ['hex', 'binary'] as const)
      expect(() => runQuery(reader, devnet, 'walletSyncData', { ...query, encoding })).toThrow(message);
  });
});

test('a start timestamp selects the first block of its UTC day, or the block above the tip', () => {
  const midnight = 19_676 * 86_400;
  const firstHeightFrom = jest.fn<number | undefined, [number]>(() => 5);
  const context = {
    reader: { tip: () => ({ height: 9 }), firstHeightFrom } as never,
    throwIfCancelled: () => undefined,
  };
  const start = (startTimestamp: number): number =>
    resolveStart(context, { checkpoints: Buffer.alloc(0), startHeight: 0, startTimestamp, blockCount: 10 }, 0);
  expect([start(midnight), start(midnight + 86_399)]).toEqual([5, 5]);
  expect(firstHeightFrom.mock.calls).toEqual([[midnight], [midnight]]);
  firstHeightFrom.mockReturnValue(undefined);
  expect(start(midnight)).toBe(10);
});
