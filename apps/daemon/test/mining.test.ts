import { sealParent } from '@wrkz/consensus';
import { decodeBlock, encodeBlock, networkOf, parseTransaction } from '@wrkz/core-types';
import { chainA, Forge } from '@wrkz/testing';
import { NOW } from './support/engine';
import { type NodeBench, nodeBench } from './support/node';

const EARLY = NOW - 1_000_000;

describe('generated blocks', () => {
  it('carry the requested timestamps and pay the address', async () => {
    const bench = nodeBench('devnet');
    const { height, hashes } = await bench.generator.generate({
      address: bench.testWallet,
      count: 5,
      timestamp: EARLY,
      spacing: 90,
    });
    expect(height).toBe(5);
    expect(hashes.map((hash) => bench.reader.heightOf(hash))).toEqual([1, 2, 3, 4, 5]);
    const facts = bench.reader.factsRange(1, 6);
    expect(facts.map(({ timestamp }) => timestamp - EARLY)).toEqual([0, 90, 180, 270, 360]);
    expect(facts.map(({ difficulty }) => difficulty)).toEqual([10n, 10n, 10n, 10n, 10n]);
    expect(bench.coinbaseOutput(5).amount).toBeGreaterThan(0n);
    await bench.digest();
  });

  it('never have a timestamp further ahead than nodes accept', async () => {
    const bench = nodeBench('simnet');
    await bench.mine(3, NOW);
    await bench.generator.generate({ address: bench.testWallet, count: 200, timestamp: NOW, spacing: 60 });
    const last = bench.reader.tip();
    expect(last.height).toBe(203);
    expect(last.timestamp).toBe(NOW + 7200);
    await bench.engine.stop();
  });

  it('are in order when two callers request them concurrently', async () => {
    const bench = nodeBench('simnet');
    const [one, two] = await Promise.all([bench.mine(10), bench.mine(10)]);
    expect([...one, ...two].map((hash) => bench.reader.heightOf(hash))).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    await bench.engine.stop();
  });

  it('are limited to test networks, and to 1 to 1000 per request', async () => {
    const real = nodeBench('mainnet');
    await expect(real.mine(1)).rejects.toThrow('mainnet blocks are mined, not generated');
    const test = nodeBench('simnet');
    await expect(test.mine(0)).rejects.toThrow(RangeError);
    await expect(test.mine(1001)).rejects.toThrow(RangeError);
    await real.engine.stop();
    await test.engine.stop();
  });
});

describe("on the tip of chain A, under today's rules", () => {
  let bench: NodeBench;
  beforeAll(async () => {
    bench = nodeBench('devnet');
    await bench.engine.addBlocks(chainA().slice(1), 'import');
  });
  afterAll(() => bench.digest());

  it('mines version 7 with the fixed reward', async () => {
    const top = bench.reader.tip();
    await bench.mine(2, top.timestamp + 60);
    expect(bench.reader.facts(722)).toMatchObject({ majorVersion: 7, difficulty: 10n });
    expect(bench.coinbaseOutput(722).amount).toBe(1_000_000n);
  });

  it('serves a template that a miner can seal and submit', async () => {
    const nonce = Buffer.from('0123456789abcdef', 'hex');
    const top = bench.reader.tip();
    bench.clock.now = top.timestamp + 120;
    const template = await bench.miner.template(bench.testWallet, nonce);
    expect(template).toMatchObject({ height: top.height + 1, difficulty: 10n });
    expect(template.blob.subarray(template.reservedOffset, template.reservedOffset + 8)).toEqual(nonce);
    expect((await bench.miner.template(bench.testWallet, Buffer.alloc(0))).reservedOffset).toBe(0);
    // Unsealed, its merge-mining tag is empty and no nonce helps.
    expect(await bench.miner.submit(template.blob)).toMatchObject({ code: 'PROOF_OF_WORK_TOO_WEAK' });
    const sealed = sealParent(decodeBlock(template.blob));
    let result = { code: '' };
    for (let tries = 0; tries < 500 && result.code !== 'ADDED_TO_MAIN'; tries++) {
      result = await bench.miner.submit(encodeBlock({ ...sealed, nonce: tries }));
      expect(['ADDED_TO_MAIN', 'PROOF_OF_WORK_TOO_WEAK']).toContain(result.code);
    }
    expect(result.code).toBe('ADDED_TO_MAIN');
    expect(bench.reader.tip().height).toBe(top.height + 1);
    bench.clock.now = NOW;
  });

  it('reports why a submitted block is invalid', async () => {
    expect(await bench.miner.submit(Buffer.from('nonsense'))).toMatchObject({ code: 'DESERIALIZATION_FAILED' });
    const known = chainA().find(({ transactions }) => transactions.length === 0)!;
    expect(await bench.miner.submit(known.block)).toMatchObject({ code: 'ALREADY_EXISTS' });
    const holding = chainA().find(({ transactions }) => transactions.length > 0)!;
    expect(await bench.miner.submit(holding.block)).toMatchObject({ code: 'TRANSACTION_ABSENT_IN_POOL' });
  });
});

