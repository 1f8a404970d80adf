import fc from 'fast-check';
import { type JsonObject, parseJson, stringifyJson, runInSlices } from '@wrkz/service-kit';
import { readFixture } from '@wrkz/testing/fixtures';
import { decodeContent } from '../../src/container/content';
import { readContainerJson } from '../../src/container/json-reader';
import { contentText } from '../../src/container/encrypted-file';
import type { WalletContent } from '../../src/ledger/model';
import { WalletError } from '../../src/errors';
import { arbitraryContent } from '../support/arbitrary-content';
import { grown, walletAt } from '../support/contents';
import { exportOf2026 } from '../support/exports-of-2026';
import { listAt, plain } from '../support/plain';
import { errorNameOf } from '../support/rejection';

const decode = (text: string | Buffer): Promise<WalletContent> => runInSlices(decodeContent(Buffer.from(text)));
const seed = exportOf2026('seed');
const exported = readFixture('devnet/wallets/alice.export.json');

test('decoding restores any encoded content', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryContent, async (content) => {
      expect(await decode(contentText(content))).toEqual(content);
    }),
  );
});

test('JSON is parsed like the JSON of requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 9 }), async (text) => {
      expect(await runInSlices(readContainerJson(Buffer.from(text)))).toEqual(parseJson(text));
    }),
  );
});

test.each(['', ' ', '{', '[1,]', '{"a":1,}', '01', '-', '1.', '.5', '+1', '1e400', 'nul', '"', '"\\', '"\\x"', '"\n"'])(
  'refuses the invalid JSON %j',
  (text) => {
    expect(() => [...readContainerJson(Buffer.from(text))]).toThrow(SyntaxError);
  },
);

test('invalid UTF-8 and endless nesting are invalid JSON', () => {
  expect(() => [...readContainerJson(Buffer.from([0x22, 0xff, 0x22]))]).toThrow(SyntaxError);
  expect(() => [...readContainerJson(Buffer.from('['.repeat(100_000)))]).toThrow(SyntaxError);
});

