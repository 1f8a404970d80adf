import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSource } from '@wrkz/testing/source';
import { DiskFull, openDatabase, SqliteDatabase } from '@wrkz/sqlite';
import { openProposals } from '../../src/store/database';
import { PROPOSALS_ID } from '../../src/store/schema';
import { ProposalReader } from '../../src/store/proposals';
import { parseProposalFile } from '../../src/admin/proposal-file';
import { admin, donationAddress, proposalFile, startService, stopAll, temporaryFolder } from '../support/service';
import { json, send } from '../support/http-client';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(stopAll);

const run = (...words: string[]): string => admin(folder, 'admin', ...words);

function read<Result>(look: (reader: ProposalReader) => Result, from = folder): Result {
  const database = openProposals({ directory: from, network: 'mainnet' }, 'read');
  try {
    return look(new ProposalReader(database.connection));
  } finally {
    database.close();
  }
}

const audit = (from = folder) => read((reader) => reader.audit(), from);
const find = (id: number) => read((reader) => reader.find(id));

test('adds a proposal with the fields of its file', () => {
  const path = proposalFile(
    {
      headline: '"A: quoted # headline"',
      category: 'core',
      target: '1000000.10',
      user: 'bob',
      status: 'funding',
      posted: '2026-11-22T14:05:00Z',
    },
    '# Title\r\n\r\nSome text here, with a line\nand --- another\n---\nend\n\n',
  );
  expect(run('add', path)).toBe('Added proposal 1, "A: quoted # headline"');
  expect(find(1)).toMatchObject({
    id: 1,
    headline: 'A: quoted # headline',
    category: 'core',
    status: 2,
    user: 'bob',
    target: 100_000_010n,
    posted: 1795356300,
    content: '# Title\n\nSome text here, with a line\nand --- another\n---\nend',
  });
});

test('status and date have defaults; the audit records every change with its operator', () => {
  const before = Math.floor(Date.now() / 1000);
  run('add', proposalFile(), '--note', 'agreed in the meeting');
  run(
    'edit',
    '1',
    proposalFile(
      { headline: 'Another headline', category: undefined, user: undefined, target: undefined, address: undefined },
      '',
    ),
  );
  run('status', '1', 'wip', '--note', 'begun');
  run('status', '1', '3');
  const proposal = find(1);
  expect(proposal).toMatchObject({
    headline: 'Another headline',
    status: 3,
    user: 'alice',
    content: 'A text that is long enough to be one.',
  });
  expect(proposal?.posted).toBeGreaterThanOrEqual(before);
  const entries = audit();
  expect(entries.map(({ action, proposal: id, note }) => [action, id, note])).toEqual([
    ['add', 1, 'agreed in the meeting'],
    ['edit', 1, ''],
    ['status', 1, 'begun'],
  ]);
  expect(entries.every(({ actor, at }) => actor !== '' && at >= before)).toBe(true);
  expect(entries[0]?.before).toBeUndefined();
  expect(
    [entries[2]?.before, entries[2]?.after].map((text) => (JSON.parse(text ?? '') as { status: number }).status),
  ).toEqual([1, 3]);
  const listed = run('list', '--audit').split('\n');
  expect(listed).toHaveLength(4);
  expect(listed[2]).toMatch(/ edit +1 +headline$/);
});

test('no command deletes a row of the audit', () => {
  run('add', proposalFile());
  const database = openProposals({ directory: folder, network: 'mainnet' }, 'write');
  for (const sql of ['DELETE FROM audit', "UPDATE audit SET note = 'x'"])
    expect(() => database.connection.exec(sql)).toThrow('the audit is kept');
  database.close();
});

