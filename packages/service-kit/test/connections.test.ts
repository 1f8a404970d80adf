import { EventEmitter } from 'node:events';
import { Server } from 'node:http';
import { countedAddress } from '../src';
import { Connections, type ConnectionRules } from '../src/http/connections';

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
function guarded(
  maxPerAddress: number,
  rules: Partial<ConnectionRules> = {},
): (...addresses: (string | undefined)[]) => Caller[] {
  const server = new Server();
  new Connections(server, { kind: 'open', isExempt: () => false, maxPerAddress, ...rules });
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

test('IPv6 is counted by /64', () => {
  const callers = guarded(2)('2001:db8::1', '2001:db8::2', '2001:db8::ffff:1:2:3', '2001:db8:0:1::1');
  expect(open(callers)).toEqual([true, true, false, true]);
});

test('loopback has no cap, and 0 is none for anybody', () => {
  expect(open(guarded(1)('127.0.0.1', '::1', '127.0.0.1', '::ffff:127.0.0.9'))).toEqual(Array(4).fill(true));
  expect(open(guarded(0)('192.0.2.1', '192.0.2.1'))).toEqual([true, true]);
});

test('who is exempt has no cap either', () => {
  const come = guarded(1, { isExempt: (address) => address === '192.0.2.7' });
  expect(open(come('192.0.2.7', '192.0.2.7', '192.0.2.8', '192.0.2.8'))).toEqual([true, true, true, false]);
});

test('a TCP connection without an address is cut; on a local socket all are without one', () => {
  expect(open(guarded(0)(undefined, ''))).toEqual([false, false]);
  expect(open(guarded(1, { kind: 'local' })(undefined, undefined))).toEqual([true, true]);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['local', 'local'],
  ['a:b', 'a:b'],
])('limits count %s as %s', (address, counted) => expect(countedAddress(address)).toBe(counted));
