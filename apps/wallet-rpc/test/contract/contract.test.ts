import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { walletRpcApi } from '@wrkz/api';
import { parseJson } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, type Example, exampleOf, typesOf, storedExamples } from '@wrkz/testing';
import { ALL_METHODS, WALLET_METHODS } from '../../src';
import { type Outcome, PASSWORD } from '../support/service';
import { type ErrorName, PROVOCATIONS, SUCCESSES } from './provocations';
import { ServiceStates } from './service-states';

const states = new ServiceStates();
const rows = walletRpcApi.walletRpcErrors;

beforeAll(async () => {
  await states.start();
  mkdirSync(join(states.alice.rpc.context.directory, 'folder'), { recursive: true });
});

afterAll(async () => {
  states.comeHome();
  await states.stop();
});

/** The names of the errors that a method declares. */
const declared = (name: string): ErrorName[] => {
  const errors = WALLET_METHODS.find((method) => method.name === name)?.errors ?? [];
  return (Object.keys(rows) as ErrorName[]).filter((row) => errors.includes(rows[row]));
};

const cases = WALLET_METHODS.flatMap(({ name }) => declared(name).map((error) => [name, error] as const));

test('declares 28 methods, each with a successful request and a provocation of each error', () => {
  expect(WALLET_METHODS).toHaveLength(28);
  expect(Object.keys(SUCCESSES).sort()).toEqual(WALLET_METHODS.map(({ name }) => name).sort());
  for (const { name, errors } of WALLET_METHODS) {
    expect([name, Object.keys(PROVOCATIONS[name] ?? {}).sort()]).toEqual([name, [...declared(name)].sort()]);
    expect(declared(name)).toHaveLength(errors.length);
  }
  expect(cases).toHaveLength(129);
});

/** Placeholders of an error text match any value. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '.+')}$`);

test.each(cases)('%s: %s', async (method, error) => {
  const outcome = await PROVOCATIONS[method]?.[error]?.(states);
  const { code, application, text }: walletRpcApi.WalletRpcError = rows[error];
  const isSystem = text === '{text}';
  expect(outcome?.error).toEqual({
    code: BigInt(code),
    message: isSystem ? expect.stringMatching(/^[A-Z]/) : expect.stringMatching(patternOf(text)),
    data: { application_code: isSystem ? expect.any(BigInt) : BigInt(application ?? 0) },
  });
});

test.each(WALLET_METHODS.map(({ name }) => name))('%s refuses invalid params and a wrong password', async (method) => {
  const post = (body: object) => states.alice.request(JSON.stringify(body));
  const { code, text } = walletRpcApi.walletRpcEnvelopeErrors.params;
  const refused = await post({ method, params: [], password: PASSWORD });
  expect(JSON.parse(refused.text)).toEqual({ error: { code, message: text }, jsonrpc: '2.0' });
  const wrongPassword = await post({ method, params: {}, password: 'wrong' });
  expect(JSON.parse(wrongPassword.text)).toMatchObject({ error: { code: -32_604 } });
});

const examples: Record<string, Example> = {};

test.each(Object.keys(SUCCESSES))('%s succeeds with the declared result', async (method) => {
  const params = (await SUCCESSES[method]?.(states)) ?? {};
  const body = Object.keys(params).length === 0 ? { id: 1, method } : { id: 1, method, params };
  const { status, text } = await states.alice.request(JSON.stringify({ ...body, password: PASSWORD }));
  const request = { path: '/json_rpc', body: { ...body, password: '<password>' } };
  examples[method] = exampleOf({ ...request, status, text }, states.node.daemon.ports.rpc);
  const { result } = parseJson(text) as Outcome;
  const declaration = WALLET_METHODS.find(({ name }) => name === method);
  const parsed = declaration?.result.safeParse(result);
  expect([method, parsed?.error]).toEqual([method, undefined]);
  // The reset drops own sends in the pool too; the pool watcher finds them again.
  if (method === 'reset') {
    await states.alice.synced(CHAIN_A_HEIGHT);
    const { pool } = states.alice.rpc.context;
    const isKnown = (hash: string): boolean => pool.get(hash) !== undefined;
    while (!states.node.pool().every(isKnown)) await pool.poll().then(() => setImmediate());
  }
});

test('the printed examples are requests and responses of every method', () => {
  const stored = storedExamples(join(__dirname, '../../src/methods/examples.json'), examples);
  expect(typesOf(examples)).toEqual(typesOf(stored));
});

test('rpc.discover returns every method with its errors', async () => {
  const document = await states.alice.result<{ methods: { name: string; errors: unknown[] }[] }>('rpc.discover');
  expect(document.methods.map(({ name }) => name)).toEqual(ALL_METHODS.map(({ name }) => name));
  for (const { name, errors } of document.methods)
    expect([name, errors.length]).toEqual([name, declared(name).length + 3]);
});

test('/docs shows every method without a password; other paths and verbs return the recorded text', async () => {
  const post = (method: string, path: string) => states.alice.request('', { method, path });
  const page = await post('GET', '/docs');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const { text: document } = await post('GET', '/docs/start.js');
  for (const { name } of ALL_METHODS) expect(document).toContain(`"/json_rpc#${name}"`);
  for (const [method, path] of [
    ['POST', '/docs'],
    ['GET', '/docs/'],
    ['GET', '/doc'],
    ['POST', '/readyz'],
  ] as const)
    expect((await post(method, path)).text).toBe('Requested url is not found\n');
});

test('/livez and /readyz require no password', async () => {
  for (const path of ['/livez', '/readyz']) {
    const { status, text } = await states.alice.request('', { method: 'GET', path });
    expect([status, JSON.parse(text)]).toEqual([200, { status: 'OK' }]);
  }
});

test('a batch is executed only with its header', async () => {
  const one = (id: number): object => ({ id, method: 'getFeeInfo', password: PASSWORD });
  const batch = JSON.stringify([one(1), 5, { ...one(2), method: 'nothing' }]);
  const without = await states.alice.request(batch);
  expect(without.text).toBe('{"error":{"code":-32001,"message":"JsonValue type is not OBJECT"}}');
  expect((await states.alice.request(batch, { headers: { 'X-JSON-RPC-Batch': '0' } })).text).toBe(without.text);
  const { text } = await states.alice.request(batch, { headers: { 'X-JSON-RPC-Batch': '1' } });
  expect(JSON.parse(text)).toEqual([
    { id: 1, jsonrpc: '2.0', result: { address: '', amount: 0 } },
    { error: { code: -32_001, message: 'JsonValue type is not OBJECT' } },
    { error: { code: -32_601, message: 'Method not found' }, id: 2, jsonrpc: '2.0' },
  ]);
  for (const wrong of ['[]', JSON.stringify(Array.from({ length: 101 }, () => one(1)))]) {
    const refused = await states.alice.request(wrong, { headers: { 'X-JSON-RPC-Batch': '1' } });
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: -3_600 } });
  }
});
