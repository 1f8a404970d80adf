import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { networkOf } from '@wrkz/core-types';
import { Command, handshakeRequest, handshakeResponse } from '@wrkz/levin';
import { ScriptedServer } from '@wrkz/testing';
import { daemonCommandService } from '../../src/actions/commands';
import { firstDifference } from '../../src/actions/compare';
import { newSuite } from '../network/daemons';
import { temporaryDirectory } from '../support/temporary';

const suite = newSuite();
let data: string;
beforeAll(async () => {
  data = await suite.chainA();
});
afterAll(() => suite.stopAll());

/** Runs a command in this process. */
async function run(...argv: string[]): Promise<{ code: number | undefined; lines: string[] }> {
  const lines: string[] = [];
  const service = daemonCommandService(argv, (line) => lines.push(line));
  if (service === undefined) throw new Error('no such command');
  await service.start();
  return { code: await service.finished, lines };
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts an HTTP server. @returns its host and port */
async function httpServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return loopback((server.address() as AddressInfo).port);
}

/** Starts an HTTP server with the same response to each request. */
const fixedServer = (text: string): Promise<string> => httpServer((_request, response) => response.end(text));

/** Sends an endless response. */
const endless: RequestListener = (_request, response) => {
  const send = (): void => {
    while (response.write(Buffer.alloc(1024 * 1024, ' ')));
  };
  response.on('drain', send);
  send();
};

const loopback = (port: number): string => `127.0.0.1:${String(port)}`;

describe('wrkz-daemon probe', () => {
  it('prints the properties of the node at an address', async () => {
    const node = await suite.node({ from: data });
    const { code, lines } = await run('probe', loopback(node.daemon.ports.p2p), '--network', 'devnet');
    expect(code).toBe(0);
    const tip = node.daemon.parts.chain.tip();
    expect(lines).toEqual([
      loopback(node.daemon.ports.p2p),
      '  network       devnet',
      '  P2P version   19',
      expect.stringMatching(/^ {2}peer id {7}[0-9a-f]{16}$/),
      `  height        ${String(tip.height + 1)} blocks`,
      `  top block     ${tip.hash.toString('hex')}`,
      '  storage       full: all blocks',
      expect.stringMatching(/^ {2}clock {9}\d+ s (behind|ahead of) this machine$/),
      expect.stringMatching(/^ {2}peer port {5}\d+$/),
      '  peer list     0 IPv4, 0 IPv6',
      '  first block   that of the network',
      expect.stringMatching(/^ {2}responds in {3}\d+ ms$/),
    ]);
    const rpc = await run('probe', loopback(node.daemon.ports.rpc), '--network', 'devnet');
    expect(rpc).toMatchObject({ code: 0, lines: expect.arrayContaining(['  port          RPC, not P2P']) });
  });

  it('fails for a node of another network, a server of another kind and a closed port', async () => {
    const node = await suite.node({ from: data });
    const other = await run('probe', loopback(node.daemon.ports.p2p), '--network', 'simnet');
    expect(other).toMatchObject({ code: 1, lines: [expect.any(String), expect.stringContaining('another network')] });
    const silent = await ScriptedServer.listen();
    const pending = run('probe', loopback(silent.address.port), '--network', 'devnet');
    (await silent.caller()).end();
    expect((await pending).code).toBe(1);
    await silent.close();
    await expect(run('probe', '127.0.0.1:1')).rejects.toThrow('probe: no connection to 127.0.0.1:1');
    await expect(run('probe', '127.0.0.1:x')).rejects.toThrow('is not a host and port');
    await expect(run('probe')).rejects.toThrow('<address> is missing');
  });

  it('does not wait for the first block of a node that closes the connection after the handshake', async () => {
    const server = await ScriptedServer.listen();
    const pending = run('probe', loopback(server.address.port), '--network', 'devnet');
    const peer = await server.caller();
    const { nodeData, syncData } = handshakeRequest.decode((await peer.nextOf(Command.handshake)).body);
    peer.reply(Command.handshake, handshakeResponse.encode({ nodeData, syncData, peers: [], peers6: [] }));
    await peer.nextOf(Command.requestChain);
    peer.end();
    expect((await pending).lines).toContain('  first block   closes the connection after a chain request');
    await server.close();
  });

  it('prints no control characters and no long texts of a server', async () => {
    const info = { height: 1, version: '\u001b[2J\nroot', top_block_hash: 'x'.repeat(10_000) };
    const { lines } = await run('probe', await fixedServer(JSON.stringify(info)));
    expect(lines).toContain('  version       \\u001b[2J\\nroot');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(200);
  });

  it('stops reading a response without end', async () => {
    const { code } = await run('probe', await httpServer(endless));
    expect(code).toBe(1);
  });
});