describe('transactions', () => {
  let bench: NodeBench;
  beforeAll(async () => {
    bench = nodeBench('simnet');
    await bench.mine(120);
  });
  afterAll(() => bench.digest());

  it('are mined from the pool into a block', async () => {
    const spend = bench.testWallet.spend(bench.coinbaseOutput(5), { fee: 10n });
    expect(await bench.pool.add(spend, 'rpc')).toMatchObject({ accepted: true });
    await bench.mine(1, EARLY + 10_000);
    expect(bench.pool.size).toBe(0);
    const { hash } = parseTransaction(spend);
    expect(bench.reader.transaction(hash)).toMatchObject({ height: 121, position: 1 });
    expect(await bench.pool.add(spend, 'rpc')).toMatchObject({ code: 'INPUT_KEYIMAGE_ALREADY_SPENT' });
  });

  it('are selected once per tip, pool revision and second, however many templates are requested', async () => {
    const lists = jest.spyOn(bench.pool, 'list');
    const templates = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 20 }, () => bench.miner.template(bench.testWallet, Buffer.alloc(8))));
    await templates();
    await templates();
    expect(lists).toHaveBeenCalledTimes(1);
    const spend = bench.testWallet.spend(bench.coinbaseOutput(40), { fee: 10n });
    await bench.pool.add(spend, 'p2p');
    await templates();
    expect(lists).toHaveBeenCalledTimes(2);
    const { transactions } = await bench.miner.body();
    expect(transactions.map(({ hash }) => hash)).toEqual([parseTransaction(spend).hash]);
    bench.clock.now += 1;
    await templates();
    expect(lists).toHaveBeenCalledTimes(3);
    await bench.mine(1, EARLY + 15_000);
    bench.clock.now -= 1;
    lists.mockClear();
    await templates();
    expect(lists).toHaveBeenCalledTimes(1);
    lists.mockRestore();
  });

  it('are mined in order of their fee rate', async () => {
    const pays = [10n, 40n, 20n, 30n];
    for (const [i, fee] of pays.entries()) {
      expect(await bench.pool.add(bench.testWallet.spend(bench.coinbaseOutput(6 + i), { fee }), 'p2p')).toMatchObject({
        accepted: true,
      });
    }
    await bench.mine(1, EARLY + 20_000);
    const raw = bench.reader.rawBlock(bench.reader.tip().height)!;
    expect(raw.transactions.map((bytes) => parseTransaction(bytes).fee)).toEqual([40n, 30n, 20n, 10n]);
  });

  it('are rejected with their reason codes', async () => {
    const { testWallet, pool } = bench;
    const output = bench.coinbaseOutput(20);
    const locked = bench.coinbaseOutput(bench.reader.tip().height);
    expect(await pool.add(testWallet.spend(output, { fee: 4n }), 'rpc')).toMatchObject({ code: 'WRONG_FEE' });
    expect(await pool.add(testWallet.spend(locked, { fee: 10n }), 'rpc')).toMatchObject({
      code: 'INPUT_SPEND_LOCKED_OUT',
    });
    const forged = testWallet.spend({ ...output, secretKey: bench.coinbaseOutput(21).secretKey }, { fee: 10n });
    expect(await pool.add(forged, 'rpc')).toMatchObject({
      code: expect.stringMatching(/^INPUT_INVALID_(DOMAIN_KEYIMAGES|SIGNATURES)$/) as string,
    });
    const signed = testWallet.spend(output, { fee: 10n });
    signed[signed.length - 1] = (signed.at(-1) ?? 0) ^ 1;
    expect(await pool.add(signed, 'rpc')).toMatchObject({ code: 'INPUT_INVALID_SIGNATURES' });
    expect(pool.size).toBe(0);
  });

  it('lose against a block that spends the same key image', async () => {
    const output = bench.coinbaseOutput(25);
    await bench.pool.add(bench.testWallet.spend(output, { fee: 10n }), 'rpc');
    const removed: string[] = [];
    bench.pool.once('removed', ({ reason }) => removed.push(reason));
    const other = bench.testWallet.spend(output, { fee: 99n });
    const forge = new Forge(bench.reader.viewAt(bench.reader.tip().height), {
      network: networkOf('simnet'),
      timestamp: EARLY + 30_000,
    });
    expect(await bench.miner.add(await forge.next([other]))).toMatchObject({ code: 'ADDED_TO_MAIN' });
    expect(removed).toEqual(['NotActual']);
    expect(bench.pool.size).toBe(0);
  });

  it('of an abandoned branch return to the pool and are mined again', async () => {
    const fork = bench.reader.tip().height;
    const side = await new Forge(bench.reader.viewAt(fork), {
      network: networkOf('simnet'),
      timestamp: EARLY + 40_000,
    }).many(3);
    const spend = bench.testWallet.spend(bench.coinbaseOutput(30), { fee: 10n });
    const { hash } = parseTransaction(spend);
    await bench.pool.add(spend, 'rpc');
    await bench.mine(2, EARLY + 40_000);
    expect(bench.pool.size).toBe(0);
    const back = new Promise((resolve) => bench.pool.once('added', resolve));
    await bench.engine.addBlocks(side, 'sync');
    await back;
    expect(bench.pool.hashes()).toEqual([hash]);
    expect(bench.reader.hasTransaction(hash)).toBe(false);
    // The next block does not hold it: it stays.
    const tip = bench.reader.viewAt(bench.reader.tip().height);
    const empty = new Forge(tip, { network: networkOf('simnet'), timestamp: EARLY + 45_000 });
    expect(await bench.miner.add(await empty.next([]))).toMatchObject({ code: 'ADDED_TO_MAIN' });
    expect(bench.pool.hashes()).toEqual([hash]);
    await bench.mine(1, EARLY + 50_000);
    expect(bench.reader.hasTransaction(hash)).toBe(true);
  });

  it('are counted exactly after reorganisations back and forth, and so are alternative blocks', async () => {
    const network = networkOf('simnet');
    const fork = bench.reader.tip().height;
    const forgeAt = (timestamp: number): Forge =>
      new Forge(bench.reader.viewAt(fork), { network, timestamp: EARLY + timestamp });
    const counts = (): number[] => [bench.reader.transactionCount(), bench.reader.alternativeCount()];
    const [transactions, alternatives] = counts() as [number, number];
    const spends = [50, 51, 52].map((height) => bench.testWallet.spend(bench.coinbaseOutput(height), { fee: 10n }));
    const first = forgeAt(60_000);
    const main = [await first.next(spends.slice(0, 2)), ...(await first.many(1))];
    const second = forgeAt(61_000);
    const side = [await second.next(spends.slice(2)), ...(await second.many(4))];
    await bench.engine.addBlocks(main, 'sync');
    expect(counts()).toEqual([transactions + 2 + 2, alternatives]);
    await bench.engine.addBlocks(side.slice(0, 3), 'sync');
    expect(counts()).toEqual([transactions + 3 + 1, alternatives + 2]);
    await bench.engine.addBlocks(await first.many(2), 'sync');
    expect(counts()).toEqual([transactions + 4 + 2, alternatives + 3]);
    await bench.engine.addBlocks(side.slice(3), 'sync');
    expect(counts()).toEqual([transactions + 5 + 1, alternatives + 4]);
  });

  it('whose inputs were spent only on an abandoned branch are accepted, both returned and new ones', async () => {
    const network = networkOf('simnet');
    await bench.mine(1, EARLY + 70_000);
    const fork = bench.reader.tip().height;
    const forgeAt = (timestamp: number): Forge =>
      new Forge(bench.reader.viewAt(fork), { network, timestamp: EARLY + timestamp });
    const [one, two] = [60, 61].map((height) => bench.coinbaseOutput(height));
    const lost = [one!, two!].map((output) => bench.testWallet.spend(output, { fee: 10n }));
    const side = await forgeAt(71_000).many(3);
    const main = forgeAt(70_500);
    await bench.engine.addBlocks([await main.next(lost), ...(await main.many(1))], 'sync');
    expect(await bench.pool.add(lost[0]!, 'rpc')).toMatchObject({ code: 'INPUT_KEYIMAGE_ALREADY_SPENT' });
    const returned = new Promise<void>((resolve) => {
      bench.pool.on('added', () => {
        if (lost.every((bytes) => bench.pool.has(parseTransaction(bytes).hash))) resolve();
      });
    });
    await bench.engine.addBlocks(side, 'sync');
    await returned;
    bench.pool.remove(parseTransaction(lost[0]!).hash, 'NotActual');
    const replacement = bench.testWallet.spend(one!, { fee: 20n });
    expect(await bench.pool.add(replacement, 'rpc')).toMatchObject({ accepted: true });
    await bench.mine(1, EARLY + 80_000);
    for (const bytes of [replacement, lost[1]!])
      expect(bench.reader.hasTransaction(parseTransaction(bytes).hash)).toBe(true);
    expect(bench.reader.hasTransaction(parseTransaction(lost[0]!).hash)).toBe(false);
  });
});
