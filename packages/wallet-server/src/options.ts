import { networkNames } from '@wrkz/core-types';
import { powServerOptions } from '@wrkz/wallet-core';
import { parseNodeAddress } from './nodes';

/**
 * Start-up options of both wallet services. Each function has the heading in `--help` as parameter.
 */

export function networkOption<const Group extends string>(group: Group) {
  return {
    name: 'network',
    type: 'string',
    default: 'mainnet',
    choices: networkNames,
    group,
    help: 'Network whose rules, ports and address prefix apply',
  } as const;
}

export function workOptions<const Group extends string>(group: Group) {
  return [
    {
      name: 'threads',
      type: 'number',
      default: undefined,
      max: 1024,
      defaultText: 'all hardware threads',
      group,
      help: 'Number of threads for proof of work and block scanning',
    },
  ] as const;
}

export function scanOptions<const Group extends string>(group: Group) {
  return [
    {
      name: 'scan-coinbase-transactions',
      type: 'boolean',
      default: false,
      group,
      help: 'Scan coinbase transactions; this is the default',
    },
    {
      name: 'skip-coinbase-transactions',
      type: 'boolean',
      default: false,
      aliases: ['skip-coinbase'],
      group,
      help: 'Do not scan coinbase transactions: faster, for wallets that never receive mining rewards',
    },
  ] as const;
}

export function backupOptions<const Group extends string>(group: Group) {
  return [
    {
      name: 'backup-every',
      type: 'number',
      default: 0,
      min: 0,
      max: 35_791,
      group,
      help: 'Minutes between backups of the open wallet into the directory backups beside it; 0 for none',
    },
    {
      name: 'backup-keep',
      type: 'number',
      default: 7,
      min: 1,
      group,
      help: 'Number of scheduled backups to retain per wallet',
    },
  ] as const;
}

export function nodeFollowOptions<const Group extends string>(group: Group) {
  return [
    {
      name: 'sync-max-blocks',
      type: 'number',
      default: 1000,
      min: 1,
      max: 10_000,
      group,
      help: 'Maximum number of blocks per synchronization request',
    },
    {
      name: 'daemon-failover',
      type: 'list',
      default: [],
      group,
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
      group,
      help: 'Access token sent to every node as X-API-KEY',
    },
    ...powServerOptions(group),
  ] as const;
}
