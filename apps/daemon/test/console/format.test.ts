import { networkOf, parseBlock, parseTransaction } from '@wrkz/core-types';
import { chainA } from '@wrkz/testing';
import fc from 'fast-check';
import { completeLine } from '../../src/console/commands';
import { LogTail } from '../../src/console/commands/log';
import { blockJson, transactionJson } from '../../src/console/chain-json';
import { forkStatus, forkTime, missedFork } from '../../src/console/commands/status';
import {
  dateText,
  grid,
  intervalText,
  labelTable,
  peerIdText,
  percentText,
  rateText,
  sizeText,
  uptimeText,
} from '../../src/console/format';
import { inputLines } from '../../src/console/terminal/local-console';
import { inputKeys, MAX_LINE } from '../../src/console/terminal/prompt';

describe('numbers', () => {
  test.each([
    [0, 5, '0.00'],
    [5, 0, '0.00'],
    [1, 3, '33.33'],
    [999_999, 1_000_000, '99.99'],
    [7, 7, '100.00'],
    [9, 7, '100.00'],
  ])('%d of %d are printed as %s percent', (height, target, text) => expect(percentText(height, target)).toBe(text));

  test('are never 100 percent below the target', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (height, more) => Number(percentText(height, height + more + 1)) <= 99.99),
    );
  });

  test.each([
    [0n, '0.00 H/s'],
    [1000n, '1000.00 H/s'],
    [1001n, '1.00 KH/s'],
    [2_345_678n, '2.35 MH/s'],
    [7_000_000_000_000n, '7000.00 GH/s'],
  ])('%d hashes are printed as %s', (rate, text) => expect(rateText(rate)).toBe(text));

  test.each([
    [0, '0.00 B'],
    [1023, '1023.00 B'],
    [1024, '1.00 KB'],
    [16_777_216, '16.00 MB'],
    [5 * 1024 ** 5, '5120.00 TB'],
  ])('%d bytes are printed as %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));

  test('include times', () => {
    expect(uptimeText(93_784.9)).toBe('1d 2h 3m 4s');
    expect(uptimeText(-1)).toBe('0d 0h 0m 0s');
    expect(intervalText(93_784)).toBe('d1.h02.m03.s04');
    expect(dateText(0)).toBe('1970-01-01 00:00:00');
    expect(dateText(Number.MAX_SAFE_INTEGER)).toBe(String(Number.MAX_SAFE_INTEGER));
    expect(peerIdText(255n)).toBe('00000000000000ff');
  });
});

test('a table has borders and is seven characters wider than its columns', () => {
  expect(
    labelTable([
      ['A', 'one'],
      ['Long', '2'],
    ]),
  ).toBe('--------------\n| A    | one |\n| Long | 2   |\n--------------\n');
});

test('a grid has borders of + and -', () => {
  expect(grid(['Dir', 'X'], [['IN', 'long']])).toBe(
    '+-----+------+\n| Dir | X    |\n+-----+------+\n| IN  | long |\n+-----+------+\n',
  );
});

describe('forks', () => {
  const forks = { upgradeHeights: [1000, 50_000, 60_000], supportedHeight: 50_000 };
  test.each([
    [1000, 'Up To Date', 'Now!', undefined],
    [1001, 'Up To Date', '34.03 Days', undefined],
    [49_000, 'Forking Soon', '16.67 Hours', undefined],
    [50_001, 'Update Needed', '6.94 Days', undefined],
    [60_000, 'Likely Forked', 'Now!', 60_000],
    [60_001, 'Likely Forked', 'No Fork Planned', 60_000],
  ])('at %d: %s, %s', (height, status, time, missed) => {
    expect([forkStatus(forks, height), forkTime(forks, height)]).toEqual([status, time]);
    expect(missedFork(forks, height)).toBe(missed);
  });

  test('are up to date if none is planned', () => {
    expect(forkStatus(networkOf('mainnet'), 10_000_000)).toBe('Up To Date');
    expect(forkStatus({ upgradeHeights: [], supportedHeight: 0 }, 5)).toBe('Up To Date');
  });
});

