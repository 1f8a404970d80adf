import { EventEmitter } from 'node:events';
import { Server } from 'node:http';
import { guardConnections } from '../src/http/connections';

/** A connection from an address, as far as the guard looks at it. */
class Caller extends EventEmitter {
  isOpen = true;

  constructor(readonly remoteAddress: string | undefined) {
    super();
  }

  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

/** Whether each caller is let in, one after the other, all staying. */
function guarded(maxPerAddress: number): (...addresses: (string | undefined)[]) => Caller[] {
  const server = new Server();
  guardConnections(server, maxPerAddress);
  return (...addresses) =>
    addresses.map((address) => {
      const caller = new Caller(address);
      server.emit('connection', caller);
      return caller;
    });
}

const open = (callers: readonly Caller[]): boolean[] => callers.map(({ isOpen }) => isOpen);

test('connections over the cap of their address are cut; one that ends makes room', () => {
  const come = guarded(2);
  const callers = come('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.2');
  expect(open(callers)).toEqual([true, true, false, true]);
  callers[0]?.destroy();
  expect(open(come('192.0.2.1', '192.0.2.1'))).toEqual([true, false]);
});

test('loopback has no cap, and 0 is none for anybody', () => {
  expect(open(guarded(1)('127.0.0.1', '::1', '127.0.0.1', undefined, undefined))).toEqual(Array(5).fill(true));
  expect(open(guarded(0)('192.0.2.1', '192.0.2.1'))).toEqual([true, true]);
});
