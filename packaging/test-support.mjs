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
