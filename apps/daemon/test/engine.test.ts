import { ChainWriter, CorruptDatabase, openChainDb, WriterFailed } from '@wrkz/chain-db';
import { Checkpoints, REASONS } from '@wrkz/consensus';
import { networkOf, parseBlock, type RawBlock } from '@wrkz/core-types';
import { chainA, chainAHeaders, Forge, TestWallet, readJson } from '@wrkz/testing';
import { ChainEngine } from '../src/chain/engine';
import { isAccepted } from '../src/chain/results';
import { ChainFailed } from '../src/chain/service';
import { KNOWN, MAIN, SIDE, SWITCHED } from './support/codes';
import { storedHeader } from './network/stored-headers';
import { digestOf, engineBench, NOW } from './support/engine';
import { temporaryDirectory } from './support/temporary';

const wholeBlocks = chainA().slice(1);

interface RecordedHeader {
  readonly height: number;
}

/** A copy of a raw block with one byte of the block changed. */
function flipped(raw: RawBlock, at: number): RawBlock {
  const block = Buffer.from(raw.block);
  block[at] = (block[at] ?? 0) ^ 1;
  return { ...raw, block };
}

describe('rules digests', () => {
  afterEach(() => jest.restoreAllMocks());

  /** @returns the result of the first call of `digestStep` for which `outcome` is true */
  function digestSteps(outcome: (next: number) => boolean, step = ChainWriter.prototype.digestStep): Promise<number> {
    return new Promise((resolve) => {
      jest.spyOn(ChainWriter.prototype, 'digestStep').mockImplementation(function (this: ChainWriter) {
        const next = step.call(this);
        if (outcome(next)) setImmediate(() => resolve(next));
        return next;
      });
    });
  }

  it('are stored up to the tip while no blocks arrive', async () => {
    const stored = digestSteps((next) => next > 200);
    const { engine, reader } = engineBench('devnet');
    await engine.addBlocks(wholeBlocks.slice(0, 250), 'sync');
    expect(await stored).toBe(300);
    expect(reader.storedRulesDigest(250)?.height).toBe(200);
    await engine.stop();
  });

  it('that a rewind has removed are stored again', async () => {
    const stored = digestSteps((next) => next > 200);
    const { engine, reader } = engineBench('devnet');
    await engine.addBlocks(wholeBlocks.slice(0, 250), 'sync');
    await stored;
    jest.restoreAllMocks();
    await engine.rewindTo(150);
    expect(reader.storedRulesDigest(250)?.height).toBe(100);
    const again = digestSteps((next) => next > 200);
    await engine.addBlocks(wholeBlocks.slice(150, 250), 'sync');
    await again;
    expect(reader.storedRulesDigest(250)?.height).toBe(200);
    await engine.stop();
  });

  it('do not end the engine when damage is read, and are not tried again', async () => {
    let steps = 0;
    const failed = new Promise<void>((resolve) => {
      jest.spyOn(ChainWriter.prototype, 'digestStep').mockImplementation(() => {
        steps++;
        setImmediate(resolve);
        throw new CorruptDatabase('a row is missing');
      });
    });
    const { engine } = engineBench('devnet');
    await failed;
    const [result] = await engine.addBlocks(wholeBlocks.slice(0, 1), 'sync');
    expect(result?.code).toBe('ADDED_TO_MAIN');
    await engine.compactStep();
    expect(steps).toBe(1);
    await engine.stop();
  });
});

