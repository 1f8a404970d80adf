import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { SideFile, sideFileName } from '../../src/side-file/side-file';
import { fresh, removeFolders } from '../support/folder';

afterEach(removeFolders);

const options = { wallet: 'w', expected: undefined, now: 1 };

/** A side file with something in every table. */
function written(walletFile: string): Buffer {
  const side = SideFile.open({ ...options, walletFile });
  for (let i = 0; i < 50; i++) {
    const key = { owner: '', key: `key ${String(i)}` };
    side.answers.begin(key, 'body', i);
    side.answers.sending(key, { hash: String(i), sealed: Buffer.alloc(500, i) });
    side.spending.reserve(key.key, i, 5n, 9n);
  }
  side.close();
  return readFileSync(sideFileName(walletFile));
}

/** Opens it; whatever state it is in, a wallet must not stay closed for it. */
function opens(walletFile: string): void {
  const side = SideFile.open({ ...options, walletFile });
  expect(side.identity.wallet).toBe('w');
  side.close();
}

test('a side file with a changed byte opens or is set aside, wherever that byte is', () => {
  const walletFile = fresh('a.wallet');
  const whole = written(walletFile);
  const file = sideFileName(walletFile);
  fc.assert(
    fc.property(fc.oneof(fc.nat(200), fc.nat(whole.length - 1)), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ change;
      for (const ending of ['-wal', '-shm', '-journal']) rmSync(file + ending, { force: true });
      writeFileSync(file, bytes);
      opens(walletFile);
    }),
    { numRuns: 60 },
  );
});

test('a side file that was cut opens or is set aside, wherever it was cut', () => {
  const walletFile = fresh('a.wallet');
  const whole = written(walletFile);
  const file = sideFileName(walletFile);
  for (let length = 0; length < whole.length; length += 1_365) {
    writeFileSync(file, whole);
    truncateSync(file, length);
    opens(walletFile);
  }
});
