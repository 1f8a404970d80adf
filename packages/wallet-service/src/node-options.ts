import { networkNames } from '@wrkz/core-types';
import { powServerOptions } from '@wrkz/wallet-core';
import { readFailover } from './failover';

/** Whose rules, ports and addresses count. */
export function networkOption<const Group extends string>(group: Group) {
  return {
    name: 'network',
    type: 'string',
    default: 'mainnet',
    choices: networkNames,
    group,
    help: 'Whose rules, ports and addresses count',
  } as const;
}

/** Threads of this machine. */
export function workOptions<const Group extends string>(group: Group) {
  return [
    {
      name: 'threads',
      type: 'number',
      default: undefined,
      max: 1024,
      defaultText: 'all hardware threads',
      group,
      help: 'Threads that search proofs of work and scan blocks',
    },
  ] as const;
}

/** Whether coinbases are looked at. */
export function scanOptions<const Group extends string>(group: Group) {
  return [
    {
      name: 'scan-coinbase-transactions',
      type: 'boolean',
      default: false,
      group,
      help: 'Look at coinbases too, which is done anyway unless they are skipped',
    },
    {
      name: 'skip-coinbase-transactions',
      type: 'boolean',
      default: false,
      aliases: ['skip-coinbase'],
      group,
      help: 'Do not look at coinbases: for wallets that nobody mines to',
    },
  ] as const;
}

/** How nodes are followed, and who helps with proofs of work. */
export function nodeFollowOptions<const Group extends string>(group: Group) {
  return [
    {
      name: 'sync-max-blocks',
      type: 'number',
      default: 1000,
      min: 1,
      max: 10_000,
      group,
      help: 'The most blocks to ask a node for at once',
    },
    {
      name: 'daemon-failover',
      type: 'list',
      default: [],
      group,
      help: 'Another node, host:port or a socket, that serves while those before it do not; may be repeated',
      validate: (value: string | number | boolean) => failoverComplaint(String(value)),
    },
    {
      name: 'daemon-token',
      type: 'string',
      default: undefined,
      secret: true,
      group,
      help: 'Sent to every node as X-API-KEY',
    },
    ...powServerOptions(group),
  ] as const;
}

function failoverComplaint(text: string): string | undefined {
  return readFailover(text) === undefined
    ? 'must be host:port, [address]:port, or a socket: /path or @name'
    : undefined;
}
