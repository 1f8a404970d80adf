import { endpointText } from '@wrkz/service-kit';
import type { StratumServer } from '../../stratum/server';
import type { ConsoleCommand } from '../command';
import { grid, labelLines, rateText } from '../format';

const COLUMNS = ['Worker', 'Connections', 'Hashrate', 'Accepted', 'Stale', 'Rejected', 'Blocks', 'Last Share'] as const;

export const stratumStatus: ConsoleCommand = {
  name: 'stratum_status',
  help: 'Show the miners of the stratum server and their shares',
  run: ({ stratum }) => stratumStatusText(stratum, performance.now()),
};

/** @param server undefined if stratum is off @param now monotonic milliseconds of the server's clock */
export function stratumStatusText(server: StratumServer | undefined, now: number): string {
  if (server === undefined) return 'The stratum server is off.\n';
  const { host, port, connections, workers } = server;
  const loggedIn = connections.filter(({ session }) => session.login !== undefined).length;
  const rows = workers.list().map((worker) => {
    const { name, shares, blocks, lastShareAt } = worker;
    const lastShare = lastShareAt === undefined ? '-' : `${String(Math.floor((now - lastShareAt) / 1000))}s ago`;
    const counts = [shares.accepted, shares.stale, shares.rejected, blocks].map(String);
    return [name, String(worker.connections), rateText(worker.hashRate(now)), ...counts, lastShare];
  });
  const head = labelLines([
    ['Listening On', endpointText({ host, port })],
    ['Connections', `${String(connections.length)} (${String(loggedIn)} logged in)`],
  ]);
  return head + (rows.length === 0 ? 'No miner has logged in yet.\n' : grid(COLUMNS, rows));
}
