import zlib from 'node:zlib';
import { loadZstd, type Zstd } from '../../src/snapshot/zstd';

const loaded = jest.fn();
jest.mock('@bokuweb/zstd-wasm', () => {
  loaded();
  return jest.requireActual<object>('@bokuweb/zstd-wasm');
});

const RAW = Buffer.from('snapshot '.repeat(1000));
const hasNodeZstd = 'zstdCompressSync' in zlib;

test('node:zlib is used if it has zstd, at level 10 and with the raw length, and WebAssembly is not loaded', async () => {
  const calls: unknown[] = [];
  const zstd = await loadZstd({
    constants: { ZSTD_c_compressionLevel: 100 },
    zstdCompressSync: (raw: Buffer, options: unknown) => (calls.push(options), raw),
    zstdDecompressSync: () => RAW,
  });
  expect(zstd.compress(RAW)).toBe(RAW);
  expect(calls).toEqual([{ params: { 100: 10 }, pledgedSrcSize: RAW.length }]);
  if (hasNodeZstd) await loadZstd();
  expect(loaded).not.toHaveBeenCalled();
});

test('WebAssembly is used if node:zlib has no zstd', async () => {
  expectSound(await loadZstd({}));
  expect(loaded).toHaveBeenCalledTimes(1);
});

(hasNodeZstd ? test : test.skip)('each implementation reads the frames of the other', async () => {
  const [node, wasm] = [await loadZstd(), await loadZstd({})];
  expectSound(node);
  expect(node.decompress(wasm.compress(RAW), RAW.length)).toEqual(RAW);
  expect(wasm.decompress(node.compress(RAW), RAW.length)).toEqual(RAW);
});

function expectSound(zstd: Zstd): void {
  const frame = zstd.compress(RAW);
  expect(frame.length).toBeLessThan(100);
  expect(zstd.decompress(frame, RAW.length)).toEqual(RAW);
  expect(() => zstd.decompress(frame, RAW.length - 1)).toThrow(`the frame states ${RAW.length} bytes and not`);
  expect(() => zstd.decompress(Buffer.alloc(20), 1)).toThrow('no zstd frame');
  const withChecksum = Buffer.from(frame);
  withChecksum[4] = (frame[4] as number) | 4;
  expect(() => zstd.decompress(withChecksum, RAW.length)).toThrow('a frame with a checksum');
}
