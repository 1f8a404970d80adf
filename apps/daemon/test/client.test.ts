import { databaseFile } from '@wrkz/chain-db';
import { chainA, chainAHeaders } from '@wrkz/testing';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ChainClient } from '../src/chain/client';
import type { CommitEvent } from '../src/chain/service';
import { digestOf, engineBench } from './support/engine';
import { temporaryDirectory } from './support/temporary';

const start = (directory: string, network: 'devnet' | 'simnet' = 'devnet'): Promise<ChainClient> =>
  ChainClient.start({ directory, network, checkpoints: '' });

describe('the engine in a worker thread', () => {
  it('gives the same results, and emits the commit event before the call resolves', async () => {
    const directory = temporaryDirectory();
    const client = await start(directory);
    expect(client.tip()).toMatchObject({ height: 0, alternativeCount: 0 });
    const events: CommitEvent[] = [];
    client.on('commit', (event) => events.push(event));
    const blocks = chainA().slice(1, 101);
    const results = await client.addBlocks(blocks, 'sync');
    expect(results.map(({ code }) => code)).toEqual(blocks.map(() => 'ADDED_TO_MAIN'));
    expect(results[99]?.hash?.toString('hex')).toBe(chainAHeaders()[100]?.hash);
    expect(Buffer.isBuffer(results[0]?.hash)).toBe(true);
    expect(events.at(-1)).toMatchObject({ kind: 'append', tip: { height: 100 } });
    const reported = events.flatMap((event) => (event.kind === 'alternative' ? [] : event.added));
    expect(reported.map(({ hash }) => hash.toString('hex'))).toEqual(
      chainAHeaders()
        .slice(1, 101)
        .map(({ hash }) => hash),
    );
    expect(reported.flatMap(({ transactionHashes }) => transactionHashes.map((hash) => hash.toString('hex')))).toEqual(
      chainAHeaders()
        .slice(1, 101)
        .flatMap(({ tx_hashes }) => tx_hashes),
    );
    expect(client.tip().cumulativeDifficulty).toBe(1001n);
    await client.rewindTo(60);
    expect(client.tip().height).toBe(60);
    await expect(client.rewindTo(61)).rejects.toThrow(RangeError);
    await client.stop();
    const twin = engineBench('devnet');
    await twin.engine.addBlocks(blocks.slice(0, 60), 'sync');
    expect(await digestOf(directory, 'devnet')).toBe(await twin.digest());
  });

  it('runs calls in order and drops queued ones at a stop', async () => {
    const directory = temporaryDirectory();
    const client = await start(directory);
    const calls = Array.from({ length: 72 }, (_, i) =>
      client.addBlocks(chainA().slice(1 + i * 10, 11 + i * 10), 'sync'),
    );
    const ends = Promise.allSettled(calls);
    await new Promise((resolve) => client.once('commit', resolve));
    await client.stop();
    const settled = await ends;
    const done = settled.filter(({ status }) => status === 'fulfilled').length;
    expect(settled.map(({ status }) => status)).toEqual(settled.map((_, i) => (i < done ? 'fulfilled' : 'rejected')));
    expect(settled.at(-1)).toMatchObject({ reason: { name: 'ChainStopped' } });
    await expect(client.addBlocks(chainA().slice(1, 2), 'sync')).rejects.toThrow('the chain engine has stopped');
    await digestOf(directory, 'devnet');
  });

  it('rejects a rewind that reads damaged data, and stops', async () => {
    const directory = temporaryDirectory();
    const first = await start(directory);
    await first.addBlocks(chainA().slice(1, 101), 'sync');
    await first.stop();
    const file = databaseFile(directory);
    const bytes = readFileSync(file);
    const at = bytes.indexOf(chainA()[100]?.block.subarray(0, 60) ?? '');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const client = await start(directory);
    await expect(client.rewindTo(60)).rejects.toThrow('does not fit its checksum');
    await client.stop();
  });

  it('delays a call while 24 MiB are queued before it', async () => {
    const client = await start(temporaryDirectory());
    const held: (() => void)[] = [];
    const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...given) {
      held.push(() => {
        this.postMessage(...given);
      });
    });
    const calls = [16, 8, 1].map((mebibytes) =>
      client.addBlocks([{ block: Buffer.alloc(mebibytes << 20), transactions: [] }], 'sync'),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(held).toHaveLength(2);
    post.mockRestore();
    for (const send of held) send();
    expect((await Promise.all(calls)).flat().map(({ code }) => code)).toEqual([
      'DESERIALIZATION_FAILED',
      'DESERIALIZATION_FAILED',
      'DESERIALIZATION_FAILED',
    ]);
    await client.stop();
  });

  it('reports why it cannot start', async () => {
    const directory = temporaryDirectory();
    const client = await start(directory);
    await expect(start(directory)).rejects.toThrow('in use by another running program');
    await client.stop();
    await expect(start(directory, 'simnet')).rejects.toThrow('belongs to devnet, not to simnet');
    await expect(start('/proc/none')).rejects.toThrow('/proc/none');
    const setup = { directory, network: 'devnet', checkpoints: join(directory, 'missing') } as const;
    await expect(ChainClient.start(setup)).rejects.toThrow('cannot be read');
  });
});
