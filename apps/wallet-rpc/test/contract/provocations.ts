import { walletError } from '@wrkz/wallet-core';
import type { walletRpcApi } from '@wrkz/api';
import { addressOf, expectedWallet } from '../support/world';
import type { Outcome, TestService } from '../support/service';
import { ALICE, badlyIntegrated, BOB, NO_HASH, type ServiceStates, TO_BOB } from './service-states';

export type ErrorName = keyof typeof walletRpcApi.walletRpcErrors;

/** Makes a method return an error. */
export type Provocation = (states: ServiceStates) => Promise<Outcome>;

type Provocations = { readonly [Name in ErrorName]?: Provocation };

const PAYMENT_ID = 'cd'.repeat(32);
const OTHER_KEY = '0'.repeat(63) + '1';

const provokedBy =
  (
    method: string,
    params: (states: ServiceStates) => object | Promise<object>,
    of: (states: ServiceStates) => TestService = ({ alice }) => alice,
  ): Provocation =>
  async (states) =>
    of(states).call(method, await params(states));

const always = (params: object) => (): object => params;
const homeless = ({ homeless: service }: ServiceStates): TestService => service;
const tracking = ({ tracking: service }: ServiceStates): TestService => service;
const damaged = ({ damaged: service }: ServiceStates): TestService => service;

const aliceKey = (): string => expectedWallet('alice').keys.addresses[0]?.privateSpendKey ?? '';

/** With these routes of the node unavailable. */
const away =
  (path: string, method: string, params: (states: ServiceStates) => object | Promise<object>): Provocation =>
  async (states) => {
    const given = await params(states);
    return states.with(
      path,
      () => ({ status: 503, json: { status: 'Failed', error: 'away' } }),
      () => states.alice.call(method, given),
    );
  };

/** While the operator has paused sends. */
const whilePaused =
  (method: string, params: (states: ServiceStates) => object | Promise<object>): Provocation =>
  async (states) => {
    const given = await params(states);
    await states.alice.result('pauseSends');
    const outcome = await states.alice.call(method, given);
    await states.alice.result('resumeSends');
    return outcome;
  };

/** A repetition of an interrupted send, whose stored transaction the wallet refuses to submit again. */
const repeated =
  (key: string, error: Error): Provocation =>
  async (states) => {
    const transactionHash = await states.delayed();
    const params = {
      transfers: [{ address: BOB, amount: 1_000n }],
      addresses: [],
      changeAddress: '',
      anonymity: 1n,
      unlockTime: 0n,
    };
    states.interrupted(key, 'sendTransaction', params, transactionHash);
    jest.spyOn(states.alice.rpc.context.wallet, 'resubmit').mockRejectedValueOnce(error);
    return states.alice.call('sendTransaction', { ...TO_BOB, idempotencyKey: key });
  };

const ofAddress = (method: string, missing: ErrorName): Provocations => ({
  badAddress: provokedBy(method, always({ address: 'Wrkz' })),
  [missing]: provokedBy(method, always({ address: BOB })),
});

const windows = (method: string): Provocations => ({
  badAddress: provokedBy(method, always({ firstBlockIndex: 1, blockCount: 1, addresses: ['x'] })),
  wrongPaymentId: provokedBy(method, always({ firstBlockIndex: 1, blockCount: 1, paymentId: 'zz' })),
  wrongHash: provokedBy(method, always({ blockHash: 'zz', blockCount: 1 })),
  wrongParameters: provokedBy(method, always({ firstBlockIndex: 1, blockCount: 0 })),
  unknownObject: provokedBy(method, always({ blockHash: NO_HASH, blockCount: 1 })),
  nodeAway: away('/json_rpc', method, always({ blockHash: NO_HASH, blockCount: 1 })),
});

