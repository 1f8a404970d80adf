import { randomBytes } from 'node:crypto';
import { errorText } from '@wrkz/service-kit';
import { SocksClient } from 'socks';
import { addressKey, type PeerAddress } from '../addresses';
import type { P2pLogger } from '../ports';
import { tcpTransport, type Transport } from './transport';

/** Timeout in milliseconds of a connection through a proxy: Tor builds a circuit first. */
const PROXY_CONNECT_TIMEOUT = 20_000;

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
        const text = `no connection to ${addressKey(address)} through the proxy ${addressKey(proxy)}: ${errorText(error)}`;
        // An offline peer causes the same error. Only the first failure after a success is likely caused by the proxy.
        if (isReported) logger.debug(text);
        else logger.warning(text);
        isReported = true;
        return undefined;
      }
    },
    resolve: () => Promise.resolve([]),
  };
}

function randomText(): string {
  return randomBytes(16).toString('hex');
}