const INVALID_FILES: readonly (readonly [string, Record<string, string | undefined>, string, RegExp])[] = [
  ['a target of 0', { target: '0' }, '', /target: expected coins from 1 to/],
  ['less than a coin', { target: '0.99' }, '', /target: expected coins/],
  ['a negative target', { target: '-5' }, '', /target: expected coins/],
  ['NaN', { target: 'nan' }, '', /target: expected coins/],
  ['an exponent', { target: '1e9' }, '', /target: expected coins/],
  ['three decimals', { target: '1.001' }, '', /target: expected coins/],
  ['a little more than the most', { target: '10000000000000.01' }, '', /target: expected coins/],
  ['more than there is', { target: '99999999999999999999' }, '', /target: expected coins/],
  ['an unknown category', { category: 'Core' }, '', /category: expected one of wallets/],
  ['a short headline', { headline: 'short' }, '', /headline: expected 9 to 140 characters, got 5/],
  ['a long headline', { headline: 'x'.repeat(141) }, '', /headline: expected 9 to 140/],
  ['a headline that turns around', { headline: 'abc \u202e fedcba' }, '', /headline: contains/],
  ['a headline of joiners', { headline: '\u200d'.repeat(9) }, '', /headline: expected 9 to 140 characters, got 0/],
  ...[...'\u200b\u200f\u061c\u2029\u2060\ufeff\uffff\u{e0041}\u0085\u3164\u115f\uffa0\u034f\u180e'].map(
    (mark) =>
      [`a name with ${JSON.stringify(mark)}`, { user: `"al${mark}ice"` }, '', /user: contains|front matter/] as const,
  ),
  ['a category of other letters', { category: 'c\u043ere' }, '', /category: expected one of wallets/],
  ['a category with a direction mark', { category: '"\u202ecore"' }, '', /category: expected one of wallets/],
  ['a status in another base', { status: '0x1' }, '', /status: expected 0 to 4/],
  ['a target in another base', { target: '0x10' }, '', /target: expected coins/],
  ['a target with underscores', { target: '1_000' }, '', /target: expected coins/],
  ['a target that is infinite', { target: '.inf' }, '', /target: expected coins/],
  ['a key that begins like __proto__', { __proto__x: '5' }, '', /__proto__x: unknown key/],
  ['an address in capitals', { address: donationAddress('x').toUpperCase() }, '', /address: /],
  ['an address with another prefix', { address: donationAddress('x').replace('Wrkz', 'wrkz') }, '', /address: /],
  ['a date with a negative year', { posted: '-000001-01-01' }, '', /posted: expected a date/],
  ['a long name', { user: 'x'.repeat(20) }, '', /user: expected 1 to 19/],
  [
    'an address with a typo',
    { address: donationAddress('x').replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')) },
    '',
    /address: The address given is not valid|address: .*invalid/,
  ],
  ['an address of another length', { address: 'Wrkz' }, '', /address: The address given is the wrong length/],
  ['an unknown status', { status: '5' }, '', /status: expected 0 to 4/],
  ['an invalid date', { posted: '2026-13-45' }, '', /posted: expected a date/],
  ['a date in words', { posted: 'yesterday' }, '', /posted: expected a date/],
  ['an unknown key', { reward: '5' }, '', /reward: unknown key/],
  ['a key that is a property of objects', { constructor: '5' }, '', /constructor: unknown key/],
  ['no address', { address: undefined }, '', /address: missing/],
  ['a list', { headline: '[a, b]' }, '', /headline is not text/],
  ['a short text', {}, 'too short', /content: expected 21 characters/],
  ['a huge text', {}, 'x'.repeat(32_769), /content: expected 21 characters to 32768 bytes, got 32769/],
  ['too much markup', {}, '|a|b|\n|-|-|\n'.repeat(2_700), /content: too much markup: 53996 elements, at most 20000/],
  ['control characters', {}, `${'x'.repeat(30)}\u0007`, /content: contains a control character/],
  [
    'a reference with a long URL that is used often',
    {},
    `[a]: https://a.example/${'x'.repeat(10_000)}\n\n${'[a] '.repeat(100)}`,
    /content: too much markup: 10\d{5} characters of HTML, at most 524288/,
  ],
  ...['\ufffe', '\uffff', '<https://a.example/%EF%BF%BF>'].map(
    (text) =>
      [
        `${JSON.stringify(text)}, with which the feed would not be well-formed XML`,
        {},
        `${'x'.repeat(30)} ${text}`,
        /content: contains a control character or noncharacter/,
      ] as const,
  ),
  ['direction marks as entities', {}, `${'x'.repeat(30)} &#x202e;`, /content: contains a control character/],
  ['direction marks in a URL', {}, 'See <https://a.example/%E2%80%AE>', /content: contains a control character/],
  ['a number of another kind', { id: '0' }, '', /id: expected a number/],
];

test.each(INVALID_FILES)('rejects %s without adding a proposal', (_what, fields, content, text) => {
  run('add', proposalFile());
  const path = proposalFile(fields, content === '' ? undefined : content);
  expect(() => run('add', path)).toThrow(text);
  expect(() => run('add', path)).toThrow(path);
  expect([read((reader) => reader.counts()).length, audit().length]).toEqual([1, 1]);
});

test('reports all errors of a file together', () => {
  const path = proposalFile({ target: '0', category: 'x', user: undefined });
  expect(() => run('add', path)).toThrow(new RegExp(`^${path}: category: .*\n${path}: target: .*$`));
});

test.each([
  ['no front matter', 'Just text'],
  ['an open one', '---\nheadline: x\n'],
  ['broken YAML', '---\nheadline: "x\n---\ntext'],
  ['a list of YAML', '---\n- a\n---\ntext'],
  ['a key twice', '---\nuser: a\nuser: b\n---\ntext'],
  ['an alias', '---\nuser: &a bob\nheadline: *a\n---\ntext'],
  ['a merge', '---\n<<: {user: a}\n---\ntext'],
  ['a prototype that is a map', '---\n__proto__: {user: a}\n---\ntext'],
  ['a tag', '---\nuser: !!js/function "x"\nid: [1]\n---\ntext'],
  ['a key that is a list', '---\n? [a]\n: [b]\n---\ntext'],
  ['two documents', '---\nuser: a\n...\nuser: b\n--- x\n---\ntext'],
  ['a deep list', `---\nuser: ${'['.repeat(20_000)}\n---\ntext`],
  ['a bomb of aliases', '---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\ntext'],
])('%s is refused', (_what, text) => {
  expect(() => parseProposalFile(text)).toThrow(/front matter/i);
});

test('front matter that is far larger than all fields is not parsed: many keys or levels take minutes', () => {
  const keys = (count: number): string => Array.from({ length: count }, (_, i) => `key${i}: x\n`).join('');
  expect(Object.keys(parseProposalFile(`---\n${keys(100)}---\ntext`).fields)).toHaveLength(100);
  expect(() => parseProposalFile(`---\n${keys(2_000)}---\ntext`)).toThrow(
    'front matter: expected at most 16384 characters, got 20890',
  );
});

test('rejects a missing file, a binary file and a folder', () => {
  expect(() => run('add', join(folder, 'none.md'))).toThrow(/cannot read .*none\.md/);
  expect(() => run('add', folder)).toThrow(/cannot read/);
  const binary = join(folder, 'binary.md');
  writeFileSync(binary, Buffer.alloc(1024 * 1024 + 1, ' '));
  expect(() => run('add', binary)).toThrow('is larger than 1048576 bytes');
  writeFileSync(binary, Buffer.from([0x2d, 0xff, 0xfe]));
  expect(() => run('add', binary)).toThrow('is not UTF-8 text');
});

test('rejects a second proposal with the same address or number', () => {
  run('add', proposalFile({ address: donationAddress('same') }));
  expect(() => run('add', proposalFile({ address: donationAddress('same') }))).toThrow(
    'proposal 1 already has this address',
  );
  expect(() => run('add', proposalFile({ id: '1' }))).toThrow('proposal 1 already exists');
  run('add', proposalFile({ id: '7' }));
  run('add', proposalFile());
  expect(find(8)).toBeDefined();
  expect(() => run('edit', '8', proposalFile({ address: donationAddress('same') }))).toThrow(
    'proposal 1 already has this address',
  );
  expect(() => run('edit', '8', proposalFile({ id: '7' }))).toThrow('is for proposal 7, not 8');
});

test('rejects a change of an unknown proposal and an invalid number', () => {
  run('add', proposalFile());
  for (const id of ['2', '0', '-1', 'x', '1 OR 1=1', '9'.repeat(30)]) {
    expect(() => run('status', id, 'wip')).toThrow(/does not exist|is not a proposal id/);
    expect(() => run('edit', id, proposalFile())).toThrow(/does not exist|is not a proposal id/);
  }
  expect(() => run('status', '1', 'done')).toThrow('expected 0 to 4');
});

test('a change is reported as stored if only the control file of the database cannot be written', () => {
  run('add', proposalFile());
  const file = join(folder, 'proposals.sqlite');
  jest.spyOn(SqliteDatabase.prototype, 'committed').mockImplementation(() => {
    throw new DiskFull({ file, title: 'proposal database' }, new Error('no space'));
  });
  const path = proposalFile();
  expect(run('add', path)).toMatch(
    new RegExp(`^Added proposal 2, .*\\nWarning: the change is stored, but: the disk is full: .*${file}`),
  );
  expect(run('status', '2', 'wip')).toMatch(/^Changed the status .*\nWarning: the change is stored/);
  jest.restoreAllMocks();
  expect(run('status', '2', 'wip')).toMatch(/^Nothing to change in proposal 2/);
  expect(() => run('add', path)).toThrow('proposal 2 already has this address');
  expect(audit().map(({ action }) => action)).toEqual(['add', 'add', 'status']);
});

test('a dry run checks and changes nothing', () => {
  expect(run('add', proposalFile(), '--dry-run')).toMatch(
    /^Added proposal 1, .*\nNothing was changed \(--dry-run\)\.$/,
  );
  expect(read((reader) => reader.counts())).toEqual([]);
  expect(() => run('add', proposalFile({ target: '0' }), '--dry-run')).toThrow('target');
});

test('imports an exported proposal unchanged', () => {
  for (let i = 0; i < 4; i++)
    run(
      'add',
      proposalFile(
        { headline: `"Häadline: no. ${i} — #'x'"`, status: String(i + 1), posted: `2026-01-0${i + 1}` },
        `Text ${i} with *marks*\n\n---\n\n    code\n\nend: |\n`,
      ),
    );
  run('status', '2', 'disabled');
  const [out, copy] = [join(temporaryFolder(), 'out'), temporaryFolder()];
  expect(run('export', out)).toBe(`Exported 4 proposals to ${out}`);
  expect(readdirSync(out)).toHaveLength(4);
  expect(readdirSync(out)[0]).toMatch(/^0001-ha-adline-no-0-x\.md$|^0001-.*\.md$/);
  expect(admin(copy, 'admin', 'import', out)).toBe('Imported 4 proposals');
  const all = (reader: ProposalReader) => [1, 2, 3, 4].map((id) => reader.find(id));
  expect(read(all, copy)).toEqual(read(all));
  expect(() => run('export', out)).toThrow('is not empty');
});

test('an import is atomic, and reports every error', () => {
  const from = temporaryFolder();
  mkdirSync(from, { recursive: true });
  const put = (name: string, path: string) => writeFileSync(join(from, name), readFileSync(path));
  put('1.md', proposalFile());
  put('2.md', proposalFile({ target: '0' }));
  put('3.md', proposalFile({ category: 'x' }));
  expect(() => run('import', from)).toThrow(/2\.md: target: .*\n.*3\.md: category: /);
  put('2.md', proposalFile({ id: '5', address: donationAddress('twice') }));
  put('3.md', proposalFile({ address: donationAddress('twice') }));
  expect(() => run('import', from)).toThrow('proposal 5 already has this address');
  expect(read((reader) => reader.counts())).toEqual([]);
  put('0.md', proposalFile({ headline: 'Takes no number of another' }));
  put('1.md', proposalFile({ id: '1' }));
  put('3.md', proposalFile());
  expect(run('import', from)).toBe('Imported 4 proposals');
  expect(audit().map(({ action }) => action)).toEqual(['import', 'import', 'import', 'import']);
  expect(() => run('import', join(from, '2.md'))).toThrow('proposal 5 already exists');
  expect(run('import', join(from, '2.md'), '--replace')).toBe('Imported 1 proposal, 1 replaced');
  expect(() => run('import', temporaryFolder())).toThrow('no *.md file in');
});

test('imports a response of the listing API, of this program or the original', async () => {
  const service = await startService();
  service.add({ target: '1234.5', posted: '2021-01-30T06:11:15Z' }, 'Some Markdown *text* that stays as it is.');
  const file = join(temporaryFolder(), 'answer.json');
  writeFileSync(file, (await send(service.url, '/api/1/proposals')).text);
  expect(run('import', file)).toBe('Imported 1 proposal');
  expect(find(1)).toEqual(read((reader) => reader.find(1), service.folder));
  writeFileSync(file, '{"data":[{"id":3}]}');
  expect(() => run('import', file)).toThrow(/data\.0\.addr_donation/);
  const record = (json(await send(service.url, '/api/1/proposals'))['data'] as object[])[0];
  const hostile: readonly [string, object, RegExp][] = [
    ['an infinite target', { funds_target: 1e308 }, /record 1: target: expected coins/],
    ['a negative target', { funds_target: -1 }, /target/],
    ['a status beyond the last', { status: 5 }, /status/],
    ['a number beyond 2^53', { id: 2 ** 60 }, /id/],
    ['a date beyond all calendars', { date_posted_epoch: '999999999999' }, /date_posted_epoch: expected Unix seconds/],
    ['a date of text', { date_posted_epoch: 'now' }, /date_posted_epoch/],
    ['a headline with control characters', { headline: 'Some \u0000 headline' }, /headline: contains/],
    ['an invalid headline', { headline: { toString: 'x' } }, /headline/],
    ['a category that objects have', { category: '__proto__' }, /category/],
    ['an address of another coin', { addr_donation: `TRTL${'1'.repeat(95)}` }, /address/],
    ['a text that is huge', { content_markdown: 'x'.repeat(40_000) }, /content: expected/],
  ];
  for (const [what, changes, fault] of hostile) {
    writeFileSync(file, JSON.stringify({ data: [{ ...record, id: 77, ...changes }] }));
    expect(() => [what, run('import', file)]).toThrow(fault);
  }
  writeFileSync(file, '['.repeat(500_000));
  expect(() => run('import', file)).toThrow(/nested too deeply/);
  expect(audit()).toHaveLength(1);
  writeFileSync(file, JSON.stringify({ data: [record] }).replace('"id":', '"id":78,"id":'));
  expect(() => run('import', file)).toThrow(/repeats a name/);
  writeFileSync(file, '{"data":');
  expect(() => run('import', file)).toThrow(/unexpected/);
});

test('lists the proposals', () => {
  expect(() => run('list')).toThrow(/there is no proposal database .*"admin add" creates it/);
  run('add', proposalFile({ headline: 'The first of two', posted: '2026-01-01' }));
  run('add', proposalFile({ headline: 'The second of two', posted: '2026-01-02', status: 'disabled' }));
  expect(run('list').split('\n')).toEqual([
    expect.stringMatching(/^id {2}status +category +posted +target +user +headline$/),
    expect.stringMatching(/^1 {3}proposal +misc +2026-01-01T00:00:00Z +1,000\.00 WRKZ +alice +The first of two$/),
    expect.stringMatching(/^2 {3}disabled/),
  ]);
  expect(run('list', '--status', 'completed')).toBe('There are no proposals.');
});

test('a running server sees a change immediately and does not block it', async () => {
  const service = await startService();
  expect(json(await send(service.url, '/api/1/proposals'))).toEqual({ data: [] });
  const id = service.add();
  expect((json(await send(service.url, '/api/1/proposals'))['data'] as unknown[]).length).toBe(1);
  service.admin('admin', 'edit', String(id), proposalFile({ headline: 'Changed while it was served' }));
  expect((await send(service.url, `/proposal/${id}`)).text).toContain('Changed while it was served');
});

test('a page that was read just before a change is not served after it', async () => {
  const service = await startService();
  const id = service.add();
  const find = jest.spyOn(ProposalReader.prototype, 'find').mockImplementationOnce(function (this: ProposalReader) {
    const before = this.find(id);
    service.admin('admin', 'edit', String(id), proposalFile({ headline: 'Changed while it was read' }));
    return before;
  });
  await send(service.url, `/proposal/${id}`);
  find.mockRestore();
  expect((await send(service.url, `/proposal/${id}`)).text).toContain('Changed while it was read');
});

test('a database of another network, a foreign and a newer file are refused and unchanged', async () => {
  run('add', proposalFile());
  const nested = join(temporaryFolder(), 'devnet');
  mkdirSync(nested);
  writeFileSync(join(nested, 'proposals.sqlite'), readFileSync(join(folder, 'proposals.sqlite')));
  expect(() => admin(join(nested, '..'), 'admin', 'list', '--network', 'devnet')).toThrow(
    'is the proposal database of mainnet, not of devnet',
  );
  const foreign = temporaryFolder();
  writeFileSync(
    join(foreign, 'proposals.sqlite'),
    'not a database at all, but long enough to be looked at as one'.repeat(20),
  );
  expect(() => admin(foreign, 'admin', 'add', proposalFile())).toThrow('is not the proposal database it should be');
  await expect(startService([], {}, foreign)).rejects.toThrow('is not the proposal database it should be');
  const newer = temporaryFolder();
  const migrations = [1, 2, 3].map(
    (version) => (connection: { exec(sql: string): unknown }) => void connection.exec(`CREATE TABLE t${version} (x)`),
  );
  openDatabase({
    file: join(newer, 'proposals.sqlite'),
    title: 'x',
    applicationId: PROPOSALS_ID,
    mode: 'write',
    migrations,
    onCreate: (connection) =>
      void connection.exec("CREATE TABLE network (name TEXT); INSERT INTO network VALUES ('mainnet')"),
  }).close();
  await expect(startService([], {}, newer)).rejects.toThrow('written by a newer program');
});

test('refuses a second concurrent change with an error', () => {
  run('add', proposalFile());
  const held = openProposals({ directory: folder, network: 'mainnet' }, 'write');
  try {
    expect(() => run('add', proposalFile())).toThrow('is in use by another running program');
    expect(run('list')).toContain('Proposal number');
  } finally {
    held.close();
  }
  expect(run('add', proposalFile())).toContain('Added proposal 2');
});

test('the program runs a command, prints the result and exits; an error exits with 1', () => {
  const main = join(__dirname, '../../src/main.ts');
  const added = runSource(main, [
    'admin',
    'add',
    proposalFile({ headline: 'From the command line' }),
    '--data-dir',
    folder,
  ]);
  expect(added).toEqual({ code: 0, stdout: 'Added proposal 1, "From the command line"\n', stderr: '' });
  const refused = runSource(main, ['admin', 'status', '9', 'wip', '--data-dir', folder]);
  expect(refused).toEqual({ code: 1, stdout: '', stderr: 'proposal 9 does not exist\n' });
});
