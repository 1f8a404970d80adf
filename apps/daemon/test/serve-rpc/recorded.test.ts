import type { SuiteNode } from '@wrkz/testing';
import type { Daemon } from '../../src/daemon';
import { newSuite } from '../network/daemons';
import { allRows, type Recorded, send } from '../rpc/support/recorded';
import { nodeWithReader, type NodeWithReader } from './support/reader';

/*
 * The responses of a reader and of its node are equal to the byte: every recorded request is sent to both. Requests that change the node are
 * sent to a copy of it.
 */

/** How node and reader are started, and the recorded daemons whose rows are put to them. */
const STARTED: readonly (readonly [args: readonly string[], rows: readonly Recorded['daemon'][]])[] = [
  [
    ['--daemon-mode', 'explorer', '--enable-cors', '*'],
    ['full', 'cors'],
  ],
  [[], ['default']],
];

const suite = newSuite();
let imported: string;

beforeAll(async () => {
  imported = await suite.chainA();
});
afterAll(() => suite.stopAll());

type Answer = Awaited<ReturnType<typeof send>>;

/** Headers that differ between responses. */
const OF_ONE = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);

const headersOf = ({ headers }: Answer): unknown =>
  Object.entries(headers)
    .filter(([name]) => !OF_ONE.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Random parts: keys and time of the coinbase in a template, and decoys. */
function unsteady(response: Answer): string {
  return response.text
    .replace(/"(blocktemplate_blob|out_key)":"[0-9a-f]+"/g, '"$1":""')
    .replace(/"global_amount_index":\d+/g, '"global_amount_index":0')
    .replace(/"start_time":\d+/, '"start_time":0');
}

const changes = ({ path, body }: Recorded): boolean =>
  path === '/sendrawtransaction' || (path === '/json_rpc' && (body ?? '').includes('submitblock'));
const isDrawn = ({ path, body }: Recorded): boolean =>
  path === '/getrandom_outs' || (path === '/json_rpc' && (body ?? '').includes('getblocktemplate'));

describe.each(STARTED)('a reader of a node with %j', (args, names) => {
  let pair: NodeWithReader;
  let twin: SuiteNode<Daemon>;

  beforeAll(async () => {
    pair = await nodeWithReader(suite, { from: imported, nodeArgs: args, args });
    twin = await suite.node({ from: imported, args });
  });

  test('returns the recorded responses like the node', async () => {
    const rows = allRows().filter(({ daemon }) => names.includes(daemon));
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      const read = await send(pair.reader.url, row);
      const requested = await send(changes(row) ? twin.url : pair.node.url, row);
      const text = isDrawn(row) ? unsteady : ({ text: whole }: Answer) => whole;
      expect([row.id, read.status, text(read)]).toEqual([row.id, requested.status, text(requested)]);
      if (!isDrawn(row)) expect([row.id, headersOf(read)]).toEqual([row.id, headersOf(requested)]);
    }
  });

  test('compresses and omits bodies like the node', async () => {
    for (const [path, method, body] of [
      ['/info', 'HEAD', null],
      ['/peers', 'HEAD', null],
      ['/peers', 'GET', null],
      ['/openapi.json', 'GET', null],
      ['/docs', 'GET', null],
      ['/events?after=0&limit=3', 'GET', null],
      ['/events?after=x', 'GET', null],
      ['/getrawblocks', 'POST', '{"startHeight":1,"blockCount":20}'],
      ['/get_pool_changes_lite', 'POST', `{"tailBlockId":"${'0'.repeat(64)}","knownTxsIds":[]}`],
    ] as const) {
      const row = { method, path, body, requestHeaders: { 'Accept-Encoding': 'gzip' } };
      const [read, requested] = [await send(pair.reader.url, row), await send(pair.node.url, row)];
      expect([path, read.status, read.text, headersOf(read)]).toEqual([
        path,
        requested.status,
        requested.text,
        headersOf(requested),
      ]);
    }
  });
});