describe('chain A through the engine', () => {
  it('adds every block; the stored data of each equals that of the reference', async () => {
    const { engine, reader, commits } = engineBench('devnet');
    const results = await engine.addBlocks(wholeBlocks, 'import');
    expect(results.map(({ code }) => code)).toEqual(wholeBlocks.map(() => 'ADDED_TO_MAIN'));
    for (const header of chainAHeaders()) expect(storedHeader(reader, header.height)).toEqual(header);
    const added = commits().flatMap((event) => event.added);
    expect(added.map(({ height }) => height)).toEqual(wholeBlocks.map((_, i) => i + 1));
    await engine.stop();
  });

  it('publishes consecutive commit events, also within one commit', async () => {
    const { engine, reader, commits } = engineBench('devnet');
    const calls: Promise<unknown>[] = [];
    for (let start = 0; start < 400; start += 20) {
      calls.push(engine.addBlocks(wholeBlocks.slice(start, start + 20), 'import', start < 380));
    }
    const stored: number[] = [];
    engine.on('commit', () => stored.push(reader.height()));
    await Promise.all(calls);
    // Several events follow one commit, so the chain is already longer than the event reports.
    expect(commits().some(({ tip }, i) => tip.height < (stored[i] ?? 0))).toBe(true);
    let tip = { height: 0, hash: reader.hashAt(0) };
    for (const event of commits()) {
      expect({ height: event.forkHeight, hash: event.forkHash }).toEqual(tip);
      tip = { height: event.tip.height, hash: event.tip.hash };
      expect(event.added.at(-1)).toMatchObject(tip);
    }
    expect(tip).toEqual({ height: 400, hash: reader.hashAt(400) });
    await engine.stop();
  });

  it('reaches the same digest in one call, in many, and block by block', async () => {
    const [once, parcels, single] = [engineBench('devnet'), engineBench('devnet'), engineBench('devnet')];
    const blocks = wholeBlocks.slice(0, 360);
    await once.engine.addBlocks(blocks, 'import');
    await single.engine.addBlocks(blocks.slice(0, -80), 'import');
    const calls: Promise<unknown>[] = [];
    for (let start = 0; start < blocks.length; start += 37) {
      calls.push(parcels.engine.addBlocks(blocks.slice(start, start + 37), 'sync'));
    }
    await Promise.all(calls);
    for (const block of blocks.slice(-80)) await single.engine.addBlocks([block], 'relay');
    const digests = [await once.digest(), await parcels.digest(), await single.digest()];
    expect(new Set(digests).size).toBe(1);
  });

  it('holds only uncommitted blocks in memory', async () => {
    const { engine } = engineBench('devnet');
    const { main } = engine as unknown as { main: { branch: { height: number; baseHeight: number } } };
    for (let start = 0; start < 120; start += 40) {
      await engine.addBlocks(wholeBlocks.slice(start, start + 40), 'sync');
      expect(main.branch).toMatchObject({ height: start + 40, baseHeight: start + 40 });
    }
    await engine.stop();
  });

  it('gives the same digest for early blocks whose transactions were delivered in another order', async () => {
    const early = wholeBlocks.slice(0, 58);
    const shuffled = early.map((raw) => ({ ...raw, transactions: [...raw.transactions].reverse() }));
    expect(early.filter(({ transactions }) => transactions.length > 1).length).toBeGreaterThan(3);
    const [listed, delivered] = [engineBench('devnet'), engineBench('devnet')];
    const results = await Promise.all([
      listed.engine.addBlocks(early, 'sync'),
      delivered.engine.addBlocks(shuffled, 'sync'),
    ]);
    for (const codes of results) expect(codes.every(isAccepted)).toBe(true);
    expect(await delivered.digest()).toBe(await listed.digest());
  });

  it('resumes at its tip after a restart', async () => {
    const first = engineBench('devnet');
    await first.engine.addBlocks(wholeBlocks.slice(0, 50), 'import');
    await first.engine.stop();
    const second = engineBench('devnet', { directory: first.directory });
    expect(second.engine.tip().height).toBe(50);
    const results = await second.engine.addBlocks(wholeBlocks.slice(40, 60), 'import');
    expect(results.map(({ code }) => code)).toEqual([
      ...Array<string>(10).fill('ALREADY_EXISTS'),
      ...Array<string>(10).fill('ADDED_TO_MAIN'),
    ]);
    await second.engine.stop();
  });
});

