import { randomBytes } from 'node:crypto';
import { errorText } from '@wrkz/service-kit';
import { SocksClient } from 'socks';
import { addressKey, type PeerAddress } from '../addresses';
import type { P2pLogger } from '../ports';
import { tcpTransport, type Transport } from './transport';

/** Timeout in milliseconds of a connection through a proxy: Tor builds a circuit first. */
const PROXY_CONNECT_TIMEOUT = 20_000;
/** Part of the library's error if the proxy responds that it cannot connect to the peer. */
const PEER_OFFLINE = 'proxy rejected connection';

/**
 * Opens all outgoing connections through a SOCKS5 proxy and resolves no host names: DNS would bypass the proxy. Listening is
 * unchanged. Each connection has random credentials, so that Tor uses a separate circuit for it (stream isolation); proxies
 * without authentication ignore them.
 */
export function proxyTransport(proxy: PeerAddress, logger: P2pLogger): Transport {
  let isReported = false;
  return {
    ...tcpTransport,
    async connect(address) {
      try {
        const { socket } = await SocksClient.createConnection({
          proxy: { ...proxy, type: 5, userId: randomText(), password: randomText() },
          command: 'connect',
          destination: address,
          timeout: PROXY_CONNECT_TIMEOUT,
        });
        isReported = false;
        // Until `PeerConnection` adds its own handler: an unhandled error event would end the process.
        socket.on('error', () => undefined);
        socket.setNoDelay(true);
        return socket;
      } catch (error) {
        const reason = errorText(error);
        const text = `no connection to ${addressKey(address)} through the proxy ${addressKey(proxy)}: ${reason}`;
        const isPeerOffline = reason.includes(PEER_OFFLINE);
        if (isPeerOffline || isReported) logger.debug(text);
        else logger.warning(`${text}. Is the proxy running?`);
        isReported = !isPeerOffline;
        return undefined;
      }
    },
    resolve: () => Promise.resolve([]),
  };
}

function randomText(): string {
  return randomBytes(16).toString('hex');
}