describe('JSON', () => {
  const raw = chainA()[600]!;
  const block = JSON.parse(blockJson(parseBlock(raw.block).block)) as Record<string, unknown>;

  test('of a block has the field names of the network in alphabetical order', () => {
    expect(Object.keys(block)).toEqual([
      'major_version',
      'miner_tx',
      'minor_version',
      'parent_block',
      'prev_id',
      'tx_hashes',
    ]);
    expect(Object.keys(block['parent_block'] as object)).toEqual(
      expect.arrayContaining(['majorVersion', 'minerTx', 'nonce', 'numberOfTransactions', 'prevId', 'timestamp']),
    );
    expect(block['miner_tx']).toMatchObject({ vin: [{ type: 'ff', value: { height: 600 } }] });
  });

  test('of a first-version block has its own time and nonce', () => {
    const first = JSON.parse(blockJson(parseBlock(chainA()[0]!.block).block)) as Record<string, unknown>;
    expect(Object.keys(first)).toEqual([
      'major_version',
      'miner_tx',
      'minor_version',
      'nonce',
      'prev_id',
      'timestamp',
      'tx_hashes',
    ]);
    expect(first['nonce']).toMatch(/^[0-9a-f]{8}$/);
  });

  test('of a transaction contains every signature', () => {
    const bytes = chainA().flatMap(({ transactions }) => transactions)[0]!;
    const { transaction } = parseTransaction(bytes);
    const json = JSON.parse(transactionJson(transaction)) as { vin: unknown[]; signatures: string[][] };
    expect(json.signatures).toHaveLength(json.vin.length);
    expect(json.signatures.flat().every((signature) => /^[0-9a-f]{128}$/.test(signature))).toBe(true);
  });
});

test.each([
  ['stat', ['status '], 'stat'],
  ['print_po', ['print_pool ', 'print_pool_sh '], 'print_po'],
  ['ban ', ['list ', 'add ', 'delete '], ''],
  ['ban d', ['delete '], 'd'],
  ['ban add x', [], ''],
  ['nothing x', [], 'x'],
  ['zz', [], 'zz'],
])('%j is completed', (line, completions, completed) => {
  expect(completeLine(line)).toEqual([completions, completed]);
});

describe('lines of a stream', () => {
  const collect = async (chunks: readonly (string | Buffer)[]): Promise<[string[], number]> => {
    let tooLong = 0;
    const lines: string[] = [];
    async function* input(): AsyncGenerator<string | Buffer> {
      yield* chunks;
    }
    for await (const line of inputLines(input(), () => (tooLong += 1))) lines.push(line);
    return [lines, tooLong];
  };

  test('are split at line ends, the last one also without an end', async () => {
    expect(await collect(['a\nb', 'c\r\n', '\nd'])).toEqual([['a', 'bc', '', 'd'], 0]);
  });

  test('are limited in length; the line after a longer one is read', async () => {
    const [fits, over] = ['x'.repeat(MAX_LINE), 'y'.repeat(MAX_LINE + 1)];
    expect(await collect([`${fits}\n${over}\nafter`])).toEqual([[fits, 'after'], 1]);
    expect(await collect([over, over, over, '\nafter\n'])).toEqual([['after'], 1]);
  });

  test('replace invalid UTF-8, and join a character that two chunks share', async () => {
    const bytes = Buffer.from('ä\n');
    expect(await collect([Buffer.from([0xff, 0x0a]), bytes.subarray(0, 1), bytes.subarray(1)])).toEqual([
      ['\ufffd', 'ä'],
      0,
    ]);
  });

  test('are the same for any chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.stringMatching(/^[a-z\n]{0,12}$/)), async (chunks) => {
        const [lines] = await collect(chunks);
        const whole = chunks.join('').split('\n');
        expect(lines).toEqual(whole.at(-1) === '' ? whole.slice(0, -1) : whole);
      }),
    );
  });
});

test('pasted text is split into characters, and the end of an overlong line is dropped', async () => {
  async function* paste(): AsyncGenerator<string> {
    yield 'z'.repeat(100_000);
    yield '\rban\tlist\r';
    yield 'stat\t';
  }
  const keys: string[] = [];
  for await (const key of inputKeys(paste())) keys.push(key);
  expect(Math.max(...keys.map(({ length }) => length))).toBe(1);
  expect(keys.join('')).toBe(`${'z'.repeat(MAX_LINE)}\rban list\rstat\t`);
});

test('the tail retains the last 200 lines', () => {
  const tail = new LogTail();
  for (let i = 0; i < 250; i++) tail.write(`line ${i}\n`);
  expect(tail.last(2)).toEqual(['line 248', 'line 249']);
  expect(tail.last(1000)).toHaveLength(200);
});
