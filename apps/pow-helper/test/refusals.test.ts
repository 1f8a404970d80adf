import { powHelperApi } from '@wrkz/api';
import { sendRequest, goodPrefix, keyInput, makePrefix, post, startHelper, stopAll } from './support/helper';
import { ManualSolver } from './support/manual-solver';
import type { RefusalName } from '../src/refusals';

afterEach(stopAll);

const KEY = Buffer.alloc(32, 7);
const MAX = (1n << 64n) - 1n;
const NOT_CANONICAL_VERSION = Buffer.concat([Buffer.from([0x81, 0x00]), makePrefix().subarray(1)]);

/** A prefix for each reason to refuse a prefix. */
const prefixes: readonly [RefusalName, Buffer][] = [
  ['tooShort', Buffer.alloc(8)],
  ['notAPrefix', Buffer.alloc(64, 0xff)],
  ['notAPrefix', Buffer.concat([makePrefix(), Buffer.from([0])])],
  ['notAPrefix', NOT_CANONICAL_VERSION],
  ['noInputs', makePrefix({ inputs: [] })],
  ['noOutputs', makePrefix({ outputs: [] })],
  ['tooManyOutputs', makePrefix({ outputs: Array.from({ length: 91 }, () => ({ amount: 1n, key: KEY })) })],
  ['notKeyInput', makePrefix({ inputs: [{ type: 'base', height: 5 }] })],
  ['ringSize', makePrefix({ inputs: [keyInput(1000n, 0)] })],
  ['ringSize', makePrefix({ inputs: [keyInput(1000n, 129)] })],
  ['inputOverflow', makePrefix({ inputs: [keyInput(MAX), keyInput(1n)] })],
  ['outputOverflow', makePrefix({ outputs: [MAX, 1n].map((amount) => ({ amount, key: KEY })) })],
  ['outputsExceedInputs', makePrefix({ outputs: [{ amount: 1001n, key: KEY }] })],
  ['zeroFee', makePrefix({ outputs: [{ amount: 1000n, key: KEY }] })],
  ['noNonceTag', makePrefix({ extra: Buffer.alloc(9) })],
  ['noNonceTag', makePrefix({ extra: Buffer.alloc(8, 4) })],
];

test.each(prefixes)('a prefix refused as %s', async (reason, prefix) => {
  const { url } = await startHelper([], { solver: new ManualSolver().solve });
  const { status, body } = await post(`${url}/pow`, { prefix: prefix.toString('hex') });
  expect({ status, body }).toEqual({
    status: 400,
    body: { status: 'error', error: powHelperApi.powErrors[reason].text },
  });
  expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({
    received: 1,
    accepted: 0,
    rejected_invalid: 1,
  });
});

test.each([
  ['not json', powHelperApi.powErrors.badJson.text],
  ['', powHelperApi.powErrors.badJson.text],
  ['{"prefix":"ab","prefix":"cd"}', powHelperApi.powErrors.badJson.text],
  ['[]', powHelperApi.powErrors.noPrefix.text],
  ['{"prefix":5}', powHelperApi.powErrors.noPrefix.text],
  ['{}', powHelperApi.powErrors.noPrefix.text],
  ['{"prefix":"zz"}', powHelperApi.powErrors.notHex.text],
  ['{"prefix":"abc"}', powHelperApi.powErrors.notHex.text],
])('the body %j is refused and not counted as received', async (text, error) => {
  const { url } = await startHelper();
  expect(await post(`${url}/pow`, text)).toMatchObject({ status: 400, body: { status: 'error', error } });
  expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({ received: 0, rejected_invalid: 0 });
});

test('the height selects the rules: no proof of work before its activation', async () => {
  const { url } = await startHelper([], { solver: new ManualSolver().solve });
  const at = (height: number) => post(`${url}/pow`, { prefix: goodPrefix(), height });
  expect(await at(1_122_999)).toMatchObject({
    status: 400,
    body: { error: powHelperApi.powErrors.nothingNeeded.text },
  });
  expect(await at(1_123_000)).toMatchObject({ status: 200, body: { difficulty: 20_000 } });
  expect(await at(1_200_001)).toMatchObject({ status: 200, body: { difficulty: 45_000, inputs: 1, outputs: 1 } });
  const { body } = await post(`${url}/pow`, { prefix: goodPrefix(), height: -5 });
  expect(body['difficulty']).toBe(45_000);
});

test('a job above --max-difficulty', async () => {
  const { url } = await startHelper(['--max-difficulty', '44999']);
  const { status, body } = await post(`${url}/pow`, { prefix: goodPrefix() });
  expect(status).toBe(400);
  expect(body['error']).toBe("difficulty 45000 is above this server's limit of 44999");
  expect((await sendRequest(`${url}/stats`)).body['jobs']).toMatchObject({
    rejected_difficulty: 1,
    rejected_invalid: 0,
  });
});

test('unknown jobs, paths that are not routed, bodies over the limit', async () => {
  const { url } = await startHelper();
  const unknown = `${url}/pow/${'ab'.repeat(16)}`;
  for (const init of [{}, { method: 'DELETE' }]) {
    expect(await sendRequest(unknown, init)).toMatchObject({
      status: 404,
      body: { status: 'error', error: 'unknown or expired job' },
    });
  }
  for (const path of ['/pow/ABABABABABABABABABABABABABABABAB', '/pow/ab', '/pow/', '/nothing', '/stats/']) {
    expect(await sendRequest(url + path)).toMatchObject({ status: 404, text: '' });
  }
  expect((await sendRequest(`${url}/pow`)).status).toBe(404);
  expect((await post(`${url}/pow`, 'x'.repeat(524_289))).status).toBe(413);
});

test('the key is required where the original helper requires it, and compared completely', async () => {
  const { url } = await startHelper(['--api-key', 'secret key', '--enable-metrics']);
  const refused = { status: 401, body: { status: 'error', error: 'missing or incorrect X-API-KEY header' } };
  for (const path of ['/', '/stats', '/pow', `/pow/${'0'.repeat(32)}`, '/metrics']) {
    for (const key of [undefined, '', 'secret', 'secret key2', 'SECRET KEY']) {
      expect(await sendRequest(url + path, { headers: key === undefined ? {} : { 'X-API-KEY': key } })).toMatchObject(
        refused,
      );
    }
    expect((await sendRequest(url + path, { headers: { 'X-API-KEY': 'secret key' } })).status).not.toBe(401);
  }
  for (const path of ['/health', '/livez', '/readyz']) expect((await sendRequest(url + path)).status).toBe(200);
  expect((await sendRequest(`${url}/nothing`)).status).toBe(404);
  expect((await sendRequest(`${url}/pow`, { method: 'OPTIONS' })).status).toBe(204);
  const stats = await sendRequest(`${url}/stats`, { headers: { 'X-API-KEY': 'secret key' } });
  expect(stats.body['http']).toMatchObject({ unauthorized: 25 });
});
