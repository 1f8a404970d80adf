import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { decodeTagged, encodeTagged } from '@wrkz/core-types';
import { EventLoopYielder } from '@wrkz/service-kit';
import { StandInNode } from '@wrkz/testing';
import { z } from 'zod';
import { WALLET_METHODS } from '../src';
import { generate, PASSWORD, TestService, Folder } from './support/service';
import { addressOf, CONTAINER_PASSWORD } from './support/world';

const folder = new Folder();
let node: StandInNode;
let service: TestService;
let now = 0;
const sockets: Socket[] = [];

beforeAll(async () => {
  // A node that accepts connections and never responds.
  node = await StandInNode.start();
  for (const path of ['/info', '/getwalletsyncdata', '/getrawblocks', '/json_rpc', '/height']) {
    node.on(path, () => () => undefined);
  }
  const file = folder.file('a.container');
  await generate(file, CONTAINER_PASSWORD);
  service = await TestService.start(
    { file, password: CONTAINER_PASSWORD, node: node.port },
    { now: () => now, nodeTimeouts: { silenceMs: 300, responseMs: 300 } },
  );
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service.stop();
  await node.close();
  folder.remove();
});

const isServing = async (): Promise<void> => {
  expect((await service.result<{ addresses: string[] }>('getAddresses')).addresses).not.toEqual([]);
};

const ODD: readonly unknown[] = [null, true, -1, 1.5, 2n ** 64n, '', 'x', '\u0000', [], [null], [{}], {}, { x: 1 }];

const methods = WALLET_METHODS.filter(({ name }) => !['reset', 'deleteAddress'].includes(name));

test.each(methods.map(({ name, params }) => [name, Object.keys((params as z.ZodObject).shape)] as const))(
  '%s returns a declared error for odd values of each field, or accepts them',
  async (method, members) => {
    const oddValues = method === 'export' ? ODD.filter((value) => typeof value !== 'string') : ODD;
    for (const member of members) {
      for (const value of oddValues) {
        const { result, error } = await service.call(method, { ...validParams(method), [member]: value });
        const isRefusal = error !== undefined && [-32_600n, -32_700n].includes(error.code);
        expect([method, member, value, error, isRefusal || result !== undefined]).toEqual([
          ...[method, member, value, error],
          true,
        ]);
      }
    }
    await isServing();
  },
);

/** The other params are valid, so that only the odd value can be refused. */
function validParams(method: string): object {
  const declared: Record<string, object> = {
    sendTransaction: { transfers: [] },
    createDelayedTransaction: { transfers: [] },
    getTransactions: { firstBlockIndex: 1, blockCount: 1 },
    getTransactionHashes: { firstBlockIndex: 1, blockCount: 1 },
    getBlockHashes: { firstBlockIndex: 0, blockCount: 1 },
    createAddressList: { spendSecretKeys: [] },
  };
  return declared[method] ?? {};
}

test.each([
  ['an array nested too deeply', '['.repeat(100_000)],
  ['an object nested too deeply', `{"a":`.repeat(1_000)],
  ['too many values', `[${'[],'.repeat(50_000)}[]]`],
  ['truncated JSON', '{"method":"getStatus"'],
  ['two values', '{} {}'],
  ['invalid UTF-8', Buffer.from('{"method":"\xff"', 'latin1')],
  ['an infinite number', '{"id":1e999}'],
])('a body with %s is a parse error', async (_name, body) => {
  const { status, text } = await service.request(body);
  expect([status, text]).toEqual([200, '{"error":{"code":-32700,"message":"Parse error"},"id":null,"jsonrpc":"2.0"}']);
});

test('echoes an id of any size and type exactly', async () => {
  for (const id of [
    '123456789012345678901234567890',
    '-0',
    '"\\u0000"',
    '{"__proto__":{"x":[1]}}',
    `"${'i'.repeat(1e5)}"`,
  ]) {
    const { text } = await service.request(`{"id":${id},"method":"getFeeInfo","password":"${PASSWORD}"}`);
    expect(text.slice(0, id.length + 6)).toBe(`{"id":${id === '-0' ? '0,' : id}`.slice(0, id.length + 6));
  }
});

