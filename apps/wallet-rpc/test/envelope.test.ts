import { setImmediate as turn } from 'node:timers/promises';
import { FinishedJson, silentLogger } from '@wrkz/service-kit';
import { z } from 'zod';
import type { WalletRpcContext } from '../src/context';
import { declareWalletMethod, type WalletRpcMethod } from '../src/methods/declare';
import { AttemptLimiter } from '@wrkz/wallet-server';
import { Envelope } from '../src/envelope';

const REQUEST = { http: { request: { headers: {}, socket: { remoteAddress: '127.0.0.1' } } } } as never;

const methodOf = (name: string, handle: () => Promise<unknown>): WalletRpcMethod =>
  declareWalletMethod({
    ...{ name, summary: name, params: z.object({}), paramsOptional: true, result: z.unknown(), errors: [] },
    handle,
  });

/** An envelope around methods, with what it has logged. */
function around(handlers: Readonly<Record<string, () => Promise<unknown>>>) {
  const logged: string[] = [];
  const envelope = new Envelope({
    methods: Object.entries(handlers).map(([name, handle]) => methodOf(name, handle)),
    password: undefined,
    logger: { ...silentLogger(), error: (text: string) => void logged.push(text) },
    attempts: new AttemptLimiter(),
  });
  const ask = (text: string): Promise<string> => envelope.answer(text, true, {} as WalletRpcContext, REQUEST);
  return { logged, ask };
}

test('an answer that was kept or printed in pieces bears the id of its own request', async () => {
  const { ask } = around({ kept: async () => new FinishedJson('{"x":1}') });
  expect(await ask('{"id":[null,7],"method":"kept"}')).toBe('{"id":[null,7],"jsonrpc":"2.0","result":{"x":1}}');
  expect(await ask('{"method":"kept"}')).toBe('{"jsonrpc":"2.0","result":{"x":1}}');
});

test('what nobody has foreseen is told with its text and the id, and is logged with the method', async () => {
  const { ask, logged } = around({ broken: () => Promise.reject(new Error('no disk')) });
  expect(await ask('{"id":3,"method":"broken"}')).toBe(
    '{"error":{"code":-32001,"message":"no disk"},"id":3,"jsonrpc":"2.0"}',
  );
  expect(logged).toEqual([expect.stringMatching(/^broken failed: Error: no disk/)]);
});

test('requests of a batch are answered each under its id, equal ones too, in their order', async () => {
  let count = 0;
  const { ask } = around({ next: async () => ++count });
  expect(
    await ask('[{"id":1,"method":"next"},{"id":1,"method":"next"},{"id":null,"method":"no"},{"method":"next"}]'),
  ).toBe(
    '[{"id":1,"jsonrpc":"2.0","result":1},{"id":1,"jsonrpc":"2.0","result":2},' +
      '{"error":{"code":-32601,"message":"Method not found"},"id":null,"jsonrpc":"2.0"},{"jsonrpc":"2.0","result":3}]',
  );
});

test('a batch of none is no request, and its id is not known', async () => {
  const { ask } = around({});
  expect(await ask('[]')).toBe('{"error":{"code":-3600,"message":"Invalid Request"},"id":null,"jsonrpc":"2.0"}');
});

test('others get their turn between the requests of a batch', async () => {
  let turns = 0;
  const seen: number[] = [];
  const { ask } = around({ look: async () => seen.push(turns) });
  const answered = ask(`[${Array(10).fill('{"method":"look"}').join(',')}]`);
  while (seen.length < 10) {
    await turn();
    turns++;
  }
  await answered;
  expect(new Set(seen).size).toBeGreaterThan(5);
});
