'use strict';

/*
 * A wallet by other authors, in a separate process, because its cryptography replaces the error handlers of the process. It
 * receives requests `{ id, call, args }`, and sends responses `{ id, result }` and events `{ event }`.
 */

const { Agent } = require('node:http');
const { Daemon, MixinLimit, MixinLimits, WalletBackend } = require('turtlecoin-wallet-backend');

const [, , port, privateViewKey, privateSpendKey] = process.argv;

/**
 * Parameters of the coin that differ from the defaults of the wallet, and the smallest rings that devnet allows from height 65
 * to 100. The minimum fee is not set, because the underlying library ignores the setting. Signing blocks this process for
 * seconds: nodes close idle connections in this time, and timeouts of requests expire. So each request has a separate
 * connection and a long timeout.
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
// `enableAutoOptimization` does not affect the first optimization, which is scheduled when the wallet is created.
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