describe('the real network', () => {
  it('adds blocks 0 to 5 without checkpoints, with computed work, difficulty and reward', async () => {
    const { items } = readJson<{ items: { block: string; transactions: string[] }[] }>('mainnet/rawblocks_0_to_5.json');
    const headers = readJson<RecordedHeader[]>('rpc/block_headers_at_version_boundaries.json');
    const { engine, reader } = engineBench('mainnet', { checkpoints: Checkpoints.none });
    const blocks = items.map(({ block }) => ({ block: Buffer.from(block, 'hex'), transactions: [] }));
    expect(reader.rawBlock(0)?.block).toEqual(blocks[0]?.block);
    const results = await engine.addBlocks(blocks.slice(1), 'sync');
    expect(results.map(({ code }) => code)).toEqual([
      'ADDED_TO_MAIN',
      'ADDED_TO_MAIN',
      'ADDED_TO_MAIN',
      'ADDED_TO_MAIN',
      'ADDED_TO_MAIN',
    ]);
    for (let height = 0; height <= 5; height++) {
      const facts = reader.facts(height)!;
      const raw = reader.rawBlock(height)!;
      const { block } = parseBlock(raw.block);
      expect(headers.find((header) => header.height === height)).toEqual({
        height,
        major_version: facts.majorVersion,
        hash: facts.hash.toString('hex'),
        prev_hash: block.previousHash.toString('hex'),
        nonce: block.nonce,
        timestamp: facts.timestamp,
        difficulty: Number(facts.difficulty),
        reward: Number(block.coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n)),
        block_size: raw.block.length,
      });
    }
    await engine.stop();
  });

  it('rejects block 1 if its work is insufficient, and stores nothing of it', async () => {
    const { items } = readJson<{ items: { block: string }[] }>('mainnet/rawblocks_0_to_5.json');
    const blocks = items.slice(1).map(({ block }) => ({ block: Buffer.from(block, 'hex'), transactions: [] }));
    const { engine } = engineBench('mainnet');
    const good = await engine.addBlocks(blocks.slice(0, 3), 'sync');
    expect(good.map(({ code }) => code)).toEqual(['ADDED_TO_MAIN', 'ADDED_TO_MAIN', 'ADDED_TO_MAIN']);
    const fourth = blocks[3]!;
    const parsed = parseBlock(fourth.block).block;
    const nonce = Buffer.alloc(4);
    nonce.writeUInt32LE(parsed.nonce);
    const [bad] = await engine.addBlocks([flipped(fourth, fourth.block.indexOf(nonce))], 'sync');
    expect(bad).toMatchObject({ code: 'PROOF_OF_WORK_TOO_WEAK', message: 'Proof of work is too weak' });
    expect(engine.tip().height).toBe(3);
    await engine.stop();
  });
});

