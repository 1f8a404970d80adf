import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CorruptDatabase } from '@wrkz/chain-db';
import { Checkpoints } from '@wrkz/consensus';
import { networkOf, parseBlock } from '@wrkz/core-types';
import { UsageError } from '@wrkz/service-kit';
import { chainA } from '@wrkz/testing';
import { readConfig } from '../src/config/config';
import { CheckpointsRefused, holdStored, loadCheckpoints } from '../src/chain/checkpoints';
import { peersConfig } from '../src/wiring/peers';
import { exercises } from './support/exercises';

exercises('network', 'simnet', 'data-dir', 'rpc-bind-ip', 'p2p-bind-ip');
exercises('import-blockchain', 'export-blockchain', 'max-export-blocks', 'verify');
exercises('seed-node', 'add-peer', 'add-exclusive-node', 'add-priority-node');

describe('options', () => {
  it('default to mainnet, its ports, and a folder other than that of the C++ program', () => {
    const config = readConfig([]);
    expect(config).toMatchObject({ action: 'serve', rpcPort: 17856, p2pPort: 17855 });
    expect(config.network.name).toBe('mainnet');
    expect(config.directory).toBe(join(homedir(), '.wrkzcoin-suite', 'daemon'));
  });

  it.each([
    [['--simnet'], 'simnet', 27856],
    [['--network', 'simnet'], 'simnet', 27856],
    [['--network=devnet'], 'devnet', 37856],
  ])('%p has its own sub-folder and ports', (args, name, port) => {
    const config = readConfig([...args, '--data-dir', '/data']);
    expect(config).toMatchObject({ directory: `/data/${name}`, rpcPort: port });
  });

  it.each([
    [{ network: 'devnet' }, ['--simnet'], 'simnet'],
    [{ simnet: true, network: 'mainnet' }, ['--network', 'devnet'], 'devnet'],
    [{ simnet: true, network: 'mainnet' }, [], 'simnet'],
    [{ simnet: true }, ['--simnet=false'], 'mainnet'],
  ])('a file with %j and %p on the command line give %s', (file, args, name) => {
    const folder = mkdtempSync(join(tmpdir(), 'wrkz-config-'));
    writeFileSync(join(folder, 'c.json'), JSON.stringify(file));
    expect(readConfig(['-c', join(folder, 'c.json'), ...args]).network.name).toBe(name);
    rmSync(folder, { recursive: true });
  });

  it('rejects an empty listen address, which would mean all addresses, and a host name, which would need DNS', () => {
    for (const name of ['rpc-bind-ip', 'p2p-bind-ip']) {
      for (const text of ['', 'localhost', '127.0.0', '1.2.3.4:80']) {
        expect(() => readConfig([`--${name}=${text}`])).toThrow(`--${name}: an IP address is expected`);
      }
      expect(() => readConfig([`--${name}=::1`])).not.toThrow();
    }
  });

  it('maps one-shot options to their action', () => {
    expect(readConfig(['--import-blockchain']).action).toBe('import');
    expect(readConfig(['--export-blockchain', '--max-export-blocks', '1000']).action).toBe('export');
    expect(readConfig(['--verify']).action).toBe('verify');
    expect(() => readConfig(['--verify', '--import-blockchain'])).toThrow(UsageError);
    expect(() => readConfig(['--export-blockchain', '--max-export-blocks', '999'])).toThrow(UsageError);
    expect(readConfig(['--network', 'devnet', '--export-blockchain', '--max-export-blocks', '9']).action).toBe(
      'export',
    );
  });

  it('gives peer addresses the default port of the network', () => {
    const more = [
      '--add-peer',
      '10.1.2.3',
      '--add-exclusive-node',
      '127.0.0.1:5',
      '--add-exclusive-node',
      '127.0.0.1:6',
    ];
    expect(peersConfig(readConfig(['--network', 'devnet', '--seed-node', 'example.org', ...more]))).toMatchObject({
      seeds: [{ host: 'example.org', port: 37855 }],
      addedPeers: [{ host: '10.1.2.3', port: 37855 }],
      exclusiveNodes: [
        { host: '127.0.0.1', port: 5 },
        { host: '127.0.0.1', port: 6 },
      ],
      synchronizedAlone: true,
    });
    expect(() => peersConfig(readConfig(['--add-priority-node', '::1']))).toThrow('is not an IPv4 address');
    expect(() => peersConfig(readConfig(['--seed-node', 'a b']))).toThrow(UsageError);
  });
});

