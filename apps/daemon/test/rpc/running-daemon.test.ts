import { once } from 'node:events';
import { connect } from 'node:net';
import { readBinaryResponse, readSyncResponse } from '@wrkz/client';
import type { ChainService } from '../../src/chain/service';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

exercises('rpc-sync-cache-size');

/* A whole daemon with chain A over HTTP. */

const suite = newSuite();
let dataDir = '';
beforeAll(async () => void (dataDir = await suite.chainA()));
afterAll(() => suite.stopAll());

const range = { startHeight: 500, blockCount: 20 };

/** The body of a response, as bytes. */
async function bodyOf(url: string, requested: object): Promise<string> {
  const response = await fetch(`${url}/getwalletsyncdata`, { method: 'POST', body: JSON.stringify(requested) });
  expect(response.status).toBe(200);
  return response.text();
}

async function figures(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^wrkz_(\w+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );
}

test('a sync response is binary if the request accepts bytes, and JSON otherwise', async () => {
  const { url } = await suite.node({ from: dataDir });
  const read = async (accept: string): Promise<[type: string | null, blocks: string[]]> => {
    const request = { method: 'POST', body: JSON.stringify(range), headers: { Accept: accept } };
    const response = await fetch(`${url}/getwalletsyncdata`, request);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const body = Buffer.from(await response.arrayBuffer());
    const { blocks } = readBinaryResponse(body) ?? readSyncResponse(body);
    return [response.headers.get('content-type'), blocks.map(({ hash }) => hash)];
  };
  const json = await read('application/json');
  expect(json).toEqual(['application/json', expect.any(Array)]);
  expect(json[1]).toHaveLength(20);
  for (const accept of ['*/*', 'application/octet-stream;q=0', 'application/octet-stream2'])
    expect(await read(accept)).toEqual(json);
  for (const accept of ['Application/Octet-Stream', 'application/json;q=0.5, application/octet-stream;q=0.9'])
    expect(await read(accept)).toEqual(['application/octet-stream', json[1]]);
  const refused = await fetch(`${url}/getwalletsyncdata`, {
    method: 'POST',
    body: '{"blockCount":5000}',
    headers: { Accept: 'application/octet-stream' },
  });
  expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json']);
});

describe('cached sync responses', () => {
  test('have the same bytes, are counted, and are dropped after a rewind', async () => {
    const [keeping, plain] = await Promise.all([
      suite.node({ from: dataDir, args: ['--enable-metrics'] }),
      suite.node({ from: dataDir, args: ['--rpc-sync-cache-size', '0'] }),
    ]);
    const fresh = await bodyOf(plain.url, range);
    expect([await bodyOf(keeping.url, range), await bodyOf(keeping.url, range)]).toEqual([fresh, fresh]);
    const before = await figures(keeping.url);
    expect(before).toMatchObject({
      rpc_sync_cache_entries: 1,
      rpc_sync_cache_hits_total: 1,
      rpc_sync_cache_misses_total: 1,
      info_available: 1,
      height: keeping.height + 1,
      synchronized: 1,
    });
    expect(before['rpc_sync_cache_bytes']).toBeGreaterThan(fresh.length);
    const { chain } = keeping.daemon.parts as { chain: unknown } as { chain: ChainService };
    await chain.rewindTo(510);
    expect(await figures(keeping.url)).toMatchObject({
      rpc_sync_cache_entries: 0,
      rpc_sync_cache_bytes: 0,
      height: 511,
    });
    const { items } = JSON.parse(await bodyOf(keeping.url, range)) as { items: unknown[] };
    expect(items).toHaveLength(11);
  });
});

test('a request that has arrived when the daemon stops gets a complete response', async () => {
  const node = await suite.node({ from: dataDir });
  const body = JSON.stringify({ startHeight: 1, blockCount: 700 });
  // The reader threads have started by then: a stop waits for a response, not for their start.
  await bodyOf(node.url, { startHeight: 1, blockCount: 1 });
  const head = `POST /getwalletsyncdata HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = connect(Number(new URL(node.url).port), '127.0.0.1');
  socket.write(head);
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(String(first)).toContain('100 Continue');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.write(body);
  const stopped = node.stop();
  await once(socket, 'close');
  await stopped;
  const [, json = ''] = /^HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*\r\n(.*)$/s.exec(text) ?? [];
  expect((JSON.parse(json) as { items: unknown[] }).items.length).toBeGreaterThan(100);
  await expect(fetch(node.url)).rejects.toThrow();
});

test('--public-node allows every client to read and none to mine', async () => {
  const node = await suite.node({ from: dataDir, args: ['--public-node', '--rpc-bind-ip', '127.0.0.1'] });
  const page = { headers: { origin: 'https://wallet.example' } };
  const response = await fetch(`${node.url}/info`, page);
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  const call = { method: 'POST', body: '{"method":"getblocktemplate","params":{"wallet_address":"x"}}' };
  const refused = await fetch(`${node.url}/json_rpc`, call);
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { status: 'Failed', error: 'This node does not answer mining calls.' },
  ]);
});
