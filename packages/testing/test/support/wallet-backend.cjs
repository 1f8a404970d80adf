'use strict';

/*
 * A wallet that nobody here wrote, in a process of its own: its cryptography takes the process's handlers of errors for
 * itself. It is told what to do by messages `{ id, call, args }`, answers `{ id, result }`, and tells `{ event }`.
 */

const { Agent } = require('node:http');
const { Daemon, MixinLimit, MixinLimits, WalletBackend } = require('turtlecoin-wallet-backend');

const [, , port, privateViewKey, privateSpendKey] = process.argv;

/**
 * The coin's, where it is none of the wallet's own; the smallest rings that the ages of devnet from 65 to 100 allow. Its
 * least fee stays as it is: the library below it asks for that one, whatever is set here. Signing holds up this whole
 * process for seconds, longer than a node keeps an idle connection, and its clock of requests runs on: so each request
 * gets a connection of its own, and time.
 */
const config = {
  addressPrefix: 999730,
  standardAddressLength: 98,
  integratedAddressLength: 186,
  ticker: 'WRKZ',
  blockTargetTime: 60,
  scanCoinbaseTransactions: true,
  mixinLimits: new MixinLimits([new MixinLimit(0, 1, 3, 1)], 1),
  daemonUpdateInterval: 100,
  requestTimeout: 120_000,
  customRequestOptions: { agent: new Agent({ keepAlive: false }) },
};

const node = new Daemon('127.0.0.1', Number(port), false, false);

function opened() {
  if (privateViewKey === undefined) return WalletBackend.createWallet(node, config);
  const [wallet, error] = WalletBackend.importWalletFromKeys(node, 0, privateViewKey, privateSpendKey, config);
  if (error) throw new Error(error.toString());
  return wallet;
}

const wallet = opened();
wallet.enableAutoOptimization(false);
// the switch comes too late for the first time, which is decided when a wallet is made
wallet.shouldPerformAutoOptimize = false;
for (const event of ['sync', 'desync', 'heightchange', 'transaction']) {
  wallet.on(event, () => process.send({ event }));
}

const calls = {
  start: () => wallet.start(),
  address: () => wallet.getPrimaryAddress(),
  status: () => {
    const [height, , networkHeight] = wallet.getSyncStatus();
    const [unlocked, locked] = wallet.getBalance();
    return { height, networkHeight, unlocked, locked };
  },
  transactions: () =>
    wallet.getTransactions().map((one) => ({
      hash: one.hash,
      height: one.blockHeight,
      amount: one.totalAmount(),
      fee: one.fee,
      paymentId: one.paymentID,
      isCoinbase: one.isCoinbaseTransaction,
    })),
  send: async (...args) => {
    const { success, transactionHash: hash, fee, error } = await wallet.sendTransactionBasic(...args);
    return success ? { hash, fee } : { error: error.toString() };
  },
  stop: () => wallet.stop(),
};

process.on('message', ({ id, call, args }) => {
  Promise.resolve(calls[call](...args)).then(
    (result) => process.send({ id, result }),
    (error) => process.send({ id, error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send({ event: 'ready' });
