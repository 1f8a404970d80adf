import { canonicalHost } from '@wrkz/service-kit';
import type { ConsoleCommand, ConsolePeers } from '../command';

const USAGE = 'Usage: ban list | ban add <ip> [seconds] | ban delete <ip>\n';
const SECONDS = 900;
/** A ban that ends with the century is one for ever. */
const MAX_SECONDS = 0xffffffff;

export const ban: ConsoleCommand = {
  name: 'ban',
  help: 'Manage host bans: ban list | ban add <ip> [seconds] | ban delete <ip>',
  words: ['list', 'add', 'delete'],
  run: ({ peers, rpc }, words) => {
    const [action, host, seconds, ...more] = words;
    if (more.length > 0) return USAGE;
    if (action === 'list' && host === undefined) return list(peers, rpc.now());
    if (action === 'add' && host !== undefined) return add(peers, host, seconds);
    if (action === 'delete' && host !== undefined && seconds === undefined) return remove(peers, host);
    return USAGE;
  },
};

/** Under the names of other nodes of the CryptoNote family; addresses or CIDR ranges. */
export const getBans: ConsoleCommand = {
  name: 'getbans',
  help: 'List the bans: getbans',
  run: ({ peers, rpc }) => list(peers, rpc.now()),
};

const SET_USAGE = 'Usage: setbans <ip or range>[,...] [seconds, 0 lifts the ban]\n';

export const setBans: ConsoleCommand = {
  name: 'setbans',
  help: 'Ban addresses or ranges (1.2.0.0/16): setbans <ip or range>[,...] [seconds, 0 lifts the ban]',
  run: ({ peers }, [hosts, text, ...more]) => {
    if (hosts === undefined || more.length > 0) return SET_USAGE;
    const seconds = readSeconds(text);
    if (seconds === undefined) return 'Invalid ban seconds value\n';
    const results = hosts.split(',').map((host) => {
      if (seconds === 0) return peers.unban(host) ? `Ban removed for ${host}` : `Not banned: ${host}`;
      return peers.ban(host, seconds) ? `Ban added for ${host} (${seconds}s)` : `Invalid IP address or range: ${host}`;
    });
    return `${results.join('\n')}\n`;
  },
};

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return SECONDS;
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return seconds === undefined || seconds > MAX_SECONDS ? undefined : seconds;
}

function list(peers: ConsolePeers, now: number): string {
  const bans = peers.bans();
  if (bans.length === 0) return 'Ban list is empty.\n';
  return `Banned hosts:\n${bans.map(({ host, until }) => `  ${host} (${until - now}s remaining)\n`).join('')}`;
}

function add(peers: ConsolePeers, host: string, text: string | undefined): string {
  const seconds = readSeconds(text);
  if (seconds === undefined) return 'Invalid ban seconds value\n';
  if (seconds === 0) return 'Ban seconds must be greater than zero.\n';
  if (canonicalHost(host) === undefined || !peers.ban(host, seconds)) return `Invalid IP address: ${host}\n`;
  return `Ban added for ${host} (${seconds}s)\n`;
}

function remove(peers: ConsolePeers, host: string): string {
  if (canonicalHost(host) === undefined) return `Invalid IP address: ${host}\n`;
  return peers.unban(host) ? `Ban removed for ${host}\n` : 'IP not found in ban list.\n';
}
