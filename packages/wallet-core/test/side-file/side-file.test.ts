import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { decodeContent } from '../../src/container/decode';
import { inTurns } from '../../src/container/turns';
import { contentText } from '../../src/container/encrypted-file';
import { sideFileOf, withSideFile } from '../../src/side-file/mark';
import { SideFile, sideFileName } from '../../src/side-file/side-file';
import { walletAt } from '../support/contents';
import { fresh, removeFolders } from '../support/folder';

afterEach(removeFolders);

const HASH = 'ab'.repeat(32);
const kept = (hash: string) => ({ hash, sealed: Buffer.from(hash.slice(0, 8), 'hex') });
const open = (walletFile: string, expected?: string, wallet = 'w', now = 1000, writes = 0): SideFile =>
  SideFile.open({ walletFile, wallet, expected: expected === undefined ? undefined : { name: expected, writes }, now });

test('one that is new is none that was lost; one that the container names and is not there is', () => {
  const walletFile = fresh('a.wallet');
  const first = open(walletFile);
  expect(first.identity).toMatchObject({ lost: undefined, since: 1000, wallet: 'w' });
  first.close();
  const again = open(walletFile, first.identity.sideFile, 'w', 2000);
  expect(again.identity).toEqual(first.identity);
  again.close();
  rmSync(sideFileName(walletFile));
  const second = open(walletFile, first.identity.sideFile, 'w', 3000);
  expect(second.identity).toMatchObject({ lost: 'missing', since: 3000 });
  second.close();
  // The new one is named by now, and what was lost stays lost.
  const third = open(walletFile, second.identity.sideFile);
  expect(third.identity).toEqual(second.identity);
  third.close();
});

test.each([
  ['of another wallet', 'foreign', 'other', undefined],
  ['of another state of the container', 'foreign', 'w', 'another'],
] as const)('one %s is set aside, not removed', (_, lost, wallet, expected) => {
  const walletFile = fresh('a.wallet');
  const first = open(walletFile);
  first.answers.begin({ owner: '', key: 'k' }, '{}', 1);
  first.close();
  const second = open(walletFile, expected, wallet, 5);
  expect(second.identity).toMatchObject({ lost, wallet });
  expect(second.answers.begin({ owner: '', key: 'k' }, '{}', 1)).toEqual({ kind: 'new' });
  second.close();
  expect(existsSync(`${sideFileName(walletFile)}.5.old`)).toBe(true);
});

test('an older copy of what the container was saved beside says so, and goes on with what it knows', () => {
  const walletFile = fresh('a.wallet');
  const request = { owner: '', key: 'k' };
  const first = open(walletFile);
  const { name } = first.mark;
  first.answers.begin(request, '{}', 1);
  first.answers.sending(request, kept(HASH));
  first.close();
  const copy = readFileSync(sideFileName(walletFile));
  const second = open(walletFile, name);
  expect(second.spending.reserve('shop', 1, 5n, 5n)).toBe(true);
  expect(second.mark).toEqual({ name, writes: 2 });
  second.close();
  open(walletFile, name, 'w', 5, 2).close();
  for (const now of [7, 8]) {
    writeFileSync(sideFileName(walletFile), copy);
    const older = open(walletFile, name, 'w', now, 2);
    expect(older.identity).toMatchObject({ sideFile: name, lost: 'outdated', since: now });
    expect(older.mark).toEqual({ name, writes: 2 });
    expect(older.answers.begin(request, '{}', 1)).toEqual({ kind: 'unanswered', sends: [kept(HASH)] });
    older.close();
  }
});

test('one that is damaged is set aside', () => {
  const walletFile = fresh('a.wallet');
  writeFileSync(sideFileName(walletFile), 'no database at all '.repeat(1000));
  const sideFile = open(walletFile);
  expect(sideFile.identity.lost).toBe('damaged');
  sideFile.close();
  expect(readdirSync(dirname(walletFile))).toContain('a.wallet.side.1000.old');
});

test('a second program is refused', () => {
  const walletFile = fresh('a.wallet');
  const sideFile = open(walletFile);
  expect(() => open(walletFile)).toThrow('in use');
  sideFile.close();
  sideFile.close();
  open(walletFile).close();
});

test('the container names its side file, among members that it keeps anyway', async () => {
  const content = walletAt(1);
  expect(sideFileOf(content)).toBeUndefined();
  const marked = withSideFile(
    { ...content, unknownMembers: new Map([['', { other: 'x' }]]) },
    { name: 'abc', writes: 7 },
  );
  expect(withSideFile(marked, { name: 'abc', writes: 7 })).toBe(marked);
  expect(sideFileOf(withSideFile(marked, { name: 'abc', writes: 8 }))).toEqual({ name: 'abc', writes: 8 });
  const read = await inTurns(decodeContent(Buffer.from(contentText(marked))));
  expect(sideFileOf(read)).toEqual({ name: 'abc', writes: 7 });
  expect(read.unknownMembers.get('')).toEqual({ other: 'x', sideFile: 'abc', sideFileWrites: '7' });
});

