import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isUnlocked } from '@wrkz/consensus';
import { parseBlock, parseTransaction } from '@wrkz/core-types';
import { CHAIN_A_HEIGHT, chainA, writeChainADump } from '@wrkz/testing';
import { silentLogger } from '@wrkz/service-kit';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { undeclared } from './support/declared';
import { differences, exact, recordedRows, send, type Json, type Recorded } from './support/recorded';

jest.setTimeout(120_000);

/** Of the tip: what unlock times in seconds are held against. */
const CHAIN_A_TIMESTAMP = 1_700_039_707;

/**
 * The rows where ours differs from the July 2025 recording on purpose (2026 behaviour, or a clean error where the
 * reference crashed or read uninitialised memory): what ours answers instead.
 */
const OURS: ReadonlyMap<number, { status: number; body?: object; note: string }> = new Map([
  [16, { status: 200, note: '/getinfo is an alias', body: { status: 'OK', height: 721 } }],
  [17, { status: 200, note: '/getheight is an alias', body: { height: 721, network_height: 721, status: 'OK' } }],
  [31, { status: 200, note: 'the body of a GET is read', body: { jsonrpc: '2.0', result: { count: 721 } } }],
  [108, { status: 200, note: 'reserve_size may be left out', body: { result: { reserved_offset: 0, height: 721 } } }],
  [111, { status: 200, note: 'three lengths', body: { error: { code: -4, message: lengthText(0) } } }],
  [112, { status: 200, note: 'three lengths', body: { error: { code: -4, message: lengthText(97) } } }],
  [117, { status: 200, note: 'three lengths', body: { error: { code: -4, message: lengthText(99) } } }],
  [231, { status: 200, note: 'no known checkpoint: falls back to startHeight', body: { status: 'OK', synced: false } }],
  [234, { status: 400, note: 'checkpoint not hex', body: failed('blockHashCheckpoints contains invalid hash') }],
  [244, { status: 200, note: 'empty blocks go only with skipEmptyBlocks', body: { synced: false } }],
  [245, { status: 200, note: 'empty blocks go only with skipEmptyBlocks', body: { synced: false } }],
  [247, { status: 200, note: 'empty blocks go only with skipEmptyBlocks', body: { synced: false } }],
  [272, { status: 200, note: 'no known checkpoint: falls back to startHeight', body: { status: 'OK', synced: false } }],
  [275, { status: 400, note: 'checkpoint not hex', body: failed('blockHashCheckpoints contains invalid hash') }],
  [303, { status: 200, note: 'more than 100 blocks may be asked for', body: { synced: false } }],
  [310, { status: 200, note: 'an empty range', body: { indexes: [], status: 'OK' } }],
  [311, { status: 400, note: 'an inverted range', body: failed('endHeight must be >= startHeight') }],
  [342, { status: 200, note: 'fewer outputs are answered', body: { status: 'OK' } }],
  [343, { status: 400, note: 'cap', body: failed('outs_count exceeds the maximum of 100') }],
  [345, { status: 400, note: 'cap', body: failed('outs_count exceeds the maximum of 100') }],
  [346, { status: 400, note: 'cap', body: failed('outs_count exceeds the maximum of 100') }],
  [515, { status: 400, note: 'the reference crashed', body: failed("Missing JSON parameter: 'method'") }],
  [516, { status: 400, note: 'the reference crashed', body: failed("Missing JSON parameter: 'method'") }],
  [519, { status: 400, note: 'the reference crashed', body: failed(typeText('String', 'Number')) }],
  [520, { status: 400, note: 'the reference crashed', body: failed(typeText('String', 'Null')) }],
  [521, { status: 400, note: 'the reference crashed', body: failed(typeText('String', 'Array')) }],
  [524, { status: 400, note: 'the reference failed inside', body: failed(typeText('String', 'Number')) }],
  [525, { status: 400, note: 'the reference failed inside', body: failed(typeText('String', 'Null')) }],
  [526, { status: 400, note: 'garbage amount', body: failed(typeText('uint64_t', 'String')) }],
  [527, { status: 400, note: 'garbage amount', body: failed(typeText('uint64_t', 'Number')) }],
  [528, { status: 400, note: 'garbage amount', body: failed(typeText('uint64_t', 'Number')) }],
  [
    541,
    { status: 400, note: 'the reference hung', body: failed('Requested range exceeds rpc-max-global-index-range') },
  ],
]);

