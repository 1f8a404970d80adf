import type { StratumStatus, WorkerStatus } from './status';

const COLUMNS: readonly { readonly title: string; readonly value: (worker: WorkerStatus) => string }[] = [
  { title: 'Worker', value: ({ name }) => name },
  { title: 'Connections', value: ({ connections }) => String(connections) },
  { title: 'Hashrate', value: ({ hashRate }) => hashRateText(hashRate) },
  { title: 'Accepted', value: ({ accepted }) => String(accepted) },
  { title: 'Stale', value: ({ stale }) => String(stale) },
  { title: 'Rejected', value: ({ rejected }) => String(rejected) },
  { title: 'Blocks', value: ({ blocks }) => String(blocks) },
  { title: 'Last Share', value: ({ lastShare }) => (lastShare === undefined ? '-' : `${String(lastShare)}s ago`) },
];

/** What the console command `stratum_status` prints; undefined stands for a server that is off. */
export function stratumStatusText(status: StratumStatus | undefined): string {
  if (status === undefined) return 'The stratum server is off.\n';
  const { host, port, connections, loggedIn, workers } = status;
  const head = [
    `Listening On: ${host.includes(':') ? `[${host}]` : host}:${String(port)}`,
    `Connections: ${String(connections)} (${String(loggedIn)} logged in)`,
  ];
  const rows = [COLUMNS.map(({ title }) => title), ...workers.map((one) => COLUMNS.map(({ value }) => value(one)))];
  const grid = workers.length === 0 ? ['No miner has logged in yet.'] : gridLines(rows);
  return [...head, ...grid, ''].join('\n');
}

/** Rows under a header, between borders. */
function gridLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const border = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const lines = rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`);
  const [header = '', ...body] = lines;
  return [border, header, border, ...body, border];
}

const UNITS = ['H/s', 'KH/s', 'MH/s', 'GH/s'] as const;

/** Steps of 1000, two decimals. */
function hashRateText(rate: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(rate, 1)) / 3)));
  return `${(rate / 1000 ** step).toFixed(2)} ${UNITS[step] ?? ''}`;
}
