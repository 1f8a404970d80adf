import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../scripts/lib/run.mjs';

/** Longest wait for a state, milliseconds. */
const TIMEOUT_MS = 300_000;

/** A transaction prefix without proof of work (hex): an input, an output, a nonce of 8 zero bytes. */
export const TRANSACTION_PREFIX = `01000102e807020102${'07'.repeat(32)}01840702${'07'.repeat(32)}0904${'00'.repeat(8)}`;

/** By service: what an administrator appends to the configuration. No program connects to a real network. */
export const SETTINGS = {
  daemon: 'network = devnet\nadd-exclusive-node = 127.0.0.1:1\n',
  'wallet-api': 'network = devnet\nrpc-password = secret\n',
  'wallet-rpc':
    'network = devnet\nrpc-password = secret\ncontainer-password = secret\nbind-port = 7857\ndaemon-port = 37856\n',
  'pow-helper': 'network = devnet\n',
  proposals: 'network = devnet\n',
};

/**
 * Polls until a state is reached; an error counts as not reached.
 * @param ended returns a reason if the state cannot be reached any more
 * @throws Failure after a timeout, or with that reason
 */
export async function until(state, isReached, ended = () => undefined) {
  const deadline = Date.now() + TIMEOUT_MS;
  for (let last; ; await pause(200)) {
    try {
      if (await isReached()) return;
    } catch (error) {
      last = error;
    }
    const reason = ended() || (Date.now() > deadline && 'timeout');
    if (reason) throw new Failure(`not reached: ${state}; ${reason}\n${last?.stack ?? ''}`);
  }
}
