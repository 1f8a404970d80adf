import { isUnlocked } from '@wrkz/consensus';
import { parseBlock, parseTransaction } from '@wrkz/core-types';
import { CHAIN_A_HEIGHT, chainA, type SuiteNode } from '@wrkz/testing';
import type { Daemon } from '../../src/daemon';
import { newSuite } from '../network/daemons';
import { ARBITRARY_ORDER, decisions, OTHER_MEMBERS } from './support/decisions';
import { undeclared } from './support/declared';
import { allRows, differences, exact, send, type Json, type Recorded } from './support/recorded';

/*
 * The contract with the reference: each response equals the recorded one, or the one in support/decisions.ts. Every row is
 * used.
 */

/** Timestamp of the tip, with which unlock times in seconds are compared. */
const CHAIN_A_TIMESTAMP = 1_700_039_707;

const EXPLORER = ['--daemon-mode', 'explorer'];

/** Options of our daemon for each recorded daemon. */
const STARTED: Readonly<Record<Recorded['daemon'], readonly string[]>> = {
  full: EXPLORER,
  default: [],
  mining: [],
  explorer: EXPLORER,
  cors: [...EXPLORER, '--enable-cors', '*'],
};
const DAEMONS = Object.keys(STARTED) as (keyof typeof STARTED)[];

const suite = newSuite();
const all = allRows();
const rows = all;
let imported: string;

beforeAll(async () => {
  imported = await suite.chainA();
});
afterAll(() => suite.stopAll());

test('requests every recorded row, and each difference has its decision', () => {
  expect(all).toHaveLength(541);
  expect(new Set(all.map(({ id }) => id)).size).toBe(541);
  expect(all.filter(({ daemon }) => !DAEMONS.includes(daemon))).toEqual([]);
  const ids = new Set(all.map(({ id }) => id));
  expect([...decisions.keys(), ...ARBITRARY_ORDER.keys()].filter((id) => !ids.has(id))).toEqual([]);
});

const label = ({ id, method, path, body }: Recorded): string => `${id} ${method} ${path} ${(body ?? '').slice(0, 100)}`;

// In the recorded order, because rows of the phase `pool` depend on earlier ones.
describe.each(DAEMONS)('responses as recorded from the daemon "%s"', (name) => {
  const own = rows.filter(({ daemon }) => daemon === name);
  let node: SuiteNode<Daemon>;

  beforeAll(async () => {
    node = await suite.node({ from: imported, args: STARTED[name] });
  });

  test.each(own.map((row) => [label(row), row] as const))('%s', async (_label, row) => {
    const reply = await send(node.url, row);
    expect(undeclared(row, reply)).toEqual([]);
    const decision = decisions.get(row.id);
    if (decision === undefined) expectRecorded(row, reply);
    else {
      expect([reply.status, plain(parsed(reply.text))]).toEqual([
        decision.status,
        decision.body === undefined ? expect.anything() : expect.objectContaining(matching(decision.body)),
      ]);
      // A decision without effect would hide a later difference.
      expect(reply.status === row.status && sameText(row, reply.text)).toBe(false);
    }
  });

  const drawn = own.filter(({ random }) => random !== undefined && random !== 'count cast to uint16');
  if (drawn.length > 0) {
    test.each(drawn.map((row) => [label(row), row] as const))(
      'the decoys of %s have the same count, are distinct, ascending, unlocked and on the chain',
      async (_label, row) => expectDecoys(row, JSON.parse((await send(node.url, row)).text) as Outs),
    );
  }
});

type Answer = Awaited<ReturnType<typeof send>>;

function expectRecorded(row: Recorded, reply: Answer): void {
  expect(reply.status).toBe(row.status);
  for (const [name, value] of Object.entries(row.headers)) {
    // The reference sends the JSON of these errors as text/plain.
    if (value === 'text/plain') continue;
    // We also allow the header of the token, which browsers need.
    const expected = name === 'access-control-allow-headers' ? `${value}, X-API-Key` : value;
    expect([name, reply.headers[name]]).toEqual([name, expected]);
  }
  if (row.response === '') expect(reply.text).toBe('');
  else if (row.random === undefined) expect(differing(row, reply.text)).toEqual([]);
}

/** Paths at which a response differs from the recorded one. */
function differing(row: Recorded, text: string): string[] {
  const unordered = [...(row.unordered ?? []), ...(ARBITRARY_ORDER.get(row.id) ?? [])];
  const found = differences(exact(row.response ?? ''), exact(text), { ...row, unordered });
  return found.filter((path) => !OTHER_MEMBERS.test(path));
}

function sameText(row: Recorded, text: string): boolean {
  if (row.response === null || row.response === '' || text === '') return row.response === text;
  return row.random === undefined && differing(row, text).length === 0;
}

function parsed(text: string): Json {
  return text === '' ? '' : exact(text);
}

/** A matcher that compares only the given fields, on every level. */
function matching(body: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]: [string, unknown]) => [
      name,
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? (expect.objectContaining(matching(value)) as unknown)
        : value,
    ]),
  );
}

/** Converts bigints to numbers, for matchers. */
function plain(value: Json): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
  }
  return value;
}

interface Outs {
  readonly outs: readonly { amount: number; outs: readonly { global_amount_index: number; out_key: string }[] }[];
}

function expectDecoys(row: Recorded, ours: Outs): void {
  const recorded = JSON.parse(row.response ?? '') as Outs;
  expect(ours.outs.map(({ amount, outs }) => [amount, outs.length])).toEqual(
    recorded.outs.map(({ amount, outs }) => [amount, outs.length]),
  );
  for (const { amount, outs } of ours.outs) {
    const indexes = outs.map(({ global_amount_index: index }) => index);
    expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
    for (const { global_amount_index: index, out_key: key } of outs) {
      const output = outputsOf(amount)[index];
      expect(key).toBe(output?.key);
      expect(output?.height).toBeLessThanOrEqual(CHAIN_A_HEIGHT - 40);
      const at = { height: CHAIN_A_HEIGHT, timestamp: CHAIN_A_TIMESTAMP };
      expect(isUnlocked(output?.unlockTime ?? 0n, at)).toBe(true);
    }
  }
}

/** The outputs of an amount on chain A by global index, with the data for the check of their lock. */
const outputsOf = (() => {
  const byAmount = new Map<number, { key: string; height: number; unlockTime: bigint }[]>();
  chainA().forEach(({ block, transactions }, height) => {
    for (const { transaction } of [parseBlock(block).coinbase, ...transactions.map(parseTransaction)]) {
      for (const { amount, key } of transaction.outputs) {
        const outputs = byAmount.get(Number(amount)) ?? [];
        outputs.push({ key: key.toString('hex'), height, unlockTime: transaction.unlockTime });
        byAmount.set(Number(amount), outputs);
      }
    }
  });
  return (amount: number) => byAmount.get(amount) ?? [];
})();
