import { readWalletApiConfig, WalletApi } from '@wrkz/wallet-api';
import { parseJson, silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, type SuiteNode } from '@wrkz/testing';
import type { TestService } from './support/service';
import { addressOf, CONTAINER_PASSWORD, expectedWallet, type ExpectedTransaction, World } from './support/world';

const world = new World();
let node: SuiteNode;

beforeAll(async () => {
  node = await world.node();
});

afterEach(() => world.stopServices());

afterAll(() => world.stopAll());

interface Listed {
  readonly transactionHash: string;
  readonly blockIndex: bigint;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly isBase: boolean;
  readonly paymentId: string;
  readonly timestamp: bigint;
  readonly unlockTime: bigint;
  readonly extra: string;
  readonly transfers: readonly { readonly address: string; readonly amount: bigint }[];
}

/** The transactions with their extras. A response waits for extras for at most 5 s, which a busy machine may exceed. */
async function listed(service: TestService): Promise<Listed[]> {
  const range = { firstBlockIndex: 1, blockCount: CHAIN_A_HEIGHT };
  for (;;) {
    const { items } = await service.result<{ items: { transactions: Listed[] }[] }>('getTransactions', range);
    const transactions = items.flatMap((item) => item.transactions);
    if (transactions.every(({ extra }) => extra !== '')) return transactions;
  }
}

/** The fields of a transaction that both services report. */
function common({
  hash,
  blockHeight,
  fee,
  isCoinbaseTransaction,
  paymentID,
  timestamp,
  unlockTime,
  transfers,
}: ExpectedTransaction): object {
  const amount = transfers.reduce((sum, transfer) => sum + BigInt(transfer.amount), 0n);
  return {
    transactionHash: hash,
    blockIndex: BigInt(blockHeight),
    amount,
    fee: BigInt(fee),
    isBase: isCoinbaseTransaction,
    paymentId: paymentID,
    timestamp: BigInt(timestamp),
    unlockTime: BigInt(unlockTime),
  };
}

test.each(['alice', 'bob'])('%s has the recorded balance and transactions', async (name) => {
  const { report } = expectedWallet(name);
  const service = await world.synced(name, node.daemon.ports.rpc);
  expect(await service.result('getBalance')).toEqual({
    availableBalance: BigInt(report.balance.unlocked),
    lockedAmount: BigInt(report.balance.locked),
  });
  const transactions = await listed(service);
  expect(
    transactions.map(({ extra: _extra, transfers: _transfers, ...rest }) => {
      const { state: _state, ...known } = rest as typeof rest & { state: bigint };
      return known;
    }),
  ).toEqual(report.transactions.map(common));
  for (const { extra, fee, isBase, transfers } of transactions) {
    expect(extra).toMatch(/^(?:[0-9a-f]{2})+$/);
    // The sum of the inputs is the sum of the outputs and the fee.
    if (!isBase) expect(-transfers.reduce((sum, { amount }) => sum + amount, 0n)).toBe(fee);
  }
  await world.stop(service);
});

