import { canonicalHost } from '@wrkz/service-kit';
import type { ConsoleCommand, ConsolePeers } from '../command';

const USAGE = 'Usage: ban list | ban add <ip> [seconds] | ban delete <ip>\n';
const SECONDS = 900;
/** A ban that ends with the century is one for ever. */
const MOST_SECONDS = 0xffffffff;

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

function list(peers: ConsolePeers, now: number): string {
  const bans = peers.bans();
  if (bans.length === 0) return 'Ban list is empty.\n';
  return `Banned hosts:\n${bans.map(({ host, until }) => `  ${host} (${until - now}s remaining)\n`).join('')}`;
}

function add(peers: ConsolePeers, host: string, text: string | undefined): string {
  const seconds = text === undefined ? SECONDS : /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  if (seconds === undefined || seconds > MOST_SECONDS) return 'Invalid ban seconds value\n';
  if (seconds === 0) return 'Ban seconds must be greater than zero.\n';
  if (canonicalHost(host) === undefined || !peers.ban(host, seconds)) return `Invalid IP address: ${host}\n`;
  return `Ban added for ${host} (${seconds}s)\n`;
}

function remove(peers: ConsolePeers, host: string): string {
  if (canonicalHost(host) === undefined) return `Invalid IP address: ${host}\n`;
  return peers.unban(host) ? `Ban removed for ${host}\n` : 'IP not found in ban list.\n';
}
