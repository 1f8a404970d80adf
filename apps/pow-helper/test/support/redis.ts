import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '@wrkz/testing';

/** A Redis that tests can kill, restart, pause and resume. */
export interface RedisServer {
  readonly url: string;
  /** A separate connection for the test. */
  client(): Redis;
  kill(): Promise<void>;
  /** Restarts Redis on its port, with the saved data. */
  restart(args?: readonly string[]): Promise<void>;
  /** Stops the process: connections succeed, but get no response. */
  pause(): void;
  resume(): void;
  /** Kills Redis, closes the clients and removes its files. */
  stop(): Promise<void>;
}

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** `describe` for tests that need redis-server; skips them if it is not installed. */
export const withRedis = hasRedis ? describe : describe.skip;

/** A separate Redis on a free loopback port, without snapshots. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'wrkz-redis-'));
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
  const clients: Redis[] = [];
  let child = await start(args);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    client() {
      const client = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false });
      client.on('error', () => undefined);
      clients.push(client);
      return client;
    },
    kill,
    async restart(more = []) {
      child = await start([...args, ...more]);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      for (const client of clients) client.disconnect();
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function start(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.once('exit', () => reject(new Error(`redis-server ended: ${output}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      // With a large dump Redis listens before it is ready.
      if (/ready to accept connections|Loading RDB/i.test(output)) resolve();
    });
  });
  return child;
}
