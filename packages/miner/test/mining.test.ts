import { createInterface } from 'node:readline';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Daemon, readConfig } from '@wrkz/daemon';
import { encodeAddress } from '@wrkz/core-types';
import { createMemoryLogger, type MemoryLogger, silentLogger } from '@wrkz/service-kit';
import { TestWallet, StandInNode, Suite, freePort } from '@wrkz/testing';
import { ReconnectDelay, MiningProgram, readMinerConfig } from '../src';
import { HashRate } from '../src/hash-rate';

const address = encodeAddress(new TestWallet('miner'));
const make = (args: readonly string[]): Daemon => Daemon.create(readConfig(args), { logger: silentLogger() });
const suite = new Suite(make);
/** On simnet a block needs one hash. */
const cheap = new Suite(make, 'simnet');
const programs: MiningProgram[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  for (const server of servers.splice(0)) server.close();
  await suite.stopAll();
  await cheap.stopAll();
});

interface Running {
  readonly program: MiningProgram;
  readonly logger: MemoryLogger;
}

/** Starts a miner without backoff delays. */
async function mine(...args: string[]): Promise<Running> {
  const logger = createMemoryLogger();
  const clock = { wait: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  const reconnectDelay = new ReconnectDelay(() => 0, clock);
  const config = readMinerConfig(['--address', address, '--poll-interval', '0.1', ...args]);
  const program = new MiningProgram(config, { logger, reconnectDelay });
  programs.push(program);
  await program.start();
  return { program, logger };
}

describe('solo', () => {
  test("mines a new chain with a node's templates, through the first four block versions", async () => {
    const node = await suite.node();
    const { program } = await mine('--daemon', node.url, '--blocks', '4', '--threads', '1');
    expect(await program.finished).toBe(0);
    await program.stop();
    expect(program.accepted).toBe(4);
    expect(node.height).toBeGreaterThanOrEqual(4);
    await node.digest();
  });

  test('logs once that the node is unreachable, and continues when it is reachable again', async () => {
    const port = await freePort();
    const { program, logger } = await mine('--daemon', `http://127.0.0.1:${port}`, '--blocks', '1', '--threads', '1');
    expect(logger.linesOf('warning').length).toBeLessThanOrEqual(1);
    await cheap.node({ args: ['--rpc-bind-port', String(port)] });
    expect(await program.finished).toBe(0);
    expect(logger.linesOf('warning')).toHaveLength(1);
    expect(logger.linesOf('warning')[0]).toContain('the node cannot be reached');
    expect(logger.lines.join()).toContain('the node can be reached again');
  });

  test('submits at most --blocks blocks, counting pending ones', async () => {
    const node = await cheap.node();
    const stand = cheap.closeAtEnd(await StandInNode.start(node.url));
    const rate = jest.spyOn(HashRate.prototype, 'add');
    const searches = (): number => rate.mock.calls.filter(([hashes]) => hashes > 0n).length;
    let blocks = 0;
    stand.on('/json_rpc', async ({ body }, behind) => {
      if (body['method'] !== 'submitblock') return behind();
      blocks += 1;
      if (blocks === 1) {
        // While the first is pending, the tip changes and a block of the next template is found.
        const before = searches();
        await node.generate(address);
        await until(() => searches() > before);
      }
      return { json: { jsonrpc: '2.0', id: body['id'], result: { status: 'OK' } } };
    });
    const { program } = await mine('--daemon', `http://127.0.0.1:${stand.port}`, '--blocks', '1', '--threads', '1');
    expect(await program.finished).toBe(0);
    await program.stop();
    rate.mockRestore();
    expect([program.accepted, blocks]).toEqual([1, 1]);
  });
});

describe('over stratum', () => {
  test('finds blocks with the stratum server of a node', async () => {
    const port = await freePort();
    const node = await suite.node({ args: ['--stratum-bind-port', String(port)] });
    const args = ['--stratum', `127.0.0.1:${port}`, '--blocks', '3', '--threads', '1', '--rig-id', 'cellar'];
    const { program } = await mine(...args);
    expect(await program.finished).toBe(0);
    const [worker] = node.daemon.parts.stratum!.workers.list();
    expect(worker?.name).toBe(`${address}/cellar`);
    expect(worker?.blocks).toBeGreaterThanOrEqual(3);
    await program.stop();
    expect(program.accepted).toBe(worker?.blocks);
    await node.digest();
  });

  test('reconnects, and drops the work of a closed connection', async () => {
    const port = await freePort();
    const { program, logger } = await mine('--stratum', `127.0.0.1:${port}`, '--blocks', '2', '--threads', '1');
    const first = await cheap.node({ args: ['--stratum-bind-port', String(port)] });
    await until(() => program.accepted > 0);
    await first.stop();
    await until(() => program.statusText().includes('no work') || program.accepted >= 2);
    await cheap.node({ args: ['--stratum-bind-port', String(port)] });
    expect(await program.finished).toBe(0);
    expect(logger.linesOf('warning').join()).toContain(`no work from 127.0.0.1:${port}`);
  });

  it.each([
    ['no JSON', 'hello\n', 'the server sent an invalid message'],
    ['a line that is too long', 'x'.repeat(70_000), 'the server sent a line that is too long'],
    ['a job of another coin', respond({ id: 's', status: 'OK', job: { ...job(), algo: 'rx/0' } }), 'is not supported'],
    [
      'a refusal',
      `${JSON.stringify({ id: 1, error: { code: -1, message: 'go \x1b[2Jaway' } })}\n`,
      'go \\u001b[2Jaway',
    ],
    ['a login without a job', respond({ id: 's', status: 'OK' }), 'expected object'],
  ])('reconnects to a server that sends %s', async (_, text, reason) => {
    let connections = 0;
    const port = await serve((socket) => {
      connections += 1;
      socket.once('data', () => socket.write(text));
    });
    const { logger } = await mine('--stratum', `127.0.0.1:${port}`);
    await until(() => connections > 2);
    expect(logger.linesOf('warning')).toHaveLength(1);
    expect(logger.linesOf('warning')[0]).toContain(reason);
  });

  test('logs a refused share, and continues the search', async () => {
    const port = await serve((socket) => {
      let lines = '';
      socket.on('data', (bytes) => {
        lines += bytes.toString();
        for (const line of lines.split('\n').slice(0, -1)) {
          const { id, method } = JSON.parse(line) as { id: number; method: string };
          socket.write(method === 'login' ? respond({ id: 's', status: 'OK', job: job() }) : refusal(id));
        }
        lines = lines.slice(lines.lastIndexOf('\n') + 1);
      });
    });
    const { program, logger } = await mine('--stratum', `127.0.0.1:${port}`, '--threads', '1');
    await until(() => program.refused >= 3);
    expect(logger.linesOf('warning')[0]).toContain('was refused: Low difficulty share');
  });

  test('submits at most --blocks shares, counting pending ones', async () => {
    let [shares, results] = [0, 0];
    const port = await serve((socket) => {
      createInterface(socket).on('line', (line) => {
        const { id, method } = JSON.parse(line) as { id: number; method: string };
        if (method === 'login') return socket.write(respond({ id: 's', status: 'OK', job: job() }));
        shares += 1;
        // The first share is refused, so a third one is needed. Delayed responses let the miner submit all allowed shares first.
        const text = shares === 1 ? refusal(id) : respond({ status: 'OK' }, id);
        return setTimeout(() => socket.write(text, () => (results += 1)), 100);
      });
    });
    const { program } = await mine('--stratum', `127.0.0.1:${port}`, '--threads', '1', '--blocks', '2');
    expect(await program.finished).toBe(0);
    await program.stop();
    expect([program.accepted, program.refused, shares, results]).toEqual([2, 1, 3, 3]);
  });
});

const refusal = (id: number): string =>
  `${JSON.stringify({ id, error: { code: -1, message: 'Low difficulty share' }, result: null })}\n`;

function job(): object {
  return { blob: '07'.repeat(76), job_id: '1', target: 'ffffffffffffff00', height: 5, algo: 'cn/upx2' };
}

function respond(result: object, id = 1): string {
  return `${JSON.stringify({ id, jsonrpc: '2.0', error: null, result })}\n`;
}

async function serve(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

/** Waits for a condition, which is checked in each iteration of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