describe('checkpoints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-checkpoints-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const mainnet = networkOf('mainnet');
  const file = (text: string): string => {
    const path = join(folder, 'c.csv');
    writeFileSync(path, text);
    return path;
  };
  const genesis = mainnet.genesis.hash.toString('hex');

  it('are sparse, agree with genesis and end at the documented height if built in', () => {
    const checkpoints = loadCheckpoints('default', mainnet);
    expect(checkpoints.highest).toBe(3_597_000);
    expect(checkpoints.agrees(0, mainnet.genesis.hash)).toBe(true);
    expect(checkpoints.agrees(100, Buffer.alloc(32))).toBe(false);
    expect(checkpoints.covers(3_597_000)).toBe(true);
    expect(checkpoints.covers(3_597_001)).toBe(false);
  });

  it('are empty on test networks and if disabled', () => {
    expect(loadCheckpoints('default', networkOf('devnet')).highest).toBe(-1);
    expect(loadCheckpoints('', mainnet).highest).toBe(-1);
  });

  it('may be extended by a file, not contradicted', () => {
    const more = loadCheckpoints(file(`0,${genesis}\n5000000,${'ab'.repeat(32)}\n`), mainnet);
    expect(more.highest).toBe(5_000_000);
    expect(() => loadCheckpoints(file(`100,${'00'.repeat(32)}\n`), mainnet)).toThrow(/contradict .* of block 100$/);
    expect(() => loadCheckpoints(file(`0,${'00'.repeat(32)}\n`), mainnet)).toThrow('are of another network');
    expect(() => loadCheckpoints(file('0;nothing\n'), mainnet)).toThrow(CheckpointsRefused);
    expect(() => loadCheckpoints(join(folder, 'missing'), mainnet)).toThrow('cannot be read');
    for (const path of ['/dev/zero', folder])
      expect(() => loadCheckpoints(path, mainnet)).toThrow(`the checkpoints ${path} cannot be read: it `);
    const large = join(folder, 'large');
    writeFileSync(large, '');
    truncateSync(large, 200 * 1024 * 1024);
    expect(() => loadCheckpoints(large, mainnet)).toThrow(/cannot be read: it has more than \d+ bytes/);
  });

  it('are compared with a stored chain up to its height', () => {
    const hashes = [0, 1, 2].map((height) => Buffer.alloc(32, height));
    const stored = { hashAt: (height: number) => hashes[height], rawBlock: () => undefined };
    const saying = (height: number, fill: number): Checkpoints =>
      new Checkpoints(new Map([[height, Buffer.alloc(32, fill)]]));
    expect(() => holdStored(saying(2, 2), stored)).not.toThrow();
    expect(() => holdStored(saying(3, 9), stored)).not.toThrow();
    expect(() => holdStored(saying(2, 9), stored)).toThrow(/has another block 2 than the checkpoints say/);
  });

  it('report a stored id that is not the hash of its block as damage, not as another chain', () => {
    const [, first] = chainA();
    if (first === undefined) throw new Error('chain A is empty');
    const own = parseBlock(first.block).hash;
    const known = new Checkpoints(new Map([[1, own]]));
    const flipped = Buffer.from(own);
    flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
    expect(() => holdStored(known, { hashAt: () => own, rawBlock: () => first })).not.toThrow();
    expect(() => holdStored(known, { hashAt: () => flipped, rawBlock: () => first })).toThrow(CorruptDatabase);
    const other = new Checkpoints(new Map([[1, flipped]]));
    expect(() => holdStored(other, { hashAt: () => own, rawBlock: () => first })).toThrow(CheckpointsRefused);
  });
});
