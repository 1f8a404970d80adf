import { LiveReceiver, OutcomeCounter } from '../../src/hooks/receiver';

test('a closed receiver delivers nothing', async () => {
  const deliver = jest.fn(() => Promise.resolve({ kind: 'delivered' } as const));
  const log = jest.fn();
  const receiver = new LiveReceiver({ deliver, counter: new OutcomeCounter(log), log });
  const event = { event: 'block', placeholders: {}, fields: {} };
  receiver.notify(event);
  await receiver.close();
  receiver.notify(event);
  await receiver.close();
  expect([deliver.mock.calls.length, receiver.behind]).toEqual([1, 0]);
});
