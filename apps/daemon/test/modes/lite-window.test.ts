import { EventEmitter } from 'node:events';
import { networkOf } from '@wrkz/core-types';
import { LiteWindow } from '../../src/chain/lite-window';
import { type LiteRuleDependencies, watchLiteRule } from '../../src/wiring/storage';

const H = 4_000_000;
const TOP = H + 20_160;
const text = (lite: number, window: number, top: number, highest: number): string =>
  `--lite-height ${lite} is too close to the network top (${top}, the tallest chain seen across 4 peers). A lite node must keep ` +
  `at least ${window} blocks of full data above its lite height so a reorg can never reach the part it did not store. The ` +
  `highest value this network currently allows is ${highest}. Delete the data directory and restart with a lower --lite-height.`;

test('is decided by the own chain alone', () => {
  const rule = new LiteWindow(H, 20_160);
  rule.own(TOP - 1);
  expect(rule.isSettled).toBe(false);
  rule.own(TOP);
  expect(rule.isSettled).toBe(true);
  for (const peer of 'abcde') expect(rule.claim(peer, 5)).toBeUndefined();
});

test('is decided permanently by one high chain, independently of later reports', () => {
  const rule = new LiteWindow(H, 20_160);
  expect(['a', 'b', 'c'].map((peer) => rule.claim(peer, TOP - 1))).toEqual([undefined, undefined, undefined]);
  expect(rule.claim('d', TOP)).toBeUndefined();
  expect([rule.isSettled, rule.claim('e', 1)]).toEqual([true, undefined]);
});

test('fails the start at the fourth peer that reports a low height; zeros and repetitions do not count', () => {
  const rule = new LiteWindow(H, 20_160);
  const reports = [
    ['a', 100],
    ['a', 200],
    ['b', 0],
    ['b', H + 5],
    ['c', 7],
    ['d', 0],
    ['a', 300],
  ] as const;
  for (const [peer, height] of reports) expect(rule.claim(peer, height)).toBeUndefined();
  expect(rule.claim('d', TOP - 1)).toBe(text(H, 20_160, TOP - 1, H - 1));
});

describe('the lite window check in a node', () => {
  const node = (storage: LiteRuleDependencies['storage'], height: number) => {
    const [chain, peers] = [new EventEmitter(), new EventEmitter()];
    const stopped: string[] = [];
    const end = watchLiteRule({
      storage,
      network: networkOf('devnet'),
      reader: { height: () => height },
      chain: chain,
      peers: peers as unknown as LiteRuleDependencies['peers'],
      stop: (reported) => stopped.push(reported),
    });
    const claim = (peer: string, claimed: number, incoming = false): unknown =>
      peers.emit('claimed', { peer, incoming, height: claimed });
    const listeners = (): number => chain.listenerCount('commit') + peers.listenerCount('claimed');
    return { claim, stopped, listeners, end, grow: (top: number) => chain.emit('commit', { tip: { height: top } }) };
  };
  const lite = { kind: 'lite', height: 700 } as const;

  test('uses the window of the network: 40 blocks on devnet', () => {
    const { claim, stopped, listeners } = node(lite, 0);
    for (const peer of 'abc') claim(peer, 739);
    for (const peer of 'efgh') claim(peer, 739, true);
    expect([stopped, listeners()]).toEqual([[], 2]);
    claim('d', 0);
    claim('d', 739);
    expect([stopped, listeners()]).toEqual([[text(700, 40, 739, 699)], 0]);
  });

  test('is decided by the stored chain, by its growth, or by a peer; other modes do not check', () => {
    expect(node(lite, 739).listeners()).toBe(0);
    expect(node({ kind: 'full' }, 0).listeners()).toBe(0);
    const growing = node(lite, 738);
    growing.grow(739);
    const reported = node(lite, 0);
    reported.claim('a', 740);
    const ended = node(lite, 0);
    ended.end();
    for (const one of [growing, reported, ended]) expect([one.listeners(), one.stopped]).toEqual([0, []]);
  });
});
