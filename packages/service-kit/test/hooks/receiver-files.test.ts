import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiverFiles } from '../../src/hooks/durable-receiver';

const newFiles = (): ReceiverFiles =>
  new ReceiverFiles({
    directory: fs.mkdtempSync(join(tmpdir(), 'receiver-')),
    hook: 'block-notify',
    value: 'http://127.0.0.1:1/',
    description: 'a receiver',
  });

const noSpace = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

afterEach(() => jest.restoreAllMocks());

/** Simulates a full disk: the next write is partial, and all later ones fail. */
function fillUp(): void {
  const write = fs.writeSync.bind(fs) as (file: number, bytes: Uint8Array) => number;
  let cut = false;
  jest.spyOn(fs, 'writeSync').mockImplementation((file: number, data: string | Uint8Array) => {
    if (cut) throw noSpace();
    cut = true;
    const bytes = Buffer.from(data as string);
    return write(file, bytes.subarray(0, bytes.length >> 1));
  });
}

test('a dead letter without enough disk space is not written partially, and can be written later', () => {
  const files = newFiles();
  files.addDeadLetter({ number: 1 });
  const before = fs.readFileSync(files.deadLettersPath, 'utf8');
  fillUp();
  expect(() => files.addDeadLetter({ number: 2, why: 'the disk is full meanwhile' })).toThrow('ENOSPC');
  expect(fs.readFileSync(files.deadLettersPath, 'utf8')).toBe(before);
  jest.restoreAllMocks();
  files.addDeadLetter({ number: 2 });
  expect(fs.readFileSync(files.deadLettersPath, 'utf8')).toBe('{"number":1}\n{"number":2}\n');
});

test('the next start removes unfinished writes of a killed process', () => {
  const files = newFiles();
  const unfinished = join(files.positionPath, '..', `.${files.key}.json.0123456789ab.tmp`);
  const another = join(files.positionPath, '..', '.block-notify-0000000000000000.json.0123456789ab.tmp');
  fs.writeFileSync(unfinished, '{"hook":"bl');
  fs.writeFileSync(another, '');
  expect(files.position()).toBeUndefined();
  expect(fs.existsSync(unfinished)).toBe(false);
  expect(fs.existsSync(another)).toBe(true);
});

test('a save resolves when the position is on disk, also if another call writes it', async () => {
  const files = newFiles();
  void files.save(1);
  await files.save(2);
  expect(files.position()).toBe(2);
});
