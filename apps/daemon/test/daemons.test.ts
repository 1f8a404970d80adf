import { parseTransaction } from '@wrkz/core-types';
import { chainA, Purse, writeChainADump } from '@wrkz/testing';
import { join } from 'node:path';
import { importDump } from '../src/maintenance/import';
import { digestOf, engineBench } from './support/engine';
import { type RunningDaemon, startDaemon, topOf, until } from './support/daemons';
import { temporaryDirectory } from './support/temporary';

jest.setTimeout(120_000);

const purse = new Purse('three daemons');
const EARLY = Math.floor(Date.now() / 1000) - 500_000;

const agree = (daemons: RunningDaemon[]): Promise<boolean> =>
  Promise.all(daemons.map(topOf)).then((tops) => new Set(tops).size === 1);

const generate = (daemon: RunningDaemon, count: number, timestamp: number): Promise<{ height: number }> =>
  daemon.call('generateblocks', { wallet_address: purse.address, count, timestamp, spacing: 60 });

/** A database that holds chain A up to block `top`. */
async function directoryWithChainA(top: number): Promise<string> {
  const directory = temporaryDirectory();
  const bench = engineBench('devnet', { directory: join(directory, 'devnet') });
  await bench.engine.addBlocks(chainA().slice(1, top + 1), 'import');
  await bench.engine.stop();
  return directory;
}

describe('chain A between two daemons', () => {
  it('is synchronized from a peer to the same digest as an import', async () => {
    const source = await directoryWithChainA(720);
    const server = await startDaemon({ directory: source });
    const client = await startDaemon({ peers: [server.p2pPort] });
    await until(() => agree([server, client]), 'the client has chain A', 60);
    expect(await client.get('/info')).toMatchObject({ height: 721, network_height: 721, synced: true });
    await client.stop();
    await server.stop();
    const imported = temporaryDirectory();
    const dump = join(imported, 'a.dump');
    writeChainADump(dump);
    const bench = engineBench('devnet', { directory: join(imported, 'devnet') });
    await importDump({ path: dump, chain: bench.engine });
    const digest = await bench.digest();
    expect(await digestOf(join(source, 'devnet'), 'devnet')).toBe(digest);
    expect(await digestOf(join(client.directory, 'devnet'), 'devnet')).toBe(digest);
  });
});

describe('three daemons in a line', () => {
  it('pass a block on, split, and join again on the heavier side', async () => {
    const left = await startDaemon({ network: 'simnet' });
    const middle = await startDaemon({ network: 'simnet', peers: [left.p2pPort] });
    const right = await startDaemon({ network: 'simnet', peers: [middle.p2pPort] });
    await generate(left, 60, EARLY);
    await until(() => agree([left, middle, right]), 'the right end has the blocks of the left');
    expect(await right.get('/info')).toMatchObject({ height: 61 });

    // Cut between middle and right: the right end goes away and comes back alone.
    await right.stop();
    const alone = await startDaemon({ network: 'simnet', directory: right.directory });
    const spend = await spendOf(alone, 5);
    expect(await alone.post('/sendrawtransaction', { tx_as_hex: spend.toString('hex') })).toMatchObject({ status: 'OK' });
    await generate(alone, 3, EARLY + 10_000);
    await generate(left, 5, EARLY + 20_000);
    await until(() => agree([left, middle]), 'left and middle agree');
    expect(await alone.get('/info')).toMatchObject({ height: 64, tx_pool_size: 0 });
    await alone.stop();

    const joined = await startDaemon({ network: 'simnet', directory: right.directory, peers: [middle.p2pPort] });
    await until(() => agree([left, middle, joined]), 'the shorter side follows the longer');
    expect(await joined.get('/info')).toMatchObject({ height: 66, alt_blocks_count: 3 });
    const hash = parseTransaction(spend).hash.toString('hex');
    const status = { transactionHashes: [hash] };
    await until(
      async () =>
        (await joined.post<{ transactionsInPool: string[] }>('/get_transactions_status', status)).transactionsInPool
          .length === 1,
      'the lost transaction is back in the pool',
    );

    // What came back is told to the others by the next block.
    await generate(joined, 1, EARLY + 30_000);
    await until(() => agree([left, middle, joined]), 'the block with the transaction reaches the left end');
    expect(await left.post('/get_transactions_status', status)).toMatchObject({ transactionsInBlock: [hash] });
    for (const one of [joined, middle, left]) await one.stop();
    const digests = [joined, middle, left].map(({ directory }) => digestOf(join(directory, 'simnet'), 'simnet'));
    expect(new Set(await Promise.all(digests)).size).toBe(1);
  });

  it('pass a transaction on through the pools', async () => {
    const left = await startDaemon({ network: 'simnet' });
    const middle = await startDaemon({ network: 'simnet', peers: [left.p2pPort] });
    await generate(left, 60, EARLY);
    await until(() => agree([left, middle]), 'both have the blocks');
    await until(async () => (await middle.get<{ synced: boolean }>('/info')).synced, 'synchronized');
    const spend = await spendOf(left, 6);
    expect(await left.post('/sendrawtransaction', { tx_as_hex: spend.toString('hex') })).toMatchObject({ status: 'OK' });
    const pool = async (): Promise<number> => (await middle.get<{ tx_pool_size: number }>('/info')).tx_pool_size;
    await until(async () => (await pool()) === 1, 'the transaction is in the other pool');
    await left.stop();
    await middle.stop();
  });
});

/** A signed spend of the largest coinbase output of a block, made from what the RPC tells. */
async function spendOf(daemon: RunningDaemon, height: number): Promise<Buffer> {
  const { items } = await daemon.post<{ items: { block: string }[] }>('/getrawblocks', { startHeight: height, blockCount: 1 });
  const { indexes } = await daemon.post<{ indexes: { value: number[] }[] }>('/get_global_indexes_for_range', {
    startHeight: height,
    endHeight: height + 1,
  });
  const raw = { block: Buffer.from(items[0]!.block, 'hex'), transactions: [] };
  const owned = purse.find(raw, height, [indexes[0]!.value]);
  return purse.spend(
    owned.reduce((best, one) => (one.amount > best.amount ? one : best)),
    { fee: 10n },
  );
}
