import { once } from 'node:events';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as crypto from '../src';
import { bytes, ringRows } from './curve-vectors';

// Jest's module registry does not reach into a worker, so the worker loads the addon by its path.
const SOURCE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const native = require(workerData.loader)(workerData.addon);
  const work = () => native.checkRings(...workerData.rings);
  if (workerData.abandon) {
    for (let i = 0; i < 3; i++) work();
    parentPort.postMessage('started');
  } else {
    Promise.all([work(), work()]).then(([a, b]) => parentPort.postMessage([a, b].map((flags) => flags.map((flag) => flag & 1).join(''))));
  }
`;

const rows = ringRows().filter((row) => row.ring.length === 4);
const join = (values: string[]): Uint8Array => Uint8Array.from(bytes(values.join('')));
const rings = [
  join(rows.map((row) => row.prefix_hash)),
  join(rows.map((row) => row.key_image)),
  Uint32Array.from(rows, (row) => row.ring.length),
  join(rows.flatMap((row) => row.ring)),
  join(rows.flatMap((row) => row.sigs)),
];
const expected = rows.map((row) => (row.valid ? '1' : '0')).join('');

function start(abandon: boolean): Worker {
  const addon = dirname(require.resolve('@wrkz/native/package.json'));
  const workerData = { loader: require.resolve('node-gyp-build'), addon, rings, abandon };
  return new Worker(SOURCE, { eval: true, workerData });
}

describe('worker threads', () => {
  it('check rings in several workers and in the main thread concurrently', async () => {
    const workers = [start(false), start(false)];
    const responses = workers.map((worker) => once(worker, 'message') as Promise<[[string, string]]>);
    const here = crypto.checkRingSignaturesAsync(
      rows.map((row) => ({
        prefixHash: bytes(row.prefix_hash),
        keyImage: bytes(row.key_image),
        publicKeys: row.ring.map(bytes),
        signatures: bytes(row.sigs.join('')),
      })),
    );
    for (const [both] of await Promise.all(responses)) expect(both).toEqual([expected, expected]);
    expect((await here).map((valid) => (valid ? '1' : '0')).join('')).toBe(expected);
    await Promise.all(workers.map((worker) => worker.terminate()));
  });

  it('survive a worker that is terminated during its work', async () => {
    for (let round = 0; round < 30; round++) {
      const worker = start(true);
      await once(worker, 'message');
      await worker.terminate();
    }
    expect(await crypto.checkKeysAsync([crypto.generateKeyPair().publicKey])).toEqual([true]);
  });
});