async function openOverHttp(): Promise<{
  api: WalletApi;
  request: (method: string, path: string, body?: object) => Promise<{ status: number; json: unknown }>;
}> {
  const config = readWalletApiConfig([
    '-r',
    'key',
    '--network',
    'devnet',
    '--threads',
    '1',
    '--wallet-dir',
    world.folder.path,
    '--no-console',
  ]);
  const api = new WalletApi(config, { logger: silentLogger(), port: 0 });
  await api.start();
  const request = async (method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> => {
    const response = await fetch(`http://127.0.0.1:${String(api.port)}${path}`, {
      method,
      headers: { 'X-API-KEY': 'key' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : parseJson(text) };
  };
  return { api, request };
}

test('both services report the same numbers for one file, opened one after the other', async () => {
  const file = await world.read('alice', node.daemon.ports.rpc);
  const service = await world.service(file, node.daemon.ports.rpc);
  await service.synced(CHAIN_A_HEIGHT);
  const { api, request } = await openOverHttp();
  try {
    const open = {
      filename: file.slice(world.folder.path.length + 1),
      password: CONTAINER_PASSWORD,
      daemonPort: node.daemon.ports.rpc,
    };
    expect(await request('POST', '/wallet/open', open)).toMatchObject({ status: 400, json: { errorCode: 1000n } });
    const theirs = await service.result<{ availableBalance: bigint; lockedAmount: bigint }>('getBalance');
    const transactions = await listed(service);
    await world.stop(service);

    expect((await request('POST', '/wallet/open', open)).status).toBe(200);
    await expect(world.service(file, node.daemon.ports.rpc)).rejects.toThrow('open in another program');
    while (((await request('GET', '/status')).json as { walletBlockCount: bigint }).walletBlockCount < CHAIN_A_HEIGHT) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { json: balance } = await request('GET', '/balance');
    expect(balance).toEqual({ unlocked: theirs.availableBalance, locked: theirs.lockedAmount });
    const { transactions: over } = (await request('GET', '/transactions')).json as {
      transactions: { hash: string; fee: bigint }[];
    };
    expect(over.map(({ hash, fee }) => [hash, fee])).toEqual(
      transactions.map(({ transactionHash, fee }) => [transactionHash, fee]),
    );

    // Opens a container that wallet-api created.
    expect((await request('DELETE', '/wallet')).status).toBe(200);
    const made = { filename: 'made.wallet', password: CONTAINER_PASSWORD, daemonPort: node.daemon.ports.rpc };
    expect((await request('POST', '/wallet/create', made)).status).toBe(200);
    const { address } = (await request('GET', '/addresses/primary')).json as { address: string };
    expect((await request('DELETE', '/wallet')).status).toBe(200);
    const here = await world.service(world.folder.file('made.wallet'), node.daemon.ports.rpc);
    expect(await here.result('getAddresses')).toEqual({ addresses: [address] });
  } finally {
    await api.stop();
  }
});

test('both services run concurrently on one daemon and pay each other', async () => {
  const own = await world.node();
  const service = await world.synced('alice', own.daemon.ports.rpc);
  const file = await world.read('bob', own.daemon.ports.rpc);
  const { api, request } = await openOverHttp();
  try {
    expect(api.port).not.toBe(service.rpc.port);
    const filename = file.slice(world.folder.path.length + 1);
    const opened = { filename, password: CONTAINER_PASSWORD, daemonPort: own.daemon.ports.rpc };
    expect((await request('POST', '/wallet/open', opened)).status).toBe(200);
    const untilRead = async (): Promise<void> => {
      const isRead = async (): Promise<boolean> =>
        ((await request('GET', '/status')).json as { walletBlockCount: bigint }).walletBlockCount >= own.height;
      while (!(await isRead())) await new Promise((resolve) => setTimeout(resolve, 20));
      await service.synced(own.height);
    };
    await untilRead();
    const [here, there] = await Promise.all([
      service.result<{ transactionHash: string }>('sendTransaction', {
        transfers: [{ address: addressOf('bob'), amount: 4_321 }],
        anonymity: 1,
      }),
      request('POST', '/transactions/send/advanced', {
        destinations: [{ address: addressOf('alice'), amount: 1_234 }],
        mixin: 1,
      }),
    ]);
    expect(there.status).toBe(201);
    const { transactionHash } = there.json as { transactionHash: string };
    expect(own.pool()).toEqual([here.transactionHash, transactionHash].sort());
    await own.generate(addressOf('frank'));
    await untilRead();
    for (const hash of [here.transactionHash, transactionHash]) {
      const { transaction } = await service.result<{ transaction: { blockIndex: bigint; fee: bigint } }>(
        'getTransaction',
        { transactionHash: hash },
      );
      const { json } = await request('GET', `/transactions/hash/${hash}`);
      expect(json).toMatchObject({ transaction: { blockHeight: transaction.blockIndex, fee: transaction.fee } });
      expect(transaction.blockIndex).toBe(BigInt(own.height));
    }
  } finally {
    await api.stop();
  }
});

test('scans for a key that is added later from its scan height on', async () => {
  const service = await world.synced('bob', node.daemon.ports.rpc);
  const { keys } = expectedWallet('alice');
  // The same spend key under another view key has another address: nothing of the other wallet is found.
  const { address } = await service.result<{ address: string }>('createAddress', {
    spendSecretKey: keys.addresses[0]?.privateSpendKey,
    scanHeight: 300,
  });
  await service.synced(CHAIN_A_HEIGHT);
  expect(await service.result('getBalance', { address })).toEqual({ availableBalance: 0n, lockedAmount: 0n });
  const { report } = expectedWallet('bob');
  expect(await service.result('getBalance', { address: addressOf('bob') })).toEqual({
    availableBalance: BigInt(report.balance.unlocked),
    lockedAmount: BigInt(report.balance.locked),
  });
});

test('finds the balance of a deleted address again when its key is added', async () => {
  const service = await world.synced('alice', node.daemon.ports.rpc);
  const before = await service.result('getBalance');
  const [{ privateSpendKey } = { privateSpendKey: '' }] = expectedWallet('alice').keys.addresses;
  await service.result('createAddress');
  await service.result('deleteAddress', { address: addressOf('alice') });
  expect(await service.result('getBalance')).toEqual({ availableBalance: 0n, lockedAmount: 0n });
  await service.result('createAddress', { spendSecretKey: privateSpendKey, scanHeight: 0 });
  await service.synced(CHAIN_A_HEIGHT);
  expect(await service.result('getBalance')).toEqual(before);
});