describe('wrkz-daemon compare', () => {
  it('finds no difference between two nodes of one chain, and lists each difference of another', async () => {
    const [first, second] = [await suite.node({ from: data }), await suite.node({ from: data })];
    const own = `http://${loopback(first.daemon.ports.rpc)}`;
    const upstream = `http://${loopback(second.daemon.ports.rpc)}`;
    const equal = await run('compare', upstream, '--with', own, '--samples', '9');
    expect(equal.lines).toEqual([
      `${upstream} has 721 blocks, ${own} has 721`,
      'headers         9 equal',
      'wallet data     9 equal',
      'output indexes  9 equal',
      'rules digest    1 equal',
      'pool            0 and 0 transactions, 0 in both',
      'no difference up to block 710',
    ]);
    expect(equal.code).toBe(0);

    const changed = await httpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        void fetch(upstream + (request.url ?? ''), {
          method: request.method ?? 'GET',
          ...(body.length > 0 ? { body } : {}),
        })
          .then((sent) => sent.text())
          .then((text) =>
            response.end(
              text
                .replace(/"digest":"./, '"digest":"x')
                .replace(/"reward":\d+/, '"reward":1')
                .replace(/"timestamp":/, '"time":'),
            ),
          );
      });
    });
    const url = `http://${changed}`;
    const different = await run('compare', url, '--with', own, '--samples', '2');
    expect(different.code).toBe(1);
    expect(different.lines).toContain('headers         2 of 2 differ');
    expect(different.lines).toContain('rules digest    1 of 1 differ');
    expect(different.lines).toContainEqual(expect.stringMatching(/^ {2}block 710: reward: 1 and \d+$/));
  });

  it('reports the node that does not respond', async () => {
    await expect(run('compare', 'http://127.0.0.1:1', '--with', 'http://127.0.0.1:1')).rejects.toThrow(
      'compare: http://127.0.0.1:1/height: connect ECONNREFUSED',
    );
    await expect(run('compare', 'ftp://127.0.0.1')).rejects.toThrow('is not an address');
  });

  it.each([
    ['no JSON', '<html>', /\/height: unexpected character of JSON/],
    ['nesting', '['.repeat(100_000), /\/height: JSON is nested too deeply/],
    ['no height', '{}', /\/height: the height is no value/],
    ['a text as height', '{"height":"1"}', /\/height: the height is 1$/],
    ['a negative height', '{"height":-1}', /\/height: the height is -1/],
    ['a huge height', '{"height":1e300}', /\/height: the height is 1e\+300/],
    ['control characters', '{"height":"\\u001b[2J"}', /\/height: the height is \\u001b\[2J/],
    [
      'no header',
      '{"height":20,"error":{"message":"busy\\u001b"}}',
      /block 0: the response has no block header: busy\\u001b/,
    ],
  ])('refuses a node that responds with %s', async (_, text, message) => {
    const url = `http://${await fixedServer(text)}`;
    await expect(run('compare', url, '--with', url)).rejects.toThrow(message);
  });

  it('waits and repeats a request that a rate limit refuses, a few times', async () => {
    let requests = 0;
    const limitedTimes = (times: number): Promise<string> =>
      httpServer((_request, response) => {
        if (requests++ < times) response.writeHead(429, { 'Retry-After': '0' }).end('{}');
        else response.end('{"height":"reached"}');
      });
    const other = `http://${await fixedServer('{"height":5}')}`;
    const refusedBy = async (times: number): Promise<unknown> => {
      requests = 0;
      return run('compare', `http://${await limitedTimes(times)}`, '--with', other).catch(String);
    };
    expect(await refusedBy(3)).toContain('the height is reached');
    expect(await refusedBy(4)).toContain('/height: the rate limit of the node refuses the request');
    expect(requests).toBe(4);
  });

  it('follows no redirects', async () => {
    const url = await httpServer((_request, response) => response.writeHead(302, { location: '/other' }).end());
    await expect(run('compare', `http://${url}`, '--with', `http://${url}`)).rejects.toThrow('status code 302');
  });

  it('stops reading a response without end', async () => {
    const url = `http://${await httpServer(endless)}`;
    await expect(run('compare', url, '--with', url)).rejects.toThrow('maxContentLength');
  });

  it('prints no control characters and no long texts of a node', () => {
    const found = firstDifference({ a: `\u001b[2J${'x'.repeat(10_000)}` }, { a: '' });
    expect(found).toMatch(/^a: \\u001b\[2Jx+\.\.\. and $/);
    expect(firstDifference({ ['\u001b'.repeat(9_000)]: 1n }, {})?.length).toBeLessThan(1_000);
  });

  it.each([
    [{ a: [1n, { b: 'x' }] }, { a: [1n, { b: 'x' }] }, undefined],
    [{ a: [1n, { b: 'x' }] }, { a: [1n, { b: 'y' }] }, 'a[1].b: x and y'],
    [{ a: [1n] }, { a: [1n, 2n] }, 'a: 1 and 2 entries'],
    [{ a: 1n }, { c: 1n }, 'a: 1 and no value'],
    [{ a: [] }, { a: null }, 'a: another type and null'],
  ])('reports the path of the first difference of %j', (theirs, ours, difference) => {
    expect(firstDifference(theirs, ours)).toBe(difference);
  });
});

