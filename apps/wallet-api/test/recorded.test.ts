import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { Suite } from '@wrkz/testing';
import { complaints, listedRows, type Replayed } from './support/differences';
import { type RecordedRow, recordedRows } from './support/recorded';
import { replay } from './support/replay';
import { TestService } from './support/service';

/* Every recorded request to the C++ wallet, in the order of its session, each session with fresh copies and a fresh node. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
let chain: string;

beforeAll(async () => {
  chain = await suite.chainA();
});

afterAll(() => suite.stopAll());

const WALLETS = [
  ...['alice', 'bob-view', 'carol', 'carol-nocoinbase', 'dave', 'erin'].map((name) => `${name}.wallet`),
  'yolanda.restored.wallet',
];

function prepare(service: TestService): void {
  for (const name of WALLETS) service.copyWallet(name);
  const alice = service.file('alice.wallet');
  service.file('not-a-wallet.bin', 'this is not a wallet file');
  service.file('empty.bin', '');
  service.file('truncated.bin', alice.subarray(0, 64 + 16 + Math.floor((alice.length - 80) / 2 / 16) * 16));
  service.file('identifier-only.bin', alice.subarray(0, 64));
  const flipped = Buffer.from(alice);
  flipped[5000] = (flipped[5000] ?? 0) ^ 1;
  service.file('flipped.bin', flipped);
}

/** Replays these rows on one program with fresh copies of the wallets. */
async function replayRows(rows: readonly RecordedRow[], nodePort: number, ...args: string[]): Promise<Replayed[]> {
  const service = await TestService.start(['--scan-coinbase-transactions', ...args]);
  try {
    prepare(service);
    return await replay(rows, service, nodePort);
  } finally {
    await service.stop();
  }
}

/** First rows of the groups that were recorded with a new process each. */
const PROGRAMS = [482, 703, 751, 762, 768, 770] as const;
const CORS = 762;

const rows = recordedRows();

test.each(['A', 'B', 'C'] as const)('returns the recorded responses of session %s', async (session) => {
  const node = await suite.node({ from: chain });
  const ofSession = rows.filter((row) => row.session === session);
  const replayed: Replayed[] = [];
  try {
    for (const program of byProgram(ofSession)) {
      const cors = program[0]?.id === CORS ? ['--enable-cors', '*'] : [];
      replayed.push(...(await replayRows(program, node.daemon.ports.rpc, ...cors)));
    }
  } finally {
    await node.stop();
  }
  expect(replayed).toHaveLength(ofSession.length);
  expect(complaints(replayed)).toEqual([]);
});

function byProgram(ofSession: readonly RecordedRow[]): RecordedRow[][] {
  const programs: RecordedRow[][] = [];
  for (const row of ofSession) {
    if (programs.length === 0 || PROGRAMS.some((id) => id === row.id)) programs.push([]);
    programs.at(-1)?.push(row);
  }
  return programs;
}

test('lists each difference once and for a recorded row', () => {
  const ids = new Set(rows.map(({ id }) => id));
  const listed = listedRows();
  expect(listed.filter((id) => !ids.has(id))).toEqual([]);
  expect(listed).toHaveLength(new Set(listed).size);
});

test('reports unlisted, missing and changed differences', () => {
  const [plain, fusion] = [1, 30].map((id) => rows.find((row) => row.id === id) as RecordedRow) as [
    RecordedRow,
    RecordedRow,
  ];
  const reportedBy = (row: RecordedRow, brief: string, differs?: string): number =>
    complaints([{ row, brief, differs }]).length;
  expect([reportedBy(plain, '401'), reportedBy(fusion, '404', 'another status')]).toEqual([0, 0]);
  expect([
    reportedBy(plain, '403', 'another status'),
    reportedBy(fusion, '401'),
    reportedBy(fusion, '403', 'another'),
  ]).toEqual([1, 1, 1]);
});
