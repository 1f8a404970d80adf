import type { PeerEntry } from '@wrkz/levin';
import { endpointText } from '@wrkz/service-kit';
import type { ConsoleCommand } from '../command';
import { intervalText, peerIdText, uptimeText } from '../text/format';
import { grid } from '../text/tables';

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
