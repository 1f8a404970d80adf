import type { StratumServer } from './server';

/** One row of the report. */
export interface WorkerStatus {
  readonly name: string;
  readonly connections: number;
  readonly accepted: number;
  readonly stale: number;
  readonly rejected: number;
  readonly blocks: number;
  /** Hashes a second, from the shares of the last ten minutes. */
  readonly hashRate: number;
  /** Seconds since the last share that counted; undefined before it. */
  readonly lastShare: number | undefined;
}

export interface StratumStatus {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly loggedIn: number;
  readonly workers: readonly WorkerStatus[];
}

/** What the miners on a server have done so far. @param now monotonic milliseconds, of the server's own clock */
export function stratumStatus(server: StratumServer, now: number): StratumStatus {
  const { host, port, connections } = server;
  const loggedIn = connections.filter(({ session }) => session.login !== undefined).length;
  const workers = server.workers.list().map((worker) => ({
    name: worker.name,
    connections: worker.connections,
    ...worker.shares,
    blocks: worker.blocks,
    hashRate: worker.hashRate(now),
    lastShare: worker.lastShareAt === undefined ? undefined : Math.floor((now - worker.lastShareAt) / 1000),
  }));
  return { host, port, connections: connections.length, loggedIn, workers };
}
