import { join } from 'node:path';
import { exportSnapshot, importSnapshot, rulesDigest } from '@wrkz/chain-db';
import {
  type Block,
  encodeBlock,
  encodeTransaction,
  encodeTransactionPrefix,
  type KeyInput,
  networkOf,
  parseBlock,
  type ParsedTransaction,
  parseTransaction,
  type RawBlock,
  type Transaction,
} from '@wrkz/core-types';
import { transactionPowDifficulty, transactionPowSearch } from '@wrkz/consensus';
import { generateKeyImage, generateKeyPair, searchNonce } from '@wrkz/crypto';
import { chainA } from '@wrkz/testing';
import { type EngineBench, engineBench } from '../support/engine';
import { temporaryDirectory } from '../support/temporary';

/*
 * The same hostile blocks for a full node, a pruned one, a lite one that synchronized and one from a snapshot: all
 * make the same decisions. Work is checked last (docs/protocol/blocks.md#order-of-checks), so blocks of chain A are used with
 * replaced transactions.
 */

const LITE = 300;
const TIP = 400;
const prune = { depth: 60, minGap: 1, minFreeBytes: 0, minDiskFreeBytes: 0 };

let benches: readonly EngineBench[];
let spends: readonly ParsedTransaction[];

/** Blocks `start` to `end` - 1 of chain A. */
const blocks = (start: number, end: number): RawBlock[] => [...chainA().slice(start, end)];

async function snapshotOf({ reader }: EngineBench): Promise<string> {
  const directory = temporaryDirectory();
  const path = join(directory, 'a.litesnap');
  const { digest } = await exportSnapshot({ reader, network: 'devnet', liteHeight: LITE, path });
  const accepted = [digest.toString('hex')];
  await importSnapshot({ path, directory, network: 'devnet', liteHeight: LITE, accepted });
  return directory;
}

beforeAll(async () => {
  const full = engineBench('devnet');
  const pruned = engineBench('devnet', { prune });
  const lite = engineBench('devnet', { lite: LITE });
  const gone = new Promise<void>((done) => {
    pruned.engine.on('pruned', ({ floor }) => floor > TIP - prune.depth && done());
  });
  for (const { engine } of [full, pruned, lite]) await engine.addBlocks(blocks(1, TIP + 1), 'sync');
  await gone;
  const imported = engineBench('devnet', { directory: await snapshotOf(full), lite: LITE });
  await imported.engine.addBlocks(blocks(LITE, TIP + 1), 'sync');
  benches = [full, pruned, lite, imported];
  // Not those of the next block, which would be taken.
  spends = [...blocks(1, TIP + 1), ...blocks(TIP + 2, 460)].flatMap(({ transactions }) =>
    transactions.map((bytes) => parseTransaction(bytes)),
  );
});
afterAll(() => Promise.all(benches.map(({ engine }) => engine.stop())));

