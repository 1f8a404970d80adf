import { join } from 'node:path';
import { top } from '../scripts/lib/workspace.mjs';

/** A program of apps/ with a systemd unit: `service` as in the names of its files below /etc and /var/lib, `title` of the unit. */
const app = (service, title, description) => ({
  name: `wrkz-${service}`,
  folder: `apps/${service}`,
  service,
  title,
  description,
});

/** The programs with a systemd unit. */
export const services = [
  app('daemon', 'WrkzCoin node', 'WrkzCoin node: verifies, stores and serves the chain'),
  app('wallet-api', 'WrkzCoin wallet over HTTP', 'WrkzCoin wallet over HTTP'),
  app('wallet-rpc', 'WrkzCoin wallet over JSON-RPC', 'WrkzCoin wallet over JSON-RPC'),
  app('pow-helper', 'WrkzCoin proof-of-work helper', 'computes the proof of work of WrkzCoin transactions'),
  app('proposals', 'WrkzCoin proposal listing', 'lists the funding proposals of WrkzCoin'),
];

/**
 * What is shipped: `name` of the executable and of its Debian package, `folder` of the package whose `dist/main.js` it
 * runs, and the `description` of the Debian package.
 */
export const programs = [
  ...services,
  { name: 'wrkz-miner', folder: 'packages/miner', description: 'mines WrkzCoin with a node or over stratum' },
];

/** The folder of the built executables. */
export const release = join(top, 'release');
