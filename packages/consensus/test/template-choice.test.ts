import type { ParsedTransaction, TransactionPrefix } from '@wrkz/core-types';
import { networkOf } from '@wrkz/core-types';
import { generateKeyPair } from '@wrkz/crypto';
import { buildTemplate, templateSizeLimit, type ChainView, type Template, type TemplateInput } from '@wrkz/consensus';
import { blockAt, branchTo, chainA, devnet, NOW } from './chain-a';
import { unsigned } from './wallet';

/*
 * A template selects candidates, skips them for a later block, or refuses them. It checks no signature and no ring member,
 * so candidates need neither.
 */

const pair = generateKeyPair();
const receiver = { spendPublic: pair.publicKey, viewPublic: pair.publicKey };

const choose = (height: number, candidates: ParsedTransaction[], change: Partial<TemplateInput> = {}) =>
  buildTemplate({
    network: devnet,
    view: branchTo(height),
    now: NOW,
    receiver,
    transactionKeys: generateKeyPair(),
    extraNonce: Buffer.alloc(0),
    candidates,
    ...change,
  });

const taken = (template: Template, candidates: ParsedTransaction[]): string[] =>
  candidates.map((one) => {
    if (template.transactions.includes(one)) return 'taken';
    return template.refused.find(({ transaction }) => transaction === one)?.failure.code ?? 'left';
  });

let images = 1;
const freshImage = (): Buffer => {
  const image = Buffer.alloc(32);
  image.writeUInt32LE(images++);
  return image;
};

/** Spends these key images with a fee of 60,000, which is enough at every height. */
function candidate(
  keyImages: Buffer[],
  change: Partial<TransactionPrefix> = {},
  ring = [1, 1, 1, 1],
): ParsedTransaction {
  const inputs = keyImages.map(
    (keyImage) => ({ type: 'key', amount: 1_000_000n, keyOffsets: ring, keyImage }) as const,
  );
  const outputs = [{ amount: 1_000_000n * BigInt(keyImages.length) - 60_000n, key: pair.publicKey }];
  return unsigned({ version: 1, unlockTime: 0n, inputs, outputs, extra: Buffer.alloc(0), ...change });
}

/** An invalid transaction of exactly this number of bytes. */
function bulk(size: number): ParsedTransaction {
  for (let length = size - 12; ; length++) {
    const made = unsigned({ version: 1, unlockTime: 0n, inputs: [], outputs: [], extra: Buffer.alloc(length) });
    if (made.size === size) return made;
    if (made.size > size) throw new RangeError(`no transaction has ${size} bytes`);
  }
}

test('a template contains up to 125 % of the median or the hard size, less the coinbase', () => {
  expect([
    templateSizeLimit(20_000, 720),
    templateSizeLimit(100_000, 720),
    templateSizeLimit(100_001, 525_600),
  ]).toEqual([24_400, 99_540, 124_401]);
});

describe('transactions that do not fit', () => {
  // The hard size of index 719 is one byte larger than that of 717.
  const TIP = 718;
  const limit = 99_540;

  test('are left for a later block, and one that just fits is checked', async () => {
    expect([templateSizeLimit(100_000, TIP - 1), templateSizeLimit(100_000, TIP + 1)]).toEqual([limit - 1, limit]);
    const candidates = [bulk(limit + 1), bulk(limit)];
    expect(taken(await choose(TIP, candidates), candidates)).toEqual(['left', 'EXTRA_TOO_LARGE']);
  });

  test('are measured against the space after the selected ones', async () => {
    const first = candidate([freshImage()], { unlockTime: BigInt(TIP + 40) }, [1, 1]);
    const second = candidate([freshImage()], { unlockTime: BigInt(TIP + 40) }, [1, 1]);
    const rest = limit - first.size - second.size;
    const candidates = [first, second, bulk(rest + 1), bulk(rest)];
    expect(taken(await choose(TIP, candidates), candidates)).toEqual(['taken', 'taken', 'left', 'EXTRA_TOO_LARGE']);
  });
});

describe('small candidates that fill a block', () => {
  const TIP = 718;
  const LIMIT = 99_540;
  const MIN_BYTES = 105;
  const CANDIDATES = 2_000;
  const small = (padding: number): ParsedTransaction =>
    candidate([freshImage()], { unlockTime: BigInt(TIP + 40), extra: Buffer.alloc(padding) }, [1, 1]);

  /** Offers small candidates that leave `left` bytes of a block. @returns the numbers of selected and of visited candidates */
  async function fill(left: number): Promise<{ taken: number; visited: number; needed: number }> {
    const { size } = small(0);
    const count = Math.floor((LIMIT - MIN_BYTES) / size) - 1;
    const rest = LIMIT - left - count * size;
    const last = Array.from({ length: rest }, (_, padding) => small(padding)).find((one) => one.size === rest)!;
    let visited = 0;
    function* pool(): Generator<ParsedTransaction> {
      while (visited < CANDIDATES) yield visited++ === count ? last : small(0);
    }
    const { transactions } = await choose(TIP, [], { candidates: pool() });
    return { taken: transactions.length, visited, needed: count + 1 };
  }

  test('end the selection once nothing fits: later ones are not visited, without yielding to the event loop', async () => {
    let turns = 0;
    const immediate = setImmediate(() => (turns += 1));
    const { taken: chosen, visited, needed } = await fill(MIN_BYTES - 1);
    clearImmediate(immediate);
    expect([chosen, visited, turns]).toEqual([needed, needed + 1, 0]);
  });

  test('do not end it while the smallest possible transaction fits', async () => {
    const { taken: chosen, visited, needed } = await fill(MIN_BYTES);
    expect([chosen, visited]).toEqual([needed, CANDIDATES]);
  });
});