test('refuses a body above the limit, and names of Object.prototype as methods', async () => {
  expect((await service.request('x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  for (const method of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    expect((await service.call(method)).error?.code).toBe(-32_601n);
  }
  const { text } = await service.request(
    `{"method":"getBalance","params":{"__proto__":{"address":"x"}},"password":"${PASSWORD}"}`,
  );
  expect(text).toBe('{"jsonrpc":"2.0","result":{"availableBalance":0,"lockedAmount":0}}');
});

test('yields to the event loop while the addresses of a large request are checked', async () => {
  const { tag, data } = decodeTagged(addressOf('bob'));
  const transfers = Array.from({ length: 2_000 }, (_none, i) => {
    const id = i.toString(16).padStart(64, '0');
    return { address: encodeTagged(tag, Buffer.concat([Buffer.from(id), data])), amount: 1 };
  });
  // Every time slice is used up, however fast the machine is.
  const isDue = jest.spyOn(EventLoopYielder.prototype, 'isDue', 'get').mockReturnValue(true);
  const yields = jest.spyOn(EventLoopYielder.prototype, 'yieldIfDue');
  try {
    const { error } = await service.call('sendTransaction', { transfers });
    expect(error?.data?.application_code).toBe(33n);
    expect(yields.mock.calls.length).toBeGreaterThan(100);
  } finally {
    for (const spy of [isDue, yields]) spy.mockRestore();
  }
});

async function raw(text: string): Promise<Socket> {
  const socket = connect(service.rpc.port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

const post = (body: string): string =>
  `POST /json_rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;

test('responds to pipelined requests in order while other sockets stay half open', async () => {
  for (let i = 0; i < 50; i++) await raw('POST /json_rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{');
  const ids = Array.from({ length: 20 }, (_none, i) => i);
  const socket = await raw(
    ids.map((id) => post(`{"id":${String(id)},"method":"getStatus","password":"${PASSWORD}"}`)).join(''),
  );
  let text = '';
  const answeredIds = (): number[] => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
  while (answeredIds().length < ids.length) text += String((await once(socket, 'data'))[0]);
  expect(answeredIds()).toEqual(ids);
  await isServing();
});

test('counts only wrong passwords, and checks one attempt per second after 100 of them', async () => {
  now = 600_000;
  const guess = (password: unknown): object => ({ id: 1, method: 'getViewKey', password });
  const batch = (entries: readonly object[]) =>
    service.request(JSON.stringify(entries), { headers: { 'X-JSON-RPC-Batch': '1' } });
  for (let i = 0; i < 110; i++) {
    const { text } = await service.request(JSON.stringify(guess([null, 1, {}, ''][i % 4])));
    expect(text).toContain('-32604');
  }
  await isServing();
  const { text } = await batch(Array.from({ length: 100 }, (_none, i) => guess(`guess ${String(i)}`)));
  expect(text.match(/-32604/g)).toHaveLength(100);
  // The owner waits for at most one second, because no other attempt waits.
  expect((await service.request(JSON.stringify(guess(PASSWORD)))).text).toContain('viewSecretKey');
});

test('overwrites an earlier export and no other file', async () => {
  for (const ending of ['', '.db', '.lock']) {
    const { error } = await service.call('export', { fileName: `a.container${ending}` });
    expect(error?.message).toBe('File exists');
  }
  await service.result('export', { fileName: 'plain.json' });
  await service.result('export', { fileName: 'plain.json' });
});

test('serves balances and stops while the node never responds', async () => {
  expect(await service.result('getBalance')).toEqual({ availableBalance: 0n, lockedAmount: 0n });
  const { error } = await service.call('getBlockHashes', { firstBlockIndex: 0, blockCount: 1 });
  expect(error?.message).toBe("Can't connect to daemon");
});
