import type { Ledger } from '../../src/ledger/ledger';
import type { FinishedSend, SendRecords, Spender, SpendingView } from '../../src/wallet/ports';
import { SendDesk } from '../../src/send/sender';
import type { TestShapes } from './fakes';

test('what is finished once the wallet is closing does not leave, and nothing is written of it', async () => {
  const log: string[] = [];
  const closing = new AbortController();
  const built = { hash: 'a send' } as FinishedSend;
  const spender = {
    build: () => {
      closing.abort(new Error('closing'));
      return Promise.resolve(built);
    },
    dispatch: async (send: FinishedSend, records: SendRecords) => {
      await records.record(send);
      log.push('left');
    },
  } as unknown as Spender<TestShapes>;
  const ledger = {
    whileLeaving: <T>(_hash: string, leave: () => Promise<T>) => leave(),
    hasSend: () => false,
    recordSend: () => log.push('recorded'),
  } as unknown as Ledger;
  const desk = new SendDesk<TestShapes>(spender, {
    ledger,
    refusals: { inputsGone: () => new Error('gone') },
    view: () => ({}) as SpendingView,
    changed: () => log.push('changed'),
    save: () => Promise.resolve(void log.push('saved')),
    warn: () => undefined,
    now: () => 0,
    signal: closing.signal,
  } as unknown as ConstructorParameters<typeof SendDesk<TestShapes>>[1]);
  await expect(desk.send({ amount: 1n })).rejects.toThrow('closing');
  expect(log).toEqual([]);
});