test('a request is begun once, answered once, and remembered over a restart', () => {
  const walletFile = fresh('a.wallet');
  const request = { owner: 'shop', key: 'k1' };
  let sideFile = open(walletFile);
  const again = (body = '{"a":1}') => sideFile.answers.begin(request, body, 10);
  expect(again()).toEqual({ kind: 'new' });
  expect(again()).toEqual({ kind: 'unanswered', sends: [] });
  for (const hash of [HASH, '01'.repeat(32), 'cd'.repeat(32)]) sideFile.answers.sending(request, kept(hash));
  sideFile.answers.stayed(request, '01'.repeat(32));
  sideFile.close();
  sideFile = open(walletFile);
  expect(again()).toEqual({ kind: 'unanswered', sends: [kept(HASH), kept('cd'.repeat(32))] });
  expect(again('{"a":2}')).toEqual({ kind: 'other-body' });
  expect(sideFile.answers.begin({ owner: 'other', key: 'k1' }, '{"a":2}', 10)).toEqual({ kind: 'new' });
  sideFile.answers.answered(request, { status: 201, body: '{"transactionHash":"x"}' });
  sideFile.answers.answered(request, { status: 400, body: 'later' });
  sideFile.answers.forget(request);
  sideFile.close();
  sideFile = open(walletFile);
  expect(again()).toEqual({ kind: 'answered', answer: { status: 201, body: '{"transactionHash":"x"}' } });
  expect(again('{"a":2}')).toEqual({ kind: 'other-body' });
  expect(() => sideFile.answers.sending({ owner: '', key: 'none' }, kept(HASH))).toThrow(RangeError);
  sideFile.answers.forget({ owner: 'other', key: 'k1' });
  for (const old of [
    { before: 10, newest: 0 },
    { before: 11, newest: 1 },
  ]) {
    sideFile.answers.dropAnswered(old);
    expect(again()).toMatchObject({ kind: 'answered' });
  }
  sideFile.answers.dropAnswered({ before: 11, newest: 0 });
  expect(again()).toEqual({ kind: 'new' });
  sideFile.answers.dropAnswered({ before: 99, newest: 0 });
  expect(again()).toEqual({ kind: 'unanswered', sends: [] });
  sideFile.close();
});

test('what a key may send in a day is counted to the atomic unit, over a restart and beyond 53 bits', () => {
  const walletFile = fresh('a.wallet');
  const limit = 2n ** 64n - 1n;
  let sideFile = open(walletFile);
  expect(sideFile.spending.reserve('shop', 5, limit - 1n, limit)).toBe(true);
  sideFile.close();
  sideFile = open(walletFile);
  const { spending } = sideFile;
  expect(spending.reserve('shop', 5, 2n, limit)).toBe(false);
  expect(spending.reserve('shop', 5, 1n, limit)).toBe(true);
  expect(spending.reserve('shop', 5, 1n, limit)).toBe(false);
  expect(spending.reserve('shop', 6, 1n, limit)).toBe(true);
  expect(spending.reserve('till', 5, 1n, 0n)).toBe(false);
  spending.giveBack('shop', 5, 7n);
  expect(spending.spent('shop', 5)).toBe(limit - 7n);
  spending.giveBack('shop', 6, 7n);
  expect(spending.spent('shop', 6)).toBe(0n);
  expect(() => spending.reserve('shop', 5, -1n, limit)).toThrow(RangeError);
  // 'till' has not sent anything that day.
  expect(spending.dropBefore(99, 2)).toBe(0);
  expect(spending.dropBefore(99, 1)).toBe(1);
  expect(spending.reserve('shop', 5, 1n, limit)).toBe(true);
  expect(spending.dropBefore(6)).toBe(1);
  expect(spending.spent('shop', 5)).toBe(0n);
  sideFile.close();
});

test('extras and delayed transactions are there after a restart', () => {
  const walletFile = fresh('a.wallet');
  let sideFile = open(walletFile);
  const details = { extra: Buffer.from('0102', 'hex'), inputs: 2n ** 64n - 1n, outputs: 5n };
  sideFile.extras.put([[HASH, details]]);
  for (const [hash, created] of [
    ['22'.repeat(32), 9],
    [HASH, 8],
  ] as const) {
    sideFile.delayed.add({ hash, created, bytes: Buffer.from([1, 2]), intent: '{}' });
  }
  sideFile.close();
  sideFile = open(walletFile);
  const { extras, delayed } = sideFile;
  expect(extras.get(HASH)).toEqual(details);
  expect(extras.get('00'.repeat(32))).toBeUndefined();
  expect(extras.missing([HASH, '00'.repeat(32)])).toEqual(['00'.repeat(32)]);
  expect(delayed.inState('delayed').map(({ hash }) => hash)).toEqual([HASH, '22'.repeat(32)]);
  expect(delayed.move(HASH, 'delayed', 'sending')).toBe(true);
  const { writes } = sideFile.mark;
  expect(delayed.move(HASH, 'delayed', 'sending')).toBe(false);
  // Asked of every transaction that a scan finds: the disk is not touched.
  expect(sideFile.mark.writes).toBe(writes);
  expect(delayed.get(HASH)).toEqual({
    hash: HASH,
    created: 8,
    state: 'sending',
    bytes: Buffer.from([1, 2]),
    intent: '{}',
  });
  expect(delayed.get('00'.repeat(32))).toBeUndefined();
  expect(() => delayed.add({ hash: HASH, created: 1, bytes: Buffer.of(1), intent: '' })).toThrow();
  sideFile.close();
});
