import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { markConnection } from '@wrkz/service-kit';
import { AttemptLimiter } from '../src';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_PER_MINUTE = 100;
const MAX_WAITING = 16;

let now: number;
let ticks: (() => void)[];
let picked: number;
let limiter: AttemptLimiter;

beforeEach(() => {
  now = MINUTE_MS;
  ticks = [];
  picked = 0;
  limiter = new AttemptLimiter({
    now: () => now,
    delay: (ms) => {
      expect(ms).toBe(1_000);
      return new Promise<void>((resolve) => void ticks.push(resolve));
    },
    random: () => picked,
  });
});

function from(address: string): IncomingMessage {
  const socket = new Socket();
  markConnection(socket, address, 'open');
  return new IncomingMessage(socket);
}

/** Advances the clock by one second and runs the due timers. */
async function second(): Promise<void> {
  for (const tick of ticks.splice(0)) tick();
  await new Promise((resolve) => setImmediate(resolve));
}

const wrongKey = (request: IncomingMessage) => limiter.check(request, 'wrong', () => false);
const rightKey = (request: IncomingMessage) => limiter.check(request, 'right', () => true);

/** Starts an attempt with a wrong key. Adds its name to `judged` when it gets its result. */
function attempt(address: string, name: string, judged: string[], request = from(address)): Promise<void> {
  return wrongKey(request).then((refused) => void judged.push(refused?.status === 401 ? name : `${name} refused`));
}

async function fail(address: string, times = MAX_PER_MINUTE): Promise<void> {
  for (let i = 0; i < times; i++) await wrongKey(from(address));
}

test('does not count a request without a key', async () => {
  await fail('192.0.2.1');
  expect(await limiter.check(from('192.0.2.1'), '', () => true)).toMatchObject({ status: 401 });
});

test('admits attempts immediately up to the limit, and one per second above it', async () => {
  await fail('192.0.2.1', MAX_PER_MINUTE - 1);
  expect(await wrongKey(from('192.0.2.1'))).toMatchObject({ status: 401 });
  const judged: string[] = [];
  void attempt('192.0.2.1', 'a', judged);
  void attempt('192.0.2.1', 'b', judged);
  await attempt('192.0.2.2', 'other address', judged);
  expect(judged).toEqual(['other address']);
  await second();
  expect(judged).toEqual(['other address', 'a']);
  await second();
  expect(judged).toEqual(['other address', 'a', 'b']);
});

test('picks the next attempt at random', async () => {
  await fail('192.0.2.1');
  const judged: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) void attempt('192.0.2.1', name, judged);
  picked = 0.5;
  await second();
  picked = 0.99;
  await second();
  expect(judged).toEqual(['c', 'd']);
});

test('lets 16 attempts wait and refuses further ones with 429', async () => {
  await fail('192.0.2.1');
  const judged: string[] = [];
  for (let i = 0; i < MAX_WAITING; i++) void attempt('192.0.2.1', String(i), judged);
  expect(await wrongKey(from('192.0.2.1'))).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
  await second();
  void attempt('192.0.2.1', 'next', judged);
  await second();
  expect(judged).toEqual(['0', '1']);
});

test('gives the slot of a disconnected client to the next attempt', async () => {
  await fail('192.0.2.1');
  const judged: string[] = [];
  const left = from('192.0.2.1');
  void attempt('192.0.2.1', 'left', judged, left);
  for (let i = 1; i < MAX_WAITING; i++) void attempt('192.0.2.1', String(i), judged);
  left.socket.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  void attempt('192.0.2.1', 'last', judged);
  picked = 0.99;
  await second();
  expect(judged).toEqual(['left refused', 'last']);
});

test('admits all waiting attempts when the next minute begins', async () => {
  await fail('192.0.2.1');
  const judged: string[] = [];
  for (const name of ['a', 'b', 'c']) void attempt('192.0.2.1', name, judged);
  now += MINUTE_MS;
  await second();
  expect(judged.sort()).toEqual(['a', 'b', 'c']);
});

test('gives an address that presented a valid key a separate budget for 24 hours', async () => {
  await rightKey(from('2001:db8::1'));
  await fail('2001:db8::2');
  expect(await rightKey(from('2001:db8::1'))).toBeUndefined();
  const judged: string[] = [];
  void attempt('2001:db8::3', 'same network', judged);
  await new Promise((resolve) => setImmediate(resolve));
  expect(judged).toEqual([]);
  now += DAY_MS;
  await fail('2001:db8::2');
  void attempt('2001:db8::1', 'a day later', judged);
  await new Promise((resolve) => setImmediate(resolve));
  expect(judged).toEqual([]);
});

test('starts a new budget at the first valid key, so that the owner does not wait for an attacker at the same address', async () => {
  await fail('192.0.2.1');
  const judged: string[] = [];
  void rightKey(from('192.0.2.1')).then(() => judged.push('owner'));
  await second();
  expect(judged).toEqual(['owner']);
  expect(await rightKey(from('192.0.2.1'))).toBeUndefined();
  await fail('192.0.2.1');
  void attempt('192.0.2.1', 'after 100 failures', judged);
  await new Promise((resolve) => setImmediate(resolve));
  expect(judged).toEqual(['owner']);
});
