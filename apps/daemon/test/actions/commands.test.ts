import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { networkOf } from '@wrkz/core-types';
import { ScriptedServer } from '@wrkz/testing';
import { oneShotService } from '../../src/actions/commands';
import { firstDifference } from '../../src/actions/compare';
import { newSuite } from '../network/daemons';
import { temporaryDirectory } from '../support/temporary';

jest.setTimeout(120_000);

const suite = newSuite();
let data: string;
beforeAll(async () => {
  data = await suite.chainA();
});
afterAll(() => suite.stopAll());

/** Runs a command in this process. */
async function run(...argv: string[]): Promise<{ code: number | undefined; lines: string[] }> {
  const lines: string[] = [];
  const service = oneShotService(argv, (line) => lines.push(line));
  if (service === undefined) throw new Error('no such command');
  await service.start();
  return { code: await service.finished, lines };
}

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
      'pool            0 and 0 transactions, 0 in both',
      'no difference up to block 710',
    ]);
    expect(equal.code).toBe(0);

    const changed = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        void fetch(upstream + (request.url ?? ''), {
          method: request.method ?? 'GET',
          ...(body.length > 0 ? { body } : {}),
        })
          .then((sent) => sent.text())
          .then((text) => response.end(text.replace(/"reward":\d+/, '"reward":1').replace(/"timestamp":/, '"time":')));
      });
    });
    await once(changed.listen(0, '127.0.0.1'), 'listening');
    const url = `http://${loopback((changed.address() as AddressInfo).port)}`;
    const different = await run('compare', url, '--with', own, '--samples', '2');
    expect(different.code).toBe(1);
    expect(different.lines).toContain('headers         2 of 2 differ');
    expect(different.lines).toContainEqual(expect.stringMatching(/^ {2}block 710: reward: 1 and \d+$/));
    await new Promise((closed) => changed.close(closed));
  });

  it('reports the node that does not respond', async () => {
    await expect(run('compare', 'http://127.0.0.1:1', '--with', 'http://127.0.0.1:1')).rejects.toThrow(
      'compare: http://127.0.0.1:1/height: connect ECONNREFUSED',
    );
    await expect(run('compare', 'ftp://127.0.0.1')).rejects.toThrow('is not an address');
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