function sends(method: string): Provocations {
  const refused = (more: object): Provocation => provokedBy(method, always({ ...TO_BOB, ...more }));
  const paying = (...transfers: readonly object[]): Provocation => provokedBy(method, always({ ...TO_BOB, transfers }));
  const walletRefuses =
    (error: Error): Provocation =>
    (states) => {
      const { wallet } = states.alice.rpc.context;
      jest.spyOn(wallet, method === 'sendTransaction' ? 'send' : 'delay').mockRejectedValueOnce(error);
      return states.alice.call(method, TO_BOB);
    };
  return {
    badAddress: paying({ address: 'x', amount: 1 }),
    wrongPaymentId: paying({ address: badlyIntegrated(), amount: 1 }),
    conflictingPaymentIds: async (states) => {
      const { integratedAddress } = await states.alice.result<{ integratedAddress: string }>(
        'createIntegratedAddress',
        {
          address: BOB,
          paymentId: PAYMENT_ID,
        },
      );
      return states.alice.call(method, { transfers: [{ address: integratedAddress, amount: 1 }], paymentId: NO_HASH });
    },
    mixinTooSmall: refused({ anonymity: 0 }),
    mixinTooBig: refused({ anonymity: 100 }),
    badPaymentId: refused({ paymentId: 'zz' }),
    trackingMode: provokedBy(method, always(TO_BOB), tracking),
    nothingToSend: paying(),
    feeTooSmall: refused({ fee: 0 }),
    changeAddressRequired: provokedBy(method, always(TO_BOB), ({ two }) => two),
    changeAddressNotFound: refused({ changeAddress: BOB }),
    wrongAmount: paying({ address: BOB, amount: 1_000_000_000_000 }),
    sumOverflow: paying(...[1, 2, 3].map(() => ({ address: BOB, amount: 2n ** 63n - 2n }))),
    extraTooLarge: refused({ extra: 'ab'.repeat(1_000) }),
    tooFewDecoys: (states) =>
      states.with(
        '/getrandom_outs',
        () => ({ status: 400, json: { errorCode: 27, errorMessage: 'too few' } }),
        () => states.alice.call(method, TO_BOB),
      ),
    nodeAway: away('/getrandom_outs', method, always(TO_BOB)),
    // No wallet of chain A has that many outputs.
    tooLarge: walletRefuses(walletError.tooManyInputsToFitInBlock(2, 1)),
    refusedTransactionUnresolved: walletRefuses(walletError.refusedTransactionUnresolved(NO_HASH)),
    notSynchronized: walletRefuses(walletError.notSynchronized()),
    implausibleNodeHeight: walletRefuses(walletError.implausibleNodeHeight(9, 1)),
    sendsPaused: whilePaused(method, always(TO_BOB)),
    walletDatabaseDamaged: provokedBy(method, always({ ...TO_BOB, idempotencyKey: 'damaged' }), damaged),
    tooManyOutputs: paying(...Array.from({ length: 200 }, (_none, i) => ({ address: BOB, amount: 111_111 + i }))),
    nodeRefused: refused({ unlockTime: 1 }),
    idempotencyKeyReused: async (states) => {
      await states.alice.result(method, { ...TO_BOB, idempotencyKey: `${method}-1` });
      return states.alice.call(method, { ...TO_BOB, anonymity: 2, idempotencyKey: `${method}-1` });
    },
  };
}

/** The wallet refuses to submit a delayed transaction. */
const delayedRefuses =
  (error: Error): Provocation =>
  async (states) => {
    const transactionHash = await states.delayed();
    jest.spyOn(states.alice.rpc.context.wallet, 'sendDelayed').mockRejectedValueOnce(error);
    return states.alice.call('sendDelayedTransaction', { transactionHash });
  };

const files = (method: string, params: object): Provocations => ({
  cannotWrite: provokedBy(method, always(params), homeless),
});