/** The common decision of all nodes on each block. @throws Error if they differ */
async function judged(hostile: readonly RawBlock[]): Promise<Record<string, number>> {
  const reported = [];
  for (const { engine } of benches) {
    const codes: string[] = [];
    for (const block of hostile) codes.push((await engine.addBlocks([block], 'sync'))[0]?.code ?? '');
    reported.push(codes);
  }
  for (const other of reported.slice(1)) expect(other).toEqual(reported[0]);
  expect(new Set(benches.map(({ reader }) => rulesDigest(reader))).size).toBe(1);
  const counts: Record<string, number> = {};
  for (const code of reported[0] ?? []) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** A block of chain A with changed fields and transactions. */
function changed(height: number, members: Partial<Block>, transactions: readonly Buffer[] = []): RawBlock {
  const { block } = parseBlock(blocks(height, height + 1)[0]!.block);
  const transactionHashes = transactions.map((bytes) => parseTransaction(bytes).hash);
  return { block: encodeBlock({ ...block, transactionHashes, ...members }), transactions: [...transactions] };
}

/** The next block, with a changed honest transaction. */
const spending = (honest: ParsedTransaction, change: (transaction: Transaction) => Transaction): RawBlock =>
  changed(TIP + 1, {}, [encodeTransaction(change(honest.transaction))]);

/** An unspent key image. */
function freshImage(): Buffer {
  const { publicKey, secretKey } = generateKeyPair();
  return generateKeyImage(publicKey, secretKey);
}

/** Each input with a fresh image, so that its ring is looked at, and what else a change makes of it. */
const withInputs =
  (change: (input: KeyInput) => Partial<KeyInput>) =>
  (transaction: Transaction): Transaction => ({
    ...transaction,
    inputs: transaction.inputs.map((input) =>
      input.type === 'key' ? { ...input, keyImage: freshImage(), ...change(input) } : input,
    ),
  });

const firstOffset =
  (of: (first: number) => number) =>
  ({ keyOffsets: [first = 0, ...others] }: KeyInput): Partial<KeyInput> => ({ keyOffsets: [of(first), ...others] });

test('rejects a spent key image, wherever it was spent', async () => {
  const counts = await judged(spends.map((honest) => spending(honest, (same) => same)));
  expect(counts).toMatchObject({ INPUT_KEYIMAGE_ALREADY_SPENT: expect.any(Number) as number });
  expect(counts).not.toHaveProperty('ADDED_TO_MAIN');
});

/** The work of a transaction done, where its extra ends with it: without, its rings are not looked at. */
async function worked(transaction: Transaction): Promise<Transaction> {
  const prefix = encodeTransactionPrefix(transaction);
  const difficulty = transactionPowDifficulty(transaction, networkOf('devnet'), TIP + 1);
  const found = await searchNonce(transactionPowSearch(prefix, difficulty));
  if (found === null) throw new Error('no nonce meets the difficulty');
  const { extra } = transaction;
  return { ...transaction, extra: Buffer.concat([extra.subarray(0, -found.nonceBytes.length), found.nonceBytes]) };
}

/** By amount, an output below the lite height that is locked at the tip. */
function lockedBelow(): ReadonlyMap<bigint, number> {
  const [{ reader }] = benches as [EngineBench];
  const found = new Map<bigint, number>();
  for (const amount of reader.amounts()) {
    for (let index = 0; index < reader.outputCount(amount, LITE - 1); index++) {
      if ((reader.output(amount, index)?.unlockTime ?? 0n) > TIP + 50) found.set(amount, index);
    }
  }
  return found;
}

test('resolves rings alike: unknown indexes, other outputs, and outputs locked below the lite height', async () => {
  const locked = lockedBelow();
  const isIn = (index: number, { keyOffsets }: KeyInput): boolean => {
    let at = 0;
    return keyOffsets.some((offset) => (at += offset) === index);
  };
  /** A ring with one replaced index. */
  const withIndex = (input: KeyInput, index: number): Partial<KeyInput> => {
    let at = 0;
    const ring = input.keyOffsets.map((offset) => (at += offset));
    const others = ring.filter((one) => one !== index).slice(0, ring.length - 1);
    const chosen = [index, ...others].sort((a, b) => a - b);
    return { keyOffsets: chosen.map((one, i) => one - (chosen[i - 1] ?? 0)) };
  };
  const changes = {
    same: () => ({}),
    beyond: firstOffset(() => 4_000_000_000),
    next: firstOffset((first) => first + 1),
    locked: (input: KeyInput) => {
      const index = locked.get(input.amount);
      return index === undefined || isIn(index, input) ? {} : withIndex(input, index);
    },
  };
  const seen: Record<string, Record<string, number>> = {};
  for (const [name, change] of Object.entries(changes)) {
    const hostile: RawBlock[] = [];
    for (const honest of spends.slice(-120)) {
      const made = await worked(withInputs(change)(honest.transaction));
      hostile.push(changed(TIP + 1, {}, [encodeTransaction(made)]));
    }
    seen[name] = await judged(hostile);
  }
  const lockedOut = (name: string): number => seen[name]?.['INPUT_SPEND_LOCKED_OUT'] ?? 0;
  expect(lockedOut('locked')).toBeGreaterThan(lockedOut('same'));
  expect(seen['same']).toHaveProperty('INPUT_INVALID_SIGNATURES');
});

test('decides alike on transactions with a flipped bit', async () => {
  const random = seeded(7);
  const hostile: RawBlock[] = [];
  while (hostile.length < 300) {
    const bytes = Buffer.from(encodeTransaction(spends[random(spends.length)]!.transaction));
    bytes[random(bytes.length)]! ^= 1 << random(8);
    try {
      hostile.push(changed(TIP + 1, {}, [bytes]));
    } catch {
      // Not a transaction any more: no block can name it.
    }
  }
  await judged(hostile);
});

test('decides alike on side blocks, from far below the lite height up to the tip', async () => {
  const hostile: RawBlock[] = [];
  for (let height = 5; height < TIP; height += 7) {
    const { transactions } = blocks(height, height + 1)[0]!;
    const replayed = encodeTransaction(spends[height % spends.length]!.transaction);
    hostile.push(
      changed(height, { nonce: 7 }, transactions),
      changed(height, { nonce: 7 }, [...transactions, replayed]),
    );
    hostile.push(changed(height, {}, [replayed]), changed(height, { timestamp: 1n }));
  }
  const counts = await judged(hostile);
  expect(counts).toHaveProperty('PROOF_OF_WORK_TOO_WEAK');
  expect(await judged(blocks(1, TIP + 1))).toEqual({ ALREADY_EXISTS: TIP });
});

/** Numbers from 0 to below a limit, the same for each seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
}
