import { openDatabase } from '@wrkz/sqlite';
import { sideFileOptions } from '../../src/side-file/schema';
import { SideFile, sideFileName } from '../../src/side-file/side-file';
import { ToldStage } from '../../src/side-file/told-transactions';
import type { TransactionDetails } from '../../src/side-file/transaction-extras';
import { fresh, removeFolders } from '../support/folder';

afterEach(removeFolders);

const HASH = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const open = (walletFile: string): SideFile => SideFile.open({ walletFile, wallet: 'w', expected: undefined, now: 1 });

test('what receivers were told goes forward alone, each hash for itself, over a restart', () => {
  const walletFile = fresh('a.wallet');
  let sideFile = open(walletFile);
  expect(sideFile.told.stage(HASH)).toBe(ToldStage.nothing);
  expect(sideFile.told.advance([HASH], ToldStage.seen)).toEqual([ToldStage.nothing]);
  expect(sideFile.told.advance([HASH], ToldStage.seen)).toEqual([undefined]);
  sideFile.close();
  sideFile = open(walletFile);
  const { told } = sideFile;
  expect([told.stage(HASH), told.stage(OTHER)]).toEqual([ToldStage.seen, ToldStage.nothing]);
  expect(told.advance([HASH], ToldStage.confirmed)).toEqual([ToldStage.seen]);
  expect(told.advance([HASH], ToldStage.seen)).toEqual([undefined]);
  expect(told.stage(HASH)).toBe(ToldStage.confirmed);
  expect(told.advance([OTHER], ToldStage.confirmed)).toEqual([ToldStage.nothing]);
  sideFile.close();
});

test('all that is known of a transaction is there after a restart, and what is put later stands in its place', () => {
  const walletFile = fresh('a.wallet');
  const whole: TransactionDetails = {
    extra: Buffer.from('01ff', 'hex'),
    inputs: 2n ** 64n - 1n,
    outputs: 2n ** 63n,
    blockHash: OTHER,
    unlockTime: 2n ** 64n - 1n,
    mixin: 3,
    received: new Map([
      [HASH, 2n ** 64n - 1n],
      [OTHER, 0n],
    ]),
    sent: [
      { address: 'Wrkz', amount: 2n ** 64n - 1n, isChange: false },
      { address: '', amount: -5n, isChange: true },
    ],
  };
  const bare: TransactionDetails = { extra: Buffer.alloc(0), inputs: 0n, outputs: 1n };
  let sideFile = open(walletFile);
  sideFile.extras.put([
    [HASH, whole],
    [OTHER, bare],
  ]);
  sideFile.close();
  sideFile = open(walletFile);
  expect(sideFile.extras.get(HASH)).toEqual(whole);
  expect(sideFile.extras.get(OTHER)).toEqual(bare);
  sideFile.extras.put([[HASH, bare]]);
  expect(sideFile.extras.get(HASH)).toEqual(bare);
  sideFile.close();
});

test('of a batch that cannot be written nothing is', () => {
  const sideFile = open(fresh('a.wallet'));
  const good: TransactionDetails = { extra: Buffer.of(1), inputs: 1n, outputs: 1n };
  const bad = { ...good, extra: null as unknown as Buffer };
  expect(() =>
    sideFile.extras.put([
      [HASH, good],
      [OTHER, bad],
    ]),
  ).toThrow();
  expect(sideFile.extras.missing([HASH, OTHER])).toEqual([HASH, OTHER]);
  sideFile.close();
});

test('a side file of the first version is taken over with all that it remembers', () => {
  const walletFile = fresh('a.wallet');
  const options = sideFileOptions(sideFileName(walletFile), { wallet: 'w', since: 1, lost: undefined });
  const first = openDatabase({ ...options, migrations: options.migrations.slice(0, 1) });
  first.connection.exec("INSERT INTO answers VALUES ('', 'key', x'00', 1, 201, '{}')");
  first.connection
    .prepare("INSERT INTO delayed VALUES (?, 1, 'delayed', x'01', 'intent')")
    .run(Buffer.from(HASH, 'hex'));
  first.close();
  const sideFile = open(walletFile);
  expect(sideFile.identity.lost).toBeUndefined();
  expect(sideFile.delayed.get(HASH)).toMatchObject({ state: 'delayed', intent: 'intent' });
  expect(sideFile.answers.begin({ owner: '', key: 'key' }, 'body', 2).kind).toBe('other-body');
  expect(sideFile.told.advance([HASH], ToldStage.seen)).toEqual([ToldStage.nothing]);
  sideFile.close();
});
