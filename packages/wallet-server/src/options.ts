import { networkNames } from '@wrkz/core-types';
import { POW_SERVER_OPTIONS } from '@wrkz/wallet-core';
import { parseNodeAddress } from './nodes';

/**
 * Start-up options of both wallet services, without the heading in `--help`.
 */

export const NETWORK_OPTION = {
  name: 'network',
  default: 'mainnet',
  choices: networkNames,
  help: 'Network whose rules, ports and address prefix apply',
} as const;

export const WORK_THREADS = {
  name: 'threads',
  type: 'number',
  default: undefined,
  max: 1024,
  defaultText: 'all hardware threads',
  help: 'Number of threads for proof of work and block scanning',
} as const;

export const SCAN_OPTIONS = [
  {
    name: 'scan-coinbase-transactions',
    default: false,
    help: 'Scan coinbase transactions; this is the default',
  },
  {
    name: 'skip-coinbase-transactions',
    default: false,
    aliases: ['skip-coinbase'],
    help: 'Do not scan coinbase transactions: faster, for wallets that never receive mining rewards',
  },
] as const;

export const BACKUP_OPTIONS = [
  {
    name: 'backup-every',
    default: 0,
    min: 0,
    max: 35_791,
    help: 'Minutes between backups of the open wallet into the directory backups beside it; 0 for none',
  },
  {
    name: 'backup-keep',
    default: 7,
    min: 1,
    help: 'Number of scheduled backups to retain per wallet',
  },
] as const;

export const NODE_FOLLOW_OPTIONS = [
  {
    name: 'sync-max-blocks',
    default: 1000,
    min: 1,
    max: 10_000,
    help: 'Maximum number of blocks per synchronization request',
  },
  {
    name: 'daemon-failover',
    default: [],
    help: 'Failover node, host:port or a socket, used while the nodes before it fail; may be repeated',
    validate: (value: string | number | boolean) =>
      parseNodeAddress(String(value)) === undefined
        ? 'must be host:port, [address]:port, or a socket: /path or @name'
        : undefined,
  },
  {
    name: 'daemon-token',
    type: 'string',
    default: undefined,
    secret: true,
    help: 'Access token sent to every node as X-API-KEY',
  },
  ...POW_SERVER_OPTIONS,
] as const;
