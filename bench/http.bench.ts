/**
 * Processor time of a small request in the server: `npm run bench -- http`. Bare `node:http`, the route table of service-kit,
 * and the same route through Express, alternating over one kept-alive connection. The client is another process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { bindRoutes, createHttpApp, routeDeclarer, silentLogger, startHttpServer } from '@wrkz/service-kit';
import { median, row, runBench } from './support/figures';
import { machine } from './support/machine';

const ROUNDS = 9;
const REQUESTS = 3_000;

const route = routeDeclarer<undefined>()({
  method: 'GET',
  path: '/height',
  summary: 'Heights.',
  guards: { key: true, limit: true },
  response: z.object({ height: z.bigint(), network_height: z.bigint(), status: z.string() }),
  errors: [],
  handle: () => ({ height: 4_213_000n, network_height: 4_213_000n, status: 'OK' }),
});
const BODY = '{"height":4213000,"network_height":4213000,"status":"OK"}';

/** The client process: sends requests and reports when they are done. */
function client(): void {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  process.on('message', ({ port, path }: { port: number; path: string }) => {
    void (async () => {
      for (let i = 0; i < REQUESTS; i++) {
        await new Promise<void>((resolve, reject) => {
          const sent = request({ port, path, agent }, (response) => void response.resume().on('end', resolve));
          sent.on('error', reject).end();
        });
      }
      process.send?.('done');
    })();
  });
}

async function main(): Promise<void> {
  console.log(machine());
  const never = (): Error => new Error('refused');
  const routes = bindRoutes([route], undefined, { notJson: never, invalid: never });
  const app = createHttpApp({ logger: silentLogger(), refusalBody: () => undefined, bodyLimit: 2 ** 21, routes });
  const limits = { maxRequestsPerConnection: 0 };
  const listen = [{ host: '127.0.0.1', port: 0 }];
  const served = await startHttpServer({ app, listen, logger: silentLogger(), limits });
  const bare = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(BODY);
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const targets = {
    'node:http alone': { port: (bare.address() as AddressInfo).port, path: '/height' },
    'route table': { port: served.port, path: '/height' },
    // A query is matched by Express.
    Express: { port: served.port, path: '/height?a=b' },
  };
  const child = fork(__filename, ['client'], { execArgv: process.execArgv });
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, target] of Object.entries(targets)) {
      const start = process.cpuUsage();
      child.send(target);
      await once(child, 'message');
      const { user, system } = process.cpuUsage(start);
      times.set(name, [...(times.get(name) ?? []), (user + system) / REQUESTS]);
    }
  }
  for (const [name, all] of times) console.log(row(name, [`${median(all).toFixed(0)} us`]));
  child.kill();
  bare.close();
  await served.close(0);
}

if (process.argv[2] === 'client') client();
else runBench(main);
