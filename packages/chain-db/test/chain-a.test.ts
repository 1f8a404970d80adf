import { rawBlockBytes } from '@wrkz/core-types';
import { chainAHeaders, chainALines, readJsonLines } from '@wrkz/testing/fixtures';
import type { ChainDb } from '../src';
import { chainA } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';

interface RecordedRow {
  readonly path: string;
  readonly status: number;
  readonly phase: string;
  readonly body: string;
  readonly response: string;
}

const recorded = (path: string): { request: unknown; result: unknown }[] =>
  readJsonLines<RecordedRow>('devnet/chain-a-rpc.jsonl')
    .filter((row) => row.path === path && row.status === 200 && row.phase === 'tip')
    .map(({ body, response }) => ({ request: JSON.parse(body) as unknown, result: JSON.parse(response) as unknown }));

const fromHex = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe('chain A, appended in batches', () => {
  let db: ChainDb;

  beforeAll(() => {
    db = openHere();
    const blocks = chainA();
    for (let start = 0; start < blocks.length; start += 100) writerOf(db).append(blocks.slice(start, start + 100));
  });
  afterAll(cleanUp);

  test('returns the same bytes', () => {
    const lines = chainALines();
    const raw = db.reader.rawBlocks(0, lines.length + 100);
    expect(raw.length).toBe(lines.length);
    raw.forEach(({ block, transactions }, height) => {
      expect(block.toString('hex')).toBe(lines[height]?.block);
      expect(transactions.map((bytes) => bytes.toString('hex'))).toEqual(lines[height]?.transactions);
    });
    expect(db.reader.rawBlock(lines.length)).toBeUndefined();
  });

  test('returns every header field as recorded', () => {
    const facts = db.reader.factsRange(0, Infinity);
    chainAHeaders().forEach((header, height) => {
      expect(facts[height]).toEqual({
        height,
        hash: fromHex(header.hash),
        majorVersion: header.major_version,
        minorVersion: header.minor_version,
        timestamp: header.timestamp,
        size: header.transactionsCumulativeSize,
        difficulty: BigInt(header.difficulty),
        cumulativeDifficulty: (facts[height - 1]?.cumulativeDifficulty ?? 0n) + BigInt(header.difficulty),
        generatedCoins: BigInt(header.alreadyGeneratedCoins),
        generatedTransactions: header.alreadyGeneratedTransactions,
      });
      expect(db.reader.heightOf(fromHex(header.hash))).toBe(height);
    });
  });

  test('finds transactions by hash, at their positions', () => {
    for (const { height, coinbase_tx_hash, tx_hashes } of chainAHeaders()) {
      const hashes = db.reader.transactionHashes(height).map((hash) => hash.toString('hex'));
      expect(hashes[0]).toBe(coinbase_tx_hash);
      expect(hashes.slice(1).sort()).toEqual([...tx_hashes].sort());
      hashes.forEach((hash, position) => {
        const found = db.reader.transaction(fromHex(hash));
        expect(found).toMatchObject({ height, position });
      });
    }
    expect(db.reader.transactionCount()).toBe(721 + 858);
    expect(db.reader.transaction(Buffer.alloc(32, 7))).toBeUndefined();
    expect(db.reader.hasTransaction(Buffer.alloc(32, 7))).toBe(false);
  });

  test('returns the recorded global indexes', () => {
    const rows = recorded('/get_global_indexes_for_range');
    expect(rows.length).toBeGreaterThan(5);
    for (const { request, result } of rows) {
      const { startHeight, endHeight } = request as { startHeight: number; endHeight: number };
      const wanted = (result as { indexes: { key: string; value: number[] }[] }).indexes;
      const found = db.reader
        .globalIndexesRange(startHeight, endHeight)
        .map(({ hash, indexes }) => ({ key: hash.toString('hex'), value: indexes }));
      const byKey = (a: { key: string }, b: { key: string }): number => a.key.localeCompare(b.key);
      expect(found.sort(byKey)).toEqual(wanted.sort(byKey));
    }
    for (const { request, result } of recorded('/get_o_indexes')) {
      const hash = fromHex((request as { txid: string }).txid);
      expect(db.reader.outputIndexes(hash)).toEqual((result as { o_indexes: number[] }).o_indexes);
    }
    expect(db.reader.outputIndexes(Buffer.alloc(32, 7))).toBeUndefined();
  });

  test('returns the keys of the recorded random outputs', () => {
    let seen = 0;
    for (const { result } of recorded('/getrandom_outs')) {
      for (const { amount, outs } of (
        result as { outs: { amount: number; outs: { global_amount_index: number; out_key: string }[] }[] }
      ).outs) {
        const stored = outs.map((out) => db.reader.output(BigInt(amount), out.global_amount_index));
        expect(stored.map((output) => output?.key.toString('hex'))).toEqual(outs.map((out) => out.out_key));
        seen += outs.length;
      }
    }
    expect(seen).toBeGreaterThan(30);
  });

  test('maps a timestamp to the first block that is not earlier', () => {
    const timestamps = chainAHeaders().map(({ timestamp }) => timestamp);
    const requested = [0, 1, ...timestamps, ...timestamps.map((timestamp) => timestamp + 1), 4_102_444_800];
    for (const timestamp of requested) {
      const first = timestamps.findIndex((one) => one >= timestamp);
      expect(db.reader.firstHeightFrom(timestamp)).toBe(first < 0 ? undefined : first);
    }
    expect(new Set(timestamps.map((one, i) => one < (timestamps[i - 1] ?? 0)))).toContain(true);
  });

  test('limits ranges by the tip and by the byte budget', () => {
    expect(db.reader.hashes(718, 5000).map((hash) => hash.toString('hex'))).toEqual(
      chainAHeaders()
        .slice(718)
        .map(({ hash }) => hash),
    );
    expect(db.reader.globalIndexesRange(800, 900)).toEqual([]);
    expect(db.reader.factsRange(10, 10)).toEqual([]);
    const whole = db.reader.rawBlocks(600, 700);
    const budget = whole.slice(0, 3).reduce((sum, raw) => sum + rawBlockBytes(raw), 0);
    expect(db.reader.rawBlocks(600, 700, budget)).toEqual(whole.slice(0, 3));
    expect(db.reader.rawBlocks(600, 700, budget - 1)).toEqual(whole.slice(0, 2));
    expect(db.reader.rawBlocks(600, 700, 0)).toEqual(whole.slice(0, 1));
  });

  test('selects decoys from all allowed outputs', () => {
    const amount = 1_000_000n;
    const maxHeight = 500;
    const admitted = new Set<number>();
    for (let index = 0; index < db.reader.outputCount(amount); index++) {
      const output = db.reader.output(amount, index);
      if (output !== undefined && output.height <= maxHeight && output.height % 2 === 0) admitted.add(index);
    }
    const isUnlocked = ({ height }: { height: number }): boolean => height % 2 === 0;
    const picked = db.reader.randomOutputs(amount, 10_000, { maxHeight, isUnlocked });
    expect(new Set(picked.map(({ index }) => index))).toEqual(admitted);
    expect(picked.length).toBe(admitted.size);
    for (const { index, key } of picked) expect(db.reader.output(amount, index)?.key).toEqual(key);
    expect(db.reader.randomOutputs(amount, 3, { maxHeight, isUnlocked })).toHaveLength(3);
    expect(db.reader.randomOutputs(77n, 3, { maxHeight, isUnlocked })).toEqual([]);
  });

  test('counts the outputs of an amount up to any height', () => {
    for (const amount of db.reader.amounts()) {
      const outputs = db.reader.outputsBetween(amount, 0, db.reader.outputCount(amount));
      const [first, last] = [outputs[0]!.height, outputs.at(-1)!.height];
      for (const height of [first - 1, first, last - 1, last, last + 1]) {
        const wanted = outputs.filter((one) => one.height <= height).length;
        expect(db.reader.outputCount(amount, height)).toBe(wanted);
      }
    }
  });

  test('provides a view of the chain at a height', () => {
    const view = db.reader.viewAt(400);
    expect(view.height).toBe(400);
    expect(view.window(400, 61)).toEqual(db.reader.factsRange(340, 401));
    expect(view.window(10, 100)).toEqual(db.reader.factsRange(0, 11));
    expect(() => view.facts(401)).toThrow(RangeError);
    expect(() => view.window(401, 2)).toThrow(RangeError);
    expect(() => db.reader.viewAt(721)).toThrow(RangeError);
    for (const { block, transactions, facts } of chainA().slice(395, 406)) {
      const visible = facts.height <= 400;
      for (const parsed of [block.coinbase, ...transactions]) {
        expect(view.hasTransaction?.(parsed.hash)).toBe(visible);
        for (const input of parsed.transaction.inputs) {
          if (input.type === 'key')
            expect(view.keyImageHeight(input.keyImage)).toBe(visible ? facts.height : undefined);
        }
        const indexes = db.reader.outputIndexes(parsed.hash) ?? [];
        parsed.transaction.outputs.forEach(({ amount }, i) => {
          expect(view.output(amount, indexes[i]!) !== undefined).toBe(visible);
          expect(indexes[i]! < view.outputCount(amount)).toBe(visible);
        });
      }
    }
  });
});
