import type { PeerEntry } from '@wrkz/levin';
import { canonicalHost, endpointText } from '@wrkz/service-kit';
import type { ConsoleCommand, ConsolePeers } from '../command';
import { grid, intervalText, peerIdText, uptimeText } from '../format';

export const printPeerList: ConsoleCommand = {
  name: 'print_pl',
  help: 'Print peer list',
  run: ({ peers, rpc }) => {
    const { white, gray } = peers.peerEntries();
    const lines = (entries: readonly PeerEntry[]): string =>
      entries.map((entry) => `${peerLine(entry, rpc.now())}\n`).join('');
    return `Peerlist white:\n${lines(white)}Peerlist gray:\n${lines(gray)}`;
  },
};

function peerLine({ id, host, port, lastSeen }: PeerEntry, now: number): string {
  const seen = lastSeen === 0 ? 'never' : intervalText(now - lastSeen);
  return `${peerIdText(id)}\t${endpointText({ host, port })} \tlast_seen: ${seen}`;
}

const COLUMNS = ['Dir', 'Remote', 'Peer ID', 'State', 'Uptime', 'Height', 'Pruned', 'Batch', 'Fail'] as const;

export const printConnections: ConsoleCommand = {
  name: 'print_cn',
  help: 'Print connections',
  run: ({ peers, rpc }) => {
    const rows = peers
      .peers()
      .map((peer) => [
        peer.incoming ? 'IN' : 'OUT',
        peer.address,
        peerIdText(peer.peerId),
        peer.state.replaceAll('-', '_'),
        uptimeText(rpc.now() - peer.since),
        String(peer.height),
        peer.pruned ? 'yes' : 'no',
        String(peer.share?.batch ?? 0),
        String(peer.share?.failures ?? 0),
      ]);
    return `Connections:\n${rows.length === 0 ? '  none\n' : grid(COLUMNS, rows)}`;
  },
};

const USAGE = 'Usage: ban list | ban add <ip> [seconds] | ban delete <ip>\n';
const DEFAULT_SECONDS = 900;
/** About 136 years. */
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

/** The names of this command and of `setbans` in other CryptoNote nodes. */
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
  if (text === undefined) return DEFAULT_SECONDS;
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