/** Members of a row that are the network's own in 2026. */
const OTHER_MEMBERS = /^(upgrade_heights(\[\d+\])?|supported_height|network_height|last_known_block_index)$/;

function failed(error: string): object {
  return { status: 'Failed', error };
}

function typeText(expected: string, got: string): string {
  return `JSON parameter is wrong type. Expected ${expected}, got ${got}`;
}

function lengthText(length: number): string {
  return `The address given is the wrong length. It should be 98 chars, 120 chars, or 186 chars, but it is ${length} chars.`;
}

const directory = mkdtempSync(join(tmpdir(), 'wrkz-rpc-'));
let daemon: Daemon;
let url: string;

async function run(...args: string[]): Promise<Daemon> {
  const config = readConfig(['--network', 'devnet', '--data-dir', directory, '--log-file', '', ...args]);
  const created = Daemon.create(config, { logger: silentLogger() });
  await created.start();
  return created;
}

beforeAll(async () => {
  const dump = join(directory, 'chain-a.dump');
  writeChainADump(dump);
  const importing = await run('--import-blockchain', '--dump-file', dump);
  expect(await importing.finished).toBe(0);
  await importing.stop();
  daemon = await run(
    '--daemon-mode',
    'explorer',
    '--rpc-bind-port',
    '0',
    '--p2p-bind-port',
    '0',
    '--p2p-bind-ip',
    '127.0.0.1',
  );
  url = `http://127.0.0.1:${daemon.ports.rpc}`;
});

afterAll(async () => {
  await daemon.stop();
  rmSync(directory, { recursive: true });
});

const rows = recordedRows();
const label = ({ id, method, path, body }: Recorded): string => `${id} ${method} ${path} ${(body ?? '').slice(0, 100)}`;

test('the rows that ours answers otherwise are all among those asked', () => {
  const asked = new Set(rows.map(({ id }) => id));
  expect([...OURS.keys()].filter((id) => !asked.has(id))).toEqual([]);
  expect(rows.length).toBeGreaterThan(300);
});

// The requests run in the recorded order: those of the phase `pool` build on each other.
test.each(rows.map((row) => [label(row), row] as const))('%s', async (_name, row) => {
  const answer = await send(url, row);
  expect(undeclared(row, answer)).toEqual([]);
  const other = OURS.get(row.id);
  if (other !== undefined) {
    expect(answer.status).toBe(other.status);
    if (other.body) expect(plain(exact(answer.text))).toMatchObject(other.body);
    return;
  }
  expect(answer.status).toBe(row.status);
  for (const [name, value] of Object.entries(row.headers)) {
    // the reference sends the JSON of these refusals as text
    if (value !== 'text/plain') expect(answer.headers[name]).toBe(value);
  }
  const recorded = row.response ?? '';
  if (recorded === '' || row.random !== undefined) {
    if (recorded === '') expect(answer.text).toBe('');
    return;
  }
  const found = differences(exact(recorded), exact(answer.text), row).filter((path) => !OTHER_MEMBERS.test(path));
  expect(found).toEqual([]);
});

/** For matchers: exact integers back to numbers, where they fit. */
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

test.each(
  rows
    .filter(({ random }) => random !== undefined && random !== 'count cast to uint16')
    .map((row) => [label(row), row] as const),
)("the decoys of %s are as many, distinct, ascending, unlocked and the chain's own", async (_name, row) => {
  const ours = JSON.parse((await send(url, row)).text) as Outs;
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
});

/** Chain A's outputs of one amount by global index, with what decides about their lock. */
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
