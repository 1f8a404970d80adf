import { setImmediate as turn } from 'node:timers/promises';
import { FinishedJson, silentLogger } from '@wrkz/service-kit';
import { z } from 'zod';
import type { WalletRpcContext } from '../src/context';
import { declareWalletMethod, type WalletRpcMethod } from '../src/methods/declare';
import { Envelope } from '../src/envelope';

const REQUEST = { http: { request: { headers: {}, socket: { remoteAddress: '127.0.0.1' } } } } as never;

const methodOf = (name: string, handle: () => Promise<unknown>): WalletRpcMethod =>
  declareWalletMethod({
    ...{ name, summary: name, params: z.object({}), result: z.unknown(), errors: [] },
    handle,
  });

/** An envelope with these methods, and its log. */
function around(handlers: Readonly<Record<string, () => Promise<unknown>>>) {
  const logged: string[] = [];
  const log = (text: string): void => void logged.push(text);
  const envelope = new Envelope({
    methods: Object.entries(handlers).map(([name, handle]) => methodOf(name, handle)),
    judge: async () => undefined,
    logger: { ...silentLogger(), error: log, warning: log },
  });
  const respond = (text: string): Promise<string> => envelope.execute(text, true, {} as WalletRpcContext, REQUEST);
  return { logged, query: respond };
}

test('a stored result and one printed in pieces have the id of their own request', async () => {
  const { query: respond } = around({ kept: async () => new FinishedJson('{"x":1}') });
  expect(await respond('{"id":[null,7],"method":"kept"}')).toBe('{"id":[null,7],"jsonrpc":"2.0","result":{"x":1}}');
  expect(await respond('{"method":"kept"}')).toBe('{"jsonrpc":"2.0","result":{"x":1}}');
});

test('an unexpected error returns its text and the id, and is logged with the method', async () => {
  const { query: respond, logged } = around({ broken: () => Promise.reject(new Error('no disk')) });
  expect(await respond('{"id":3,"method":"broken"}')).toBe(
    '{"error":{"code":-32001,"message":"no disk"},"id":3,"jsonrpc":"2.0"}',
  );
  expect(logged).toEqual([expect.stringMatching(/^broken failed: Error: no disk/)]);
});

test('the reason of a failed write is logged with the method', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const { query: respond, logged } = around({ save: () => Promise.reject(full) });
  expect(await respond('{"id":3,"method":"save"}')).toContain('"application_code":5');
  expect(logged).toEqual(['save failed: database or disk is full']);
});

test('responses of a batch have the order and the ids of its requests, equal ids included', async () => {
  let count = 0;
  const { query: respond } = around({ next: async () => ++count });
  expect(
    await respond('[{"id":1,"method":"next"},{"id":1,"method":"next"},{"id":null,"method":"no"},{"method":"next"}]'),
  ).toBe(
    '[{"id":1,"jsonrpc":"2.0","result":1},{"id":1,"jsonrpc":"2.0","result":2},' +
      '{"error":{"code":-32601,"message":"Method not found"},"id":null,"jsonrpc":"2.0"},{"jsonrpc":"2.0","result":3}]',
  );
});

test('an empty batch is an invalid request without an id', async () => {
  const { query: respond } = around({});
  expect(await respond('[]')).toBe('{"error":{"code":-3600,"message":"Invalid Request"},"id":null,"jsonrpc":"2.0"}');
});

test('a repeated name is refused like malformed JSON, also in params: it may be an amount', async () => {
  const { query: respond } = around({ kept: async () => 1 });
  for (const text of ['{"method":"kept","method":"kept"}', '{"method":"kept","params":{"a":1,"a":5000}}']) {
    expect(await respond(text)).toBe('{"error":{"code":-32700,"message":"Parse error"},"id":null,"jsonrpc":"2.0"}');
  }
});

test('yields to the event loop between the requests of a batch', async () => {
  let turns = 0;
  const seen: number[] = [];
  const { query: respond } = around({ look: async () => seen.push(turns) });
  const answered = respond(`[${Array(10).fill('{"method":"look"}').join(',')}]`);
  while (seen.length < 10) {
    await turn();
    turns++;
  }
  await answered;
  expect(new Set(seen).size).toBeGreaterThan(5);
});
