import { checkHash, powHash, searchNonce } from '@wrkz/crypto';
import { solve, type Solver, solverWith } from '../src/job';
import { sendRequest, goodPrefix, makePrefix, post, startHelper, stopAll } from './support/helper';

/* The helper verifies each nonce with a separate hash before it returns it. */

afterEach(stopAll);

const SPEC = { prefix: makePrefix(), inputs: 1, outputs: 1, difficulty: 50n };
const OPTIONS = { threads: 1, signal: new AbortController().signal, onProgress: () => undefined };

const withNonce = (nonce: Buffer): Buffer => Buffer.concat([SPEC.prefix.subarray(0, -8), nonce]);
const meets = (nonce: Buffer): boolean => checkHash(powHash('cn_upx', withNonce(nonce)), SPEC.difficulty);

/** A search that finds a valid nonce and returns a later, invalid one. */
const lyingSearch: typeof searchNonce = async (options) => {
  const found = await searchNonce(options);
  if (found === null) return null;
  const nonceBytes = Buffer.from(found.nonceBytes);
  do nonceBytes.writeUInt32LE((nonceBytes.readUInt32LE() + 1) >>> 0);
  while (meets(nonceBytes));
  return { ...found, nonceBytes };
};

test('a found nonce meets the difficulty', async () => {
  const { nonce, hashes } = await solve(SPEC, OPTIONS);
  expect(meets(nonce)).toBe(true);
  expect(hashes).toBeGreaterThan(0n);
});

test('an invalid nonce is not returned', async () => {
  await expect(solverWith(lyingSearch)(SPEC, OPTIONS)).rejects.toThrow('the search returned an invalid nonce');
  await expect(solverWith(async () => null)(SPEC, OPTIONS)).rejects.toThrow('the search returned an invalid nonce');
});

test('the search gets threads, signal and progress listener of the job', async () => {
  const options = { threads: 3, signal: new AbortController().signal, onProgress: () => undefined };
  let given: Parameters<typeof searchNonce>[0] | undefined;
  const search: typeof searchNonce = async (searched) => {
    given = searched;
    return null;
  };
  await expect(solverWith(search)(SPEC, options)).rejects.toThrow();
  expect(given).toMatchObject(options);
});

test('every job starts on the configured number of threads', async () => {
  const threads: number[] = [];
  const solver: Solver = async (_spec, options) => {
    threads.push(options.threads);
    return { nonce: Buffer.alloc(8), hashes: 1n };
  };
  const { url } = await startHelper(['--threads', '3'], { solver });
  await post(`${url}/pow`, { prefix: goodPrefix(), wait_ms: 20_000 });
  expect(threads).toEqual([3]);
});

test('a cancelled search ends its threads', async () => {
  const abort = new AbortController();
  const reason = new Error('no longer wanted');
  const onProgress = (): void => abort.abort(reason);
  const search = solve({ ...SPEC, difficulty: 1n << 60n }, { threads: 2, signal: abort.signal, onProgress });
  await expect(search).rejects.toBe(reason);
});

test('a failed search is an error without a nonce', async () => {
  const solver = solverWith(async (options) => lyingSearch({ ...options, difficulty: SPEC.difficulty }));
  const { url } = await startHelper([], { solver });
  const { body } = await post(`${url}/pow`, { prefix: goodPrefix(), wait_ms: 20_000 });
  expect(body).toMatchObject({
    state: 'failed',
    status: 'error',
    error: 'the search failed, compute the proof locally',
  });
  expect(body).not.toHaveProperty('nonce');
  expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({ failed: 1, completed: 0 });
});
