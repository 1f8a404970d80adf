import { FairQueue, type FairQueueOptions } from '../../src';

/* The order in which queued calls start (docs/protocol/lessons.md#queries-of-disconnected-clients). */

interface Call {
  readonly name: string;
  readonly options: { readonly owner?: string; readonly lane?: string };
}

function queueOf(options: Partial<FairQueueOptions> = {}): FairQueue<Call> {
  return new FairQueue({ lanes: { light: Infinity }, capacity: 100, capacityPerOwner: () => 100, ...options });
}

const call = (owner: string, number: number, lane?: string): Call => ({
  name: `${owner}${String(number)}`,
  options: lane === undefined ? { owner } : { owner, lane },
});

/** Starts all calls that may start, and completes none. */
function begun(queue: FairQueue<Call>): string[] {
  const names: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) names.push(next.name);
  return names;
}

test('serves owners round-robin, for any number of queued calls', () => {
  const queue = queueOf();
  for (let i = 1; i <= 4; i++) queue.add(call('a', i));
  queue.add(call('b', 1));
  queue.add(call('c', 1));
  queue.add(call('b', 2));
  expect(begun(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('calls without an owner count as one owner', () => {
  const queue = queueOf();
  const nameless = [1, 2].map((i) => ({ name: `?${i}`, options: {} }));
  for (const one of nameless) queue.add(one);
  queue.add(call('b', 1));
  expect(begun(queue)).toEqual(['?1', 'b1', '?2']);
});

test('serves lanes round-robin, and never exceeds their limit', () => {
  const queue = queueOf({ lanes: { light: Infinity, heavy: 1 } });
  const heavy = [1, 2, 3].map((i) => call('h', i, 'heavy'));
  for (const one of heavy) queue.add(one);
  for (let i = 1; i <= 3; i++) queue.add(call('l', i));
  expect(begun(queue)).toEqual(['l1', 'h1', 'l2', 'l3']);
  expect(queue.size).toBe(2);
  queue.done(heavy[0]!);
  expect(begun(queue)).toEqual(['h2']);
  queue.add(call('l', 4, 'light'));
  queue.done(heavy[1]!);
  expect(begun(queue)).toEqual(['l4', 'h3']);
});

test('an endless series of light calls does not block a heavy one', () => {
  const queue = queueOf({ lanes: { light: Infinity, heavy: 1 } });
  queue.add(call('h', 1, 'heavy'));
  const order = [1, 2, 3, 4].map((i) => {
    queue.add(call('l', 2 * i));
    queue.add(call('l', 2 * i + 1));
    return queue.next()?.name;
  });
  expect(order).toContain('h1');
});

test('limits the queued calls of an owner', () => {
  const queue = queueOf({ capacityPerOwner: (owner) => (owner === 'local' ? 3 : 2) });
  const calls = ['a', 'local', 'b'].flatMap((owner) => [1, 2, 3, 4].map((i) => call(owner, i)));
  const refused = calls.map((one) => queue.add(one)?.name).filter((name) => name !== undefined);
  expect(refused).toEqual(['a3', 'a4', 'local4', 'b3', 'b4']);
  expect(queue.size).toBe(7);
});

describe('when the queue is full', () => {
  test('the latest call of the owner with the most calls is rejected', () => {
    const queue = queueOf({ capacity: 4 });
    for (let i = 1; i <= 3; i++) queue.add(call('a', i));
    expect(queue.add(call('b', 1))).toBeUndefined();
    expect(queue.add(call('c', 1))?.name).toBe('a3');
    expect(queue.add(call('b', 2))?.name).toBe('b2');
    expect(begun(queue)).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  test('for an owner in both lanes, the lane that was served last loses the call', () => {
    const queue = queueOf({ capacity: 2, lanes: { light: Infinity, heavy: 1 } });
    queue.add(call('a', 1));
    queue.add(call('a', 2, 'heavy'));
    expect(queue.add(call('b', 1))?.name).toBe('a2');
  });

  test('the owner with the most calls loses its new call', () => {
    const queue = queueOf({ capacity: 2 });
    queue.add(call('a', 1));
    queue.add(call('a', 2));
    expect(queue.add(call('a', 3))?.name).toBe('a3');
  });
});

test('a removed call frees its slot and is not run', () => {
  const queue = queueOf({ capacity: 2, capacityPerOwner: () => 2 });
  const [first, second] = [call('a', 1), call('a', 2)];
  queue.add(first);
  queue.add(second);
  queue.remove(first);
  queue.remove(first);
  expect(queue.size).toBe(1);
  expect(queue.add(call('a', 3))).toBeUndefined();
  expect(queue.clear().map(({ name }) => name)).toEqual(['a2', 'a3']);
  expect([queue.size, queue.next()]).toEqual([0, undefined]);
  expect(queue.add(call('a', 4))).toBeUndefined();
});

test('rejects an unknown lane', () => {
  expect(() => queueOf().add(call('a', 1, 'fast'))).toThrow('no lane fast');
  expect(() => queueOf({ lanes: {} })).toThrow(RangeError);
});