test('candidates are checked by the rules of the next block', async () => {
  // From 430 on the minimum applies to the smallest ring.
  const mixed = (): ParsedTransaction => {
    const { inputs, outputs } = candidate([freshImage(), freshImage()]).transaction;
    const rings = [[1, 1], [1]];
    const uneven = inputs.map((input, i) => (input.type === 'key' ? { ...input, keyOffsets: rings[i]! } : input));
    return unsigned({ version: 1, unlockTime: 500n, inputs: uneven, outputs, extra: Buffer.alloc(0) });
  };
  expect(devnet.rulesAt(429).mixin.minAppliesTo).toBe('largest');
  expect(devnet.rulesAt(430).mixin.minAppliesTo).toBe('smallest');
  const before = [mixed()];
  expect(taken(await choose(428, before), before)).toEqual(['taken']);
  const after = [mixed()];
  expect(taken(await choose(429, after), after)).toEqual(['INVALID_MIXIN']);
});

test('candidates are checked by the rules of the pool, which apply some limits before the chain does', async () => {
  expect(devnet.rulesAt(21).extraLimit).toBeUndefined();
  const candidates = [candidate([freshImage()], { extra: Buffer.alloc(2000) })];
  expect(taken(await choose(20, candidates), candidates)).toEqual(['EXTRA_TOO_LARGE']);
});

test('transaction proof of work is required in the hundred blocks in which templates check it', async () => {
  const height = chainA().findIndex((_, index) => devnet.rulesAt(index).templateChecksTxPow) - 1;
  const last = chainA().findLastIndex((_, index) => devnet.rulesAt(index).templateChecksTxPow) - 1;
  // Without a nonce, which meets the difficulty by chance in one of about twenty cases.
  const without = (): ParsedTransaction[] => Array.from({ length: 8 }, () => candidate([freshImage()], {}, [1, 1]));
  const [before, at, after] = [without(), without(), without()];
  const refused = async (tip: number, candidates: ParsedTransaction[]): Promise<number> =>
    taken(await choose(tip, candidates), candidates).filter((verdict) => verdict === 'POW_INVALID').length;
  expect(await refused(height - 1, before)).toBe(0);
  expect(await refused(height, at)).toBeGreaterThan(3);
  expect(await refused(last + 1, after)).toBe(0);
});

test('an unlock time that is valid only at the time of the tip is left for later', async () => {
  const tip = branchTo(720).facts(720);
  const candidates = [0, 1].map((more) => {
    return candidate([freshImage()], { unlockTime: BigInt(tip.timestamp + 900 + 500 * more) }, [1, 1]);
  });
  const template = await choose(720, candidates, { now: tip.timestamp + 500 });
  expect(taken(template, candidates)).toEqual(['left', 'taken']);
});

test('a candidate that shares a key image with another one, or with the chain, is left for later', async () => {
  const [first, second] = [freshImage(), freshImage()];
  const { transactions } = chainA().findLast((one) => one.transactions.length > 0)!;
  const [input] = transactions[0]!.transaction.inputs;
  const spent = input?.type === 'key' ? input.keyImage : Buffer.alloc(0);
  const lock = { unlockTime: 800n };
  const candidates = [
    candidate([first], lock, [1, 1]),
    candidate([second, first], lock, [1, 1]),
    candidate([freshImage(), spent], lock, [1, 1]),
    candidate([second], lock, [1, 1]),
  ];
  expect(taken(await choose(720, candidates), candidates)).toEqual(['taken', 'left', 'left', 'taken']);
});

test('a division by zero in the difficulty leaves no next block', async () => {
  const facts = {
    ...branchTo(720).facts(720),
    timestamp: 1_700_000_000,
    height: 4_000_000,
    hash: blockAt(1).block.hash,
  };
  const view = {
    height: facts.height,
    facts: () => facts,
    window: (_end: number, count: number) => Array.from({ length: count }, () => facts),
    keyImageHeight: () => undefined,
    output: () => undefined,
    outputCount: () => 0,
  } satisfies ChainView;
  await expect(choose(0, [], { network: networkOf('mainnet'), view })).rejects.toThrow(
    'no block can follow the top: its difficulty would be 0',
  );
});
