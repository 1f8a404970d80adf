import { Command, pingResponse } from '@wrkz/levin';
import { MemoryBudget } from '../../../src/p2p/connection/memory-budget';
import { tcpTransport } from '../../../src/p2p/connection/transport';
import { backPing } from '../../../src/p2p/session/back-ping';
import { systemClock, TestLogger } from '../fakes';
import { Harness } from '../harness';

const harness = new Harness();
afterEach(() => harness.stop());

/** Whether the back ping of a peer with id 5 succeeds when its port responds like this. */
async function believed(body: Buffer): Promise<boolean> {
  const server = await harness.server();
  const parts = {
    transport: tcpTransport,
    clock: systemClock,
    logger: new TestLogger(),
    memory: new MemoryBudget(),
  };
  const requested = backPing(server.address, 5n, parts);
  const caller = await server.caller();
  await caller.nextOf(Command.ping);
  caller.reply(Command.ping, body);
  const result = await requested;
  caller.end();
  expect(parts.memory.inUse).toBe(0);
  return result;
}

describe('a back ping to an incoming peer', () => {
  it.each([
    ['its id and OK', pingResponse.encode({ status: 'OK', peerId: 5n }), true],
    ['another id', pingResponse.encode({ status: 'OK', peerId: 6n }), false],
    ['another status', pingResponse.encode({ status: 'BUSY', peerId: 5n }), false],
    ['no status', pingResponse.encode({ status: '', peerId: 5n }), false],
    ['nothing', Buffer.alloc(0), false],
    ['nonsense', Buffer.from('no section'), false],
  ])('receives %s', async (_what, body, right) => {
    expect(await believed(body)).toBe(right);
  });
});
