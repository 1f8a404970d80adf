import { type NodeCalls, NodeFailure, NodeList, type NodeFailureFacts, type NodeFailureKind } from '@wrkz/client';
import { StandInNode } from '@wrkz/testing';
import { SubmissionNode, TimedOutNodes } from '../../src/send/node';

const HASH = 'ab'.repeat(32);
const failing = (kind: NodeFailureKind, facts: NodeFailureFacts = {}) => {
  return (): Promise<never> => Promise.reject(new NodeFailure(kind, 'it failed', facts));
};
const nodeWith = (calls: Partial<NodeCalls>): SubmissionNode => new SubmissionNode(() => calls as NodeCalls);

test.each<[string, NodeFailureKind, NodeFailureFacts, object]>([
  ['no connection', 'unreachable', { isUnsent: true }, { kind: 'unavailable' }],
  ['a broken connection', 'unreachable', {}, { kind: 'uncertain', ended: false }],
  ['silence', 'timeout', {}, { kind: 'uncertain', ended: false }],
  ['another chain', 'foreignChain', {}, { kind: 'unavailable' }],
  ['500', 'failed', { status: 500 }, { kind: 'uncertain', ended: true }],
  // A proxy returns 503 as well if its connection to the node broke.
  ['503', 'failed', { status: 503 }, { kind: 'uncertain', ended: true }],
  ['429', 'rateLimited', { status: 429 }, { kind: 'uncertain', ended: true }],
  ['an invalid response', 'malformed', { status: 200 }, { kind: 'uncertain', ended: true }],
  // The proxy has given up; the node may still process the request.
  ['502', 'failed', { status: 502 }, { kind: 'uncertain', ended: false }],
  ['504', 'failed', { status: 504 }, { kind: 'uncertain', ended: false }],
  ['408', 'refused', { status: 408 }, { kind: 'uncertain', ended: false }],
  ['524', 'failed', { status: 524 }, { kind: 'uncertain', ended: false }],
])('the status %s of a transaction', async (_, kind, facts, result) => {
  expect(await nodeWith({ sendTransaction: failing(kind, facts) }).submit(Buffer.from('00', 'hex'))).toEqual(result);
});

test('a hash that is missing in a response does not count as unknown to the node', async () => {
  const places = { inBlock: [], inPool: [], unknown: [] };
  expect(await nodeWith({ transactionPlaces: () => Promise.resolve(places) }).transactionStatus(HASH)).toBe(
    'unavailable',
  );
  const absent = { ...places, unknown: [HASH] };
  expect(await nodeWith({ transactionPlaces: () => Promise.resolve(absent) }).transactionStatus(HASH)).toBe('unknown');
  expect(await nodeWith({ transactionPlaces: failing('timeout') }).transactionStatus(HASH)).toBe('unavailable');
});

test.each([
  ['an error, after which another one serves', { status: 500 }, 'uncertain'],
  ['a refusal', { json: { status: 'Failed', error: 'no' } }, 'refused'],
])(
  'the response of another node does not show that the receiving node lacks a transaction: %s',
  async (_, word, kind) => {
    const places = (known: readonly string[]) => ({
      json: {
        transactionsInBlock: [],
        transactionsInPool: known,
        transactionsUnknown: known.length > 0 ? [] : [HASH],
        status: 'OK',
      },
    });
    const info = {
      ...{ height: 9, network_height: 9, difficulty: 1, status: 'OK' },
      ...{ incoming_connections_count: 1, outgoing_connections_count: 1 },
    };
    let known: string[] = [];
    const [first, second] = await Promise.all([StandInNode.start(), StandInNode.start()]);
    for (const node of [first, second]) node.on('/info', () => ({ json: info }));
    first.on('/sendrawtransaction', () => word).on('/get_transactions_status', () => places(known));
    second.on('/get_transactions_status', () => places(known));
    const list = new NodeList([first, second].map(({ port }) => ({ host: '127.0.0.1', port, ssl: false })));
    try {
      const node = new SubmissionNode(() => list);
      expect(await node.submit(Buffer.from('00', 'hex'))).toMatchObject({ kind });
      expect(await node.transactionStatus(HASH)).toBe('unknown');
      await first.close();
      await list.info();
      expect(list.nodes()[1]?.isInUse).toBe(true);
      expect(await node.transactionStatus(HASH)).toBe('unavailable');
      known = [HASH];
      expect(await node.transactionStatus(HASH)).toBe('pool');
    } finally {
      list.close();
      await second.close();
    }
  },
);

test('a silent node is not retried immediately; another one is used', async () => {
  let now = 4_000;
  let requested = 0;
  const mute = { randomOuts: () => (requested++, failing('timeout')()) } as unknown as NodeCalls;
  const well = { randomOuts: () => Promise.resolve([]) } as unknown as NodeCalls;
  let serving = mute;
  const silent = new TimedOutNodes(() => now);
  const request = () => new SubmissionNode(() => serving, silent).randomOuts([1n], 3);
  for (let i = 0; i < 5; i++) expect(await request()).toEqual({ kind: 'unavailable' });
  expect(requested).toBe(1);
  now = 9_000;
  await request();
  expect(requested).toBe(2);
  serving = well;
  expect(await request()).toEqual({ kind: 'outs', sets: [] });
});

test('a shortage is reported by its code, and other errors than NodeFailure are rethrown', async () => {
  const short = nodeWith({ randomOuts: failing('refused', { status: 400, errorCode: 27 }) });
  expect(await short.randomOuts([1n], 3)).toEqual({ kind: 'tooFew' });
  const broken = nodeWith({ randomOuts: () => Promise.reject(new TypeError('a fault of ours')) });
  await expect(broken.randomOuts([1n], 3)).rejects.toThrow('a fault of ours');
});

test('only timeouts are recorded, on a monotonic clock', async () => {
  let requests = 0;
  const away = nodeWith({ randomOuts: () => (requests++, failing('unreachable')()) });
  for (let i = 0; i < 2; i++) expect(await away.randomOuts([1n], 3)).toEqual({ kind: 'unavailable' });
  expect(requests).toBe(2);
  const [node, other] = [{} as NodeCalls, {} as NodeCalls];
  const timedOut = new TimedOutNodes();
  timedOut.note(node);
  expect([timedOut.has(node), timedOut.has(other)]).toEqual([true, false]);
});

test.each([
  ['block', { inBlock: [HASH], inPool: [], unknown: [] }],
  ['pool', { inBlock: [], inPool: [HASH], unknown: [] }],
])('a transaction is in the %s', async (status, places) => {
  expect(await nodeWith({ transactionPlaces: () => Promise.resolve(places) }).transactionStatus(HASH)).toBe(status);
});

test('a faulty node is replaced if the list has another one', async () => {
  expect(await nodeWith({}).reportFaulty('it lies')).toBe(false);
  const list = new NodeList([{ host: '127.0.0.1', port: 1, ssl: false }]);
  const leave = jest.spyOn(list, 'leave').mockResolvedValue(true);
  expect(await new SubmissionNode(() => list).reportFaulty('it lies')).toBe(true);
  expect(leave).toHaveBeenCalledWith('it lies', undefined);
  list.close();
});