test('a truncated or modified container is decoded, or refused as corrupted or of another version', async () => {
  const damage = fc.tuple(fc.nat(seed.length - 1), fc.integer({ min: 0, max: 255 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(damage, async ([at, byte, cut]) => {
      const bytes = Buffer.from(seed);
      bytes[at] = byte;
      try {
        await decode(cut ? bytes.subarray(0, at) : bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(WalletError);
        expect(['walletFileCorrupted', 'unsupportedWalletFileFormatVersion']).toContain(
          await errorNameOf(() => Promise.reject(error as Error)),
        );
      }
    }),
  );
});

/** Every field of an object and of its nested objects, with its path. */
function* fieldsOf(
  value: unknown,
  path: string[] = [],
): Generator<{ holder: JsonObject; name: string; path: string[] }> {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) {
    // Only the first element of a list.
    if (Array.isArray(value) && name !== '0') continue;
    if (!Array.isArray(value)) yield { holder: value as JsonObject, name, path: [...path, name] };
    yield* fieldsOf((value as JsonObject)[name], [...path, name]);
  }
}

const OPTIONAL = new Set(['subWalletIndexCounter', 'walletIndex', 'privateEphemeral']);

test('every field except three is required and has a checked type', async () => {
  const document = plain(exported);
  const wallet = listAt(document, 'subWallets', 'subWallet')[0]!;
  for (const list of ['unspentInputs', 'spentInputs']) listAt(wallet, list).splice(1);
  wallet['lockedInputs'] = [listAt(wallet, 'spentInputs')[0]!];
  wallet['unconfirmedIncomingAmounts'] = [{ amount: 1n, key: 'a'.repeat(64), parentTransactionHash: 'b'.repeat(64) }];
  const subWallets = document['subWallets'] as JsonObject;
  listAt(document, 'subWallets', 'transactions').splice(1);
  subWallets['lockedTransactions'] = [listAt(document, 'subWallets', 'transactions')[0]!];
  subWallets['txPrivateKeys'] = [{ transactionHash: 'c'.repeat(64), txPrivateKey: 'd'.repeat(64) }];
  await decode(stringifyJson(document));
  let count = 0;
  for (const { holder, name } of [...fieldsOf(document)]) {
    const value = holder[name]!;
    delete holder[name];
    if (OPTIONAL.has(name)) await decode(stringifyJson(document));
    else expect([name, await errorNameOf(decode(stringifyJson(document)))]).toEqual([name, 'walletFileCorrupted']);
    for (const wrong of [null, 1.5, [1n], 'z', -(2n ** 70n)]) {
      if (typeof wrong === 'string' && /address|paymentID/.test(name)) continue;
      holder[name] = wrong;
      const error = await errorNameOf(decode(stringifyJson(document)));
      expect([name, wrong, error]).toEqual([name, wrong, 'walletFileCorrupted']);
    }
    holder[name] = value;
    count++;
  }
  expect(count).toBe(87);
});

test('the error of a field has its path', async () => {
  const document = plain(exported);
  listAt(listAt(document, 'subWallets', 'subWallet')[0]!, 'unspentInputs')[1]!['key'] = 'z';
  const message = '/subWallets/subWallet/0/unspentInputs/1/key is not 32 bytes of hex';
  await expect(decode(stringifyJson(document))).rejects.toMatchObject({ cause: { message } });
});

test('64-bit numbers are exact, and a height above 2^53 is above every chain', async () => {
  const document = plain(seed);
  const wallet = listAt(document, 'subWallets', 'subWallet')[0]!;
  wallet['syncStartHeight'] = 2n ** 64n - 1n;
  const amount = { amount: 2n ** 64n - 1n, key: 'A'.repeat(64), parentTransactionHash: 'b'.repeat(64) };
  wallet['unconfirmedIncomingAmounts'] = [amount];
  const { subWallets } = await decode(stringifyJson(document));
  expect(subWallets[0]).toMatchObject({
    syncStartHeight: Number.MAX_SAFE_INTEGER,
    unconfirmedIncoming: [{ ...amount, key: 'a'.repeat(64) }],
  });
});

test.each([0n, 2n ** 32n])('an output with the global index %s has none, so that it is requested', async (index) => {
  const document = plain(exported);
  const output = listAt(listAt(document, 'subWallets', 'subWallet')[0]!, 'unspentInputs')[0]!;
  const decoded = async (): Promise<unknown> => (await decode(stringifyJson(document))).subWallets[0]?.unspent[0];
  output['globalOutputIndex'] = 2n ** 32n - 1n;
  expect(await decoded()).toMatchObject({ globalIndex: 2 ** 32 - 1 });
  output['globalOutputIndex'] = index;
  expect(await decoded()).not.toHaveProperty('globalIndex');
});

test('decoding and encoding drop repeated hashes', async () => {
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)] as const;
  const content = walletAt(1);
  const progress = { height: 1, recentHashes: [a, a, b, b, a], checkpointHashes: [b, b] };
  const text = contentText({ ...content, progress });
  expect((await decode(text)).progress).toEqual({ height: 1, recentHashes: [a, b, a], checkpointHashes: [b] });
  const doubled = text.replaceAll(`"${b}"`, `"${b}","${b}"`);
  expect((await decode(doubled)).progress.checkpointHashes).toEqual([b]);
});

test('unknown fields are written back, even after their object moved to another list', async () => {
  const document = plain(exported);
  const wallet = listAt(document, 'subWallets', 'subWallet')[0]!;
  const unspent = listAt(wallet, 'unspentInputs');
  const transaction = listAt(document, 'subWallets', 'transactions')[3]!;
  const unknown = { a: 12345678901234567890n, b: [1.5, null, { c: 'ü"\\' }], ['__proto__']: true };
  for (const holder of [document, document['walletSynchronizer'] as JsonObject, wallet, unspent[2]!, transaction]) {
    holder['newer'] = unknown;
    holder['Zeit'] = 7n;
  }
  (transaction['transfers'] as JsonObject[])[0]!['note'] = 'x';
  const content = await decode(stringifyJson(document));
  const written = plain(contentText(content));
  expect(written['newer']).toEqual(unknown);
  expect(listAt(written, 'subWallets', 'transactions')[3]).toEqual(transaction);
  expect(listAt(written, 'subWallets', 'subWallet')[0]).toMatchObject({ newer: unknown, Zeit: 7n });
  const [first] = content.subWallets;
  const [one, two, third] = first!.unspent;
  const moved = { ...first!, unspent: [one!, two!], spent: [{ ...third!, spendHeight: 700 }] };
  const after = plain(contentText({ ...content, subWallets: [moved] }));
  const spent = listAt(listAt(after, 'subWallets', 'subWallet')[0]!, 'spentInputs');
  expect(spent).toEqual([{ ...unspent[2], spendHeight: 700n }]);
});

test('of repeated field names the first is used', async () => {
  expect((await decode(seed.replace('"startHeight":', '"startHeight":77,"startHeight":'))).startHeight).toBe(77);
});

test('decoding a large container yields to the event loop', async () => {
  const text = contentText(grown(walletAt(1), 100_000));
  const bytes = Buffer.from(text);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await decode(bytes);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});