/** The disk under the wallet database is full. */
const diskFull =
  (method: string, params: (states: ServiceStates) => object): Provocation =>
  async (states) => {
    const { homeless: service } = states;
    const writes = jest.spyOn(service.rpc.context.wallet.db, 'transaction').mockImplementation(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
    const outcome = await service.call(method, params(states));
    writes.mockRestore();
    return outcome;
  };

/** A provocation of each error, by method. */
export const PROVOCATIONS: Readonly<Record<string, Provocations>> = {
  save: { ...files('save', {}), walletDatabaseDamaged: provokedBy('save', always({}), damaged) },
  export: {
    noSuchFile: provokedBy('export', always({ fileName: '../x' })),
    cannotWrite: provokedBy('export', always({ fileName: 'folder' })),
  },
  reset: {
    ...files('reset', {}),
    // Above the start of the lite node, which this service may have seen.
    walletDatabaseDamaged: provokedBy('reset', always({ scanHeight: 500 }), damaged),
    wrongParameters: async (states) => {
      const lite = async (_request: unknown, behind: () => Promise<{ json: object }>): Promise<object> => {
        return { json: { ...(await behind()).json, lite_start_height: 500 } };
      };
      states.stand.on('/info', lite);
      const service = await states.world.synced('alice', states.stand.port);
      while (service.rpc.context.wallet.syncStatus.liteStartHeight === 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
      states.stand.off('/info');
      return service.call('reset', { scanHeight: 0 });
    },
  },
  createAddress: {
    cannotWrite: diskFull('createAddress', always({ newAddress: true })),
    wrongKey: provokedBy('createAddress', always({ spendSecretKey: '12' })),
    cannotMakeKey: provokedBy('createAddress', always({ spendSecretKey: 'f'.repeat(64) })),
    wrongParameters: provokedBy('createAddress', always({ newAddress: true }), tracking),
    addressExists: provokedBy('createAddress', () => ({ spendSecretKey: aliceKey() })),
    walletDatabaseDamaged: provokedBy('createAddress', always({ newAddress: true }), damaged),
  },
  createAddressList: {
    cannotWrite: diskFull(
      'createAddressList',
      always({ spendSecretKeys: [OTHER_KEY.replace(/0/, '1')], newAddress: true }),
    ),
    duplicateKey: provokedBy('createAddressList', always({ spendSecretKeys: [OTHER_KEY, OTHER_KEY] })),
    wrongKey: provokedBy('createAddressList', always({ spendSecretKeys: ['12'] })),
    cannotMakeKey: provokedBy('createAddressList', always({ spendSecretKeys: ['f'.repeat(64)] })),
    wrongParameters: provokedBy('createAddressList', () => ({ spendSecretKeys: [aliceKey()] }), tracking),
    addressExists: provokedBy('createAddressList', () => ({ spendSecretKeys: [aliceKey()] })),
    walletDatabaseDamaged: provokedBy('createAddressList', always({ spendSecretKeys: [OTHER_KEY] }), damaged),
  },
  deleteAddress: {
    ...ofAddress('deleteAddress', 'objectNotFound'),
    cannotWrite: diskFull('deleteAddress', ({ homeless: { rpc } }) => ({
      address: rpc.context.wallet.snapshot.addresses[0],
    })),
    walletDatabaseDamaged: provokedBy('deleteAddress', always({ address: ALICE }), damaged),
  },
  getSpendKeys: ofAddress('getSpendKeys', 'objectNotFound'),
  getBalance: ofAddress('getBalance', 'walletNotFound'),
  getBlockHashes: {
    wrongParameters: provokedBy('getBlockHashes', always({ firstBlockIndex: 0, blockCount: 700 })),
    nodeAway: away('/getwalletsyncdata', 'getBlockHashes', always({ firstBlockIndex: 0, blockCount: 3 })),
  },
  getTransactionHashes: windows('getTransactionHashes'),
  getTransactions: windows('getTransactions'),
  getUnconfirmedTransactionHashes: {
    badAddress: provokedBy('getUnconfirmedTransactionHashes', always({ addresses: ['x'] })),
  },
  getTransaction: {
    wrongHash: provokedBy('getTransaction', always({ transactionHash: 'x' })),
    objectNotFound: provokedBy('getTransaction', always({ transactionHash: NO_HASH })),
  },
  sendTransaction: {
    ...sends('sendTransaction'),
    badExtra: provokedBy('sendTransaction', always({ ...TO_BOB, extra: 'xyz' })),
    nodeTimeout: (states) =>
      states.with(
        '/get_transactions_status',
        () => ({ status: 500 }),
        () =>
          states.with(
            '/sendrawtransaction',
            () => (response) => void response.destroy(),
            () => states.alice.call('sendTransaction', TO_BOB),
          ),
      ),
    // Another transaction has its inputs, in a block that is not deep enough to be final.
    idempotencyKeyUnderWay: repeated('cut', walletError.idempotencyKeyUnderWay()),
    transactionGivenUp: repeated('given-up', walletError.transactionGivenUp(NO_HASH, 'the operator gave it up')),
  },
  createDelayedTransaction: {
    ...sends('createDelayedTransaction'),
    internalError: provokedBy('createDelayedTransaction', always({ ...TO_BOB, extra: 'xyz' })),
  },
  getDelayedTransactionHashes: {
    trackingMode: provokedBy('getDelayedTransactionHashes', always({}), tracking),
    walletDatabaseDamaged: provokedBy('getDelayedTransactionHashes', always({}), damaged),
  },
  deleteDelayedTransaction: {
    wrongHash: provokedBy('deleteDelayedTransaction', always({ transactionHash: 'x' })),
    unknownObject: provokedBy('deleteDelayedTransaction', always({ transactionHash: NO_HASH })),
    cannotCancel: async (states) => {
      const transactionHash = await states.delayed();
      await states.alice.result('deleteDelayedTransaction', { transactionHash });
      return states.alice.call('deleteDelayedTransaction', { transactionHash });
    },
    walletDatabaseDamaged: provokedBy('deleteDelayedTransaction', always({ transactionHash: NO_HASH }), damaged),
  },
  sendDelayedTransaction: {
    wrongHash: provokedBy('sendDelayedTransaction', always({ transactionHash: 'x' })),
    unknownObject: provokedBy('sendDelayedTransaction', always({ transactionHash: NO_HASH })),
    cannotTransfer: async (states) => {
      const transactionHash = await states.delayed();
      await states.alice.result('deleteDelayedTransaction', { transactionHash });
      return states.alice.call('sendDelayedTransaction', { transactionHash });
    },
    refusedTransactionUnresolved: delayedRefuses(walletError.refusedTransactionUnresolved(NO_HASH)),
    notSynchronized: delayedRefuses(walletError.notSynchronized()),
    implausibleNodeHeight: delayedRefuses(walletError.implausibleNodeHeight(9, 1)),
    sendsPaused: whilePaused('sendDelayedTransaction', async (states) => ({ transactionHash: await states.delayed() })),
    walletDatabaseDamaged: provokedBy('sendDelayedTransaction', always({ transactionHash: NO_HASH }), damaged),
    nodeRefused: async (states) => {
      const transactionHash = await states.delayed();
      return states.with(
        '/sendrawtransaction',
        () => ({ json: { status: 'Failed', error: 'no' } }),
        () => states.alice.call('sendDelayedTransaction', { transactionHash }),
      );
    },
    nodeAway: away('/sendrawtransaction', 'sendDelayedTransaction', async (states) => ({
      transactionHash: await states.delayed(),
    })),
    nodeTimeout: async (states) => {
      const transactionHash = await states.delayed();
      return states.with(
        '/get_transactions_status',
        () => ({ status: 500 }),
        () =>
          states.with(
            '/sendrawtransaction',
            () => (response) => void response.destroy(),
            () => states.alice.call('sendDelayedTransaction', { transactionHash }),
          ),
      );
    },
    idempotencyKeyReused: async (states) => {
      const transactionHash = await states.delayed();
      await states.alice.result('sendDelayedTransaction', { transactionHash, idempotencyKey: 'sent' });
      return states.alice.call('sendDelayedTransaction', { transactionHash: NO_HASH, idempotencyKey: 'sent' });
    },
    idempotencyKeyUnderWay: async (states) => {
      const transactionHash = await states.delayed();
      states.interrupted('cut-delayed', 'sendDelayedTransaction', { transactionHash }, transactionHash);
      const { delayed, wallet } = states.alice.rpc.context;
      wallet.db.delayed.move(transactionHash, 'delayed', 'sending');
      // As while the wallet lists the transaction as unconfirmed.
      jest.spyOn(delayed, 'isLost').mockReturnValueOnce(false);
      return states.alice.call('sendDelayedTransaction', { transactionHash, idempotencyKey: 'cut-delayed' });
    },
  },
  getViewKey: {},
  getMnemonicSeed: {
    ...ofAddress('getMnemonicSeed', 'objectNotFound'),
    keysNotDeterministic: provokedBy(
      'getMnemonicSeed',
      ({ second }) => ({ address: second }),
      ({ two }) => two,
    ),
  },
  getStatus: {},
  getAddresses: {},
  createIntegratedAddress: {
    badAddress: provokedBy('createIntegratedAddress', always({ address: 'x', paymentId: PAYMENT_ID })),
    wrongPaymentId: provokedBy('createIntegratedAddress', always({ address: ALICE, paymentId: '12' })),
  },
  getFeeInfo: {},
  getNodeFeeInfo: {},
  pauseSends: { cannotWrite: diskFull('pauseSends', always({})) },
  resumeSends: { cannotWrite: diskFull('resumeSends', always({})) },
  giveUpTransaction: {
    wrongHash: provokedBy('giveUpTransaction', always({ transactionHash: 'x' })),
    objectNotFound: provokedBy('giveUpTransaction', always({ transactionHash: NO_HASH })),
    walletDatabaseDamaged: provokedBy('giveUpTransaction', always({ transactionHash: NO_HASH }), damaged),
  },
};

/** By method: params that succeed; the order is that of the calls. */
export const SUCCESSES: Readonly<Record<string, (states: ServiceStates) => object | Promise<object>>> = {
  save: always({}),
  export: always({ fileName: 'exported.json' }),
  reset: always({ scanHeight: 0 }),
  createAddress: always({}),
  createAddressList: always({ spendSecretKeys: [OTHER_KEY], newAddress: true }),
  getSpendKeys: always({ address: ALICE }),
  getBalance: always({ address: ALICE }),
  getBlockHashes: always({ firstBlockIndex: 0, blockCount: 3 }),
  getTransactionHashes: always({ firstBlockIndex: 20, blockCount: 2 }),
  getTransactions: always({ firstBlockIndex: 20, blockCount: 2 }),
  getUnconfirmedTransactionHashes: always({}),
  getTransaction: always({ transactionHash: 'deca8546192c5847851db43da4e24127a4db5741d619d9b9bcb164ecee17c9dd' }),
  sendTransaction: always({ ...TO_BOB, changeAddress: ALICE, addresses: [ALICE] }),
  createDelayedTransaction: always({ ...TO_BOB, changeAddress: ALICE, addresses: [ALICE] }),
  getDelayedTransactionHashes: always({}),
  deleteDelayedTransaction: async (states) => ({ transactionHash: await states.first() }),
  sendDelayedTransaction: async (states) => {
    const send = { ...TO_BOB, changeAddress: ALICE, addresses: [ALICE] };
    return {
      transactionHash: (await states.alice.result<{ transactionHash: string }>('createDelayedTransaction', send))
        .transactionHash,
    };
  },
  getViewKey: always({}),
  getMnemonicSeed: always({ address: ALICE }),
  getStatus: always({}),
  getAddresses: always({}),
  createIntegratedAddress: always({ address: addressOf('bob'), paymentId: '0123456789abcdef' }),
  getFeeInfo: always({}),
  getNodeFeeInfo: always({}),
  pauseSends: always({ reason: 'maintenance' }),
  resumeSends: always({}),
  giveUpTransaction: async ({ alice }) => {
    const { transactionHash } = await alice.result('sendTransaction', {
      ...{ ...TO_BOB, changeAddress: ALICE, addresses: [ALICE] },
    });
    return { transactionHash };
  },
  deleteAddress: always({ address: ALICE }),
};