describe('refusals', () => {
  it('stop at the first invalid block: earlier blocks are stored, later ones dropped', async () => {
    const { engine, commits } = engineBench('devnet');
    const blocks = [...wholeBlocks.slice(0, 60)];
    // A timestamp's last byte: the block is another one and its work no longer fits.
    blocks[40] = flipped(blocks[40]!, blocks[40]!.block.length - 40);
    const results = await engine.addBlocks(blocks, 'sync');
    expect(results).toHaveLength(41);
    expect(results.slice(0, 40).every(({ code }) => code === 'ADDED_TO_MAIN')).toBe(true);
    expect(isAccepted(results[40]!)).toBe(false);
    expect(engine.tip().height).toBe(40);
    expect(commits().at(-1)?.tip.height).toBe(40);
    await engine.stop();
  });

  it('of one call do not affect the next call', async () => {
    const { engine } = engineBench('devnet');
    const bad = [...wholeBlocks.slice(0, 30), flipped(wholeBlocks[30]!, wholeBlocks[30]!.block.length - 40)];
    const [first, second] = await Promise.all([
      engine.addBlocks(bad, 'relay'),
      engine.addBlocks(wholeBlocks.slice(30, 60), 'sync'),
    ]);
    expect(first).toHaveLength(31);
    expect(second.map(({ code }) => code)).toEqual(Array<string>(30).fill('ADDED_TO_MAIN'));
    await engine.stop();
  });

  it('distinguish an orphan, a known block and an unreadable block', async () => {
    const { engine } = engineBench('devnet');
    await engine.addBlocks(wholeBlocks.slice(0, 5), 'sync');
    expect(await engine.addBlocks([wholeBlocks[9]!], 'relay')).toMatchObject([{ code: 'REJECTED_AS_ORPHANED' }]);
    expect(await engine.addBlocks([wholeBlocks[2]!], 'relay')).toMatchObject([{ code: 'ALREADY_EXISTS', height: 3 }]);
    expect(await engine.addBlocks([{ block: Buffer.from('nonsense'), transactions: [] }], 'relay')).toMatchObject([
      { code: 'DESERIALIZATION_FAILED' },
    ]);
    await engine.stop();
  });

  it('never accept a truncated or altered block or transaction as another', async () => {
    const { engine, directory } = engineBench('devnet');
    const at = wholeBlocks.findIndex(({ transactions }) => transactions.length > 1);
    await engine.addBlocks(wholeBlocks.slice(0, at), 'sync');
    const block = wholeBlocks[at]!;
    const [transaction, ...others] = block.transactions as [Buffer, ...Buffer[]];
    const altered = Buffer.from(transaction);
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
    const bad: RawBlock[] = [
      ...[1, 10, block.block.length >> 1, block.block.length - 1].map((end) => ({
        ...block,
        block: block.block.subarray(0, end),
      })),
      { ...block, block: Buffer.concat([block.block, Buffer.from([0])]) },
      { ...block, transactions: others },
      { ...block, transactions: [...block.transactions, transaction] },
      { ...block, transactions: [transaction.subarray(0, -1), ...others] },
      { ...block, transactions: [altered, ...others] },
      { ...block, transactions: [] },
    ];
    const broken = Object.keys(REASONS).filter(
      (code) => ![MAIN, SIDE, SWITCHED, KNOWN, 'REJECTED_AS_ORPHANED'].includes(code),
    );
    for (const raw of bad) expect(broken).toContain((await engine.addBlocks([raw], 'relay'))[0]?.code);
    expect(engine.tip().height).toBe(at);
    expect(await engine.addBlocks([block], 'relay')).toMatchObject([{ code: 'ADDED_TO_MAIN' }]);
    await engine.stop();
    await expect(digestOf(directory, 'devnet')).resolves.toMatch(/^[0-9a-f]{64}$/);
  });

  it('reject calls after a stop, and let the running call finish', async () => {
    const { engine, directory } = engineBench('devnet');
    const adding = engine.addBlocks(wholeBlocks, 'import');
    adding.catch(() => undefined);
    await new Promise((resolve) => engine.once('commit', resolve));
    await engine.stop();
    await expect(adding).rejects.toThrow('the chain engine has stopped');
    await expect(engine.addBlocks(wholeBlocks, 'import')).rejects.toThrow('the chain engine has stopped');
    await expect(digestOf(directory, 'devnet')).resolves.toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the checkpoint zone', () => {
  const listed = (heights: number[]): Checkpoints =>
    new Checkpoints(new Map(heights.map((height) => [height, Buffer.from(chainAHeaders()[height]!.hash, 'hex')])));

  it('reaches the same state for the same chain without checking proofs', async () => {
    const full = engineBench('devnet');
    const zone = engineBench('devnet', { checkpoints: listed([100, 300, 360]) });
    const blocks = wholeBlocks.slice(0, 360);
    await full.engine.addBlocks(blocks, 'import');
    await zone.engine.addBlocks(blocks, 'import');
    expect(zone.engine.tip().height).toBe(360);
    expect(await zone.digest()).toBe(await full.digest());
  });

  it('rejects a block whose hash differs from its checkpoint', async () => {
    const wrong = new Checkpoints(new Map([[50, Buffer.alloc(32, 7)]]));
    const { engine } = engineBench('devnet', { checkpoints: wrong });
    const results = await engine.addBlocks(wholeBlocks, 'sync');
    expect(results.at(-1)).toMatchObject({
      code: 'CHECKPOINT_BLOCK_HASH_MISMATCH',
      message: 'Checkpoint block hash mismatch',
    });
    expect(engine.tip().height).toBe(49);
    await engine.stop();
  });

  it('rejects a key image spent twice, though signatures are not checked', async () => {
    const checkpoints = new Checkpoints(new Map([[200, Buffer.alloc(32, 7)]]));
    const bench = engineBench('simnet', { checkpoints });
    const testWallet = new TestWallet('zone');
    const network = networkOf('simnet');
    const options = { network, timestamp: NOW - 1_000_000, receiver: testWallet, checkpoints };
    const forge = new Forge(bench.reader.viewAt(0), options);
    const blocks = await forge.many(50);
    await bench.engine.addBlocks(blocks, 'sync');
    const output = testWallet
      .find(
        blocks[4]!,
        5,
        bench.reader.globalIndexes(5).map(({ indexes }) => indexes),
      )
      .at(-1)!;
    const first = await forge.next([testWallet.spend(output, { fee: 10n })]);
    expect(await bench.engine.addBlocks([first], 'sync')).toMatchObject([{ code: 'ADDED_TO_MAIN' }]);
    // A miner that ignores the first spend.
    const blind = Object.assign(bench.reader.viewAt(51), { keyImageHeight: () => undefined });
    const dishonest = new Forge(blind, { ...options, timestamp: NOW - 900_000 });
    const before = await dishonest.next([testWallet.spend(output, { fee: 20n })]);
    expect(before.transactions).toHaveLength(1);
    const results = await bench.engine.addBlocks([before, await dishonest.next()], 'sync');
    expect(results).toMatchObject([
      { code: 'INPUT_KEYIMAGE_ALREADY_SPENT', message: 'Transaction contains an input which has already been spent' },
    ]);
    expect(bench.engine.tip().height).toBe(51);
    await bench.digest();
  });
});

describe('a disk write error', () => {
  it('stops the engine: calls are rejected, nothing is half written, the next start resumes', async () => {
    const directory = temporaryDirectory();
    const db = openChainDb({ directory, network: 'devnet' });
    const engine = new ChainEngine({ db, network: networkOf('devnet'), checkpoints: Checkpoints.none, now: () => NOW });
    await engine.addBlocks(wholeBlocks.slice(0, 20), 'sync');
    const failed = new Promise<Error>((resolve) => engine.once('failed', resolve));
    jest.spyOn(db.writer!, 'append').mockImplementation(() => {
      throw new WriterFailed(new Error('database or disk is full'));
    });
    const calls = [
      engine.addBlocks(wholeBlocks.slice(20, 40), 'sync'),
      engine.addBlocks(wholeBlocks.slice(40, 60), 'sync'),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(ChainFailed);
    expect((await failed).message).toContain('database or disk is full');
    await expect(engine.addBlocks(wholeBlocks.slice(20, 40), 'sync')).rejects.toThrow(ChainFailed);
    expect(engine.tip().height).toBe(20);
    await engine.stop();
    const again = engineBench('devnet', { directory });
    expect(again.engine.tip().height).toBe(20);
    await again.engine.addBlocks(wholeBlocks.slice(20, 60), 'sync');
    expect(again.engine.tip().height).toBe(60);
    await again.digest();
  });

  it('stops the engine in a maintenance job too: queued jobs and blocks are rejected', async () => {
    const { engine } = engineBench('devnet');
    const failure = new WriterFailed(new Error('disk I/O error'));
    const compactStep = jest.spyOn(ChainWriter.prototype, 'compactStep').mockImplementation(() => {
      jest.spyOn(ChainWriter.prototype, 'failed', 'get').mockReturnValue(failure);
      throw failure;
    });
    const failed = new Promise<Error>((resolve) => engine.once('failed', resolve));
    const jobs = [engine.compactStep(), engine.compactStep()] as const;
    const adding = engine.addBlocks(wholeBlocks.slice(0, 5), 'sync');
    await expect(jobs[0]).rejects.toBe(failure);
    await expect(jobs[1]).rejects.toThrow(ChainFailed);
    await expect(adding).rejects.toThrow(ChainFailed);
    expect((await failed).message).toContain('disk I/O error');
    expect(compactStep).toHaveBeenCalledTimes(1);
    await expect(engine.compactStep()).rejects.toThrow(ChainFailed);
    jest.restoreAllMocks();
    await engine.stop();
  });
});