describe('wrkz-daemon compare-checkpoints', () => {
  const genesis = `0,${networkOf('devnet').genesis.hash.toString('hex')}\n`;
  const line = (height: number, digit: string): string => `${String(height)},${digit.repeat(64)}\n`;

  function file(text: string): string {
    const path = join(temporaryDirectory(), 'list.csv');
    writeFileSync(path, text);
    return path;
  }

  it('exits with 0 if all common heights have the same ids', async () => {
    const [first, second] = [file(genesis + line(100, 'a')), file(genesis + line(100, 'a') + line(200, 'b'))];
    expect(await run('compare-checkpoints', first, second)).toEqual({
      code: 0,
      lines: [
        '2 heights are in both lists, 0 only in the first, 1 only in the second',
        'The highest are 100 and 200',
        'The lists agree',
      ],
    });
  });

  it('exits with 1 for another id, for lists without a common height, and for a file that is not a list', async () => {
    const list = file(genesis + line(100, 'a'));
    const different = await run('compare-checkpoints', list, file(genesis + line(100, 'b')));
    expect(different.code).toBe(1);
    expect(different.lines).toContain(`block 100: ${'a'.repeat(64)} and ${'b'.repeat(64)}`);
    expect((await run('compare-checkpoints', list, file(line(300, 'c')))).code).toBe(1);
    await expect(run('compare-checkpoints', list, file('what'))).rejects.toThrow('checkpoint line 1');
    await expect(run('compare-checkpoints', list, '/nonexistent')).rejects.toThrow('cannot be read');
    await expect(run('compare-checkpoints', list)).rejects.toThrow('<other file> is missing');
  });
});
