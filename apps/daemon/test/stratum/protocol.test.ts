import { stratumApi } from '@wrkz/api';
import type { TemplateBody } from '@wrkz/consensus';
import { encodeAddress } from '@wrkz/core-types';
import { OTHER_WORKERS } from '../../src/stratum/workers';
import { type StratumBench, stratumBench, WORST_HASH, ZERO_HASH } from './support';

const { stratumErrors } = stratumApi;

let bench: StratumBench;
/** The texts of the table that were seen. */
const provoked = new Set<string>();
const note = (text: string | undefined): string | undefined => {
  if (text !== undefined) provoked.add(text);
  return text;
};

beforeEach(async () => {
  bench = await stratumBench('simnet');
});
afterEach(() => bench.close());

describe('login', () => {
  it('returns a unique session and job', async () => {
    const [one, two] = [bench.connect(), bench.connect()];
    const first = await one.request('login', { login: bench.address, pass: 'x', agent: 'a/1' }, 7);
    expect(first).toMatchObject({ id: 7, jsonrpc: '2.0', error: null });
    expect(first.result).toMatchObject({ status: 'OK', extensions: [], id: expect.stringMatching(/^\d+$/) as string });
    const second = await two.login(bench.address);
    expect(first.result?.job).toMatchObject({
      job_id: expect.stringMatching(/^\d+$/) as string,
      height: 1,
      algo: 'cn/0',
      target: 'ffffffffffffffff',
    });
    expect(second.job_id).not.toBe(first.result?.job?.job_id);
    expect(second.blob).not.toBe(first.result?.job?.blob);
    expect(Object.keys(first)).toEqual(['id', 'jsonrpc', 'error', 'result']);
  });

  it('rejects an invalid address with the text of the wallets, and closes the connection', async () => {
    const integrated = encodeAddress({ ...bench.testWallet, paymentId: 'ab'.repeat(32) });
    for (const [login, text] of [
      [undefined, /^The address given is the wrong length\. .* but it is 0 chars\.$/],
      [bench.address.slice(1), /but it is 97 chars/],
      [`X${bench.address.slice(1)}`, /does not have the correct prefix/],
      [integrated, /is an integrated address/],
      [5, /but it is 0 chars/],
    ] as const) {
      const miner = bench.connect();
      expect(await miner.refusal('login', { login })).toMatch(text);
      await miner.closed;
    }
    provoked.add(stratumErrors.wrongAddress.text);
  });

  it('is refused while the node synchronizes, and the connection stays open', async () => {
    bench.state.ready = false;
    const miner = bench.connect();
    expect(note(await miner.refusal('login', { login: bench.address }))).toBe(
      'Node is still synchronizing (1 of 100); mining would only produce orphans. Retry once it has caught up.',
    );
    provoked.add(stratumErrors.synchronizingLogin.text);
    bench.state.ready = true;
    await miner.login(bench.address);
    bench.state.ready = false;
    expect(note(await miner.refusal('getjob'))).toBe('Node is still synchronizing');
  });

  it('invalidates earlier jobs if repeated', async () => {
    const miner = bench.connect();
    const first = await miner.login(bench.address);
    await miner.login(bench.address);
    expect(await miner.refusal('submit', { job_id: first.job_id, nonce: '00000000' })).toBe('Invalid job id');
    expect(bench.server.workers.list()).toMatchObject([{ connections: 1 }]);
  });
});

describe('jobs', () => {
  it('getjob returns the same one until the tip changes; then a new one is pushed', async () => {
    const miner = bench.connect();
    const job = await miner.login(bench.address);
    expect((await miner.request('getjob')).result).toEqual(job);
    await bench.mine(1);
    const pushed = await miner.next();
    expect(pushed).toMatchObject({ jsonrpc: '2.0', method: 'job', params: { height: 2 } });
    expect(Object.keys(pushed)).toEqual(['jsonrpc', 'method', 'params']);
    expect((await miner.request('getjob')).result).toEqual(pushed.params);
  });

  it('are pushed to all logged-in miners, and to no other connection', async () => {
    const miners = [bench.connect(), bench.connect()];
    const stranger = bench.connect();
    await stranger.request('keepalive');
    for (const miner of miners) await miner.login(bench.address);
    await bench.mine(1);
    for (const miner of miners) expect((await miner.next()).params?.height).toBe(2);
    expect((await stranger.request('keepalived')).result).toEqual({ status: 'KEEPALIVED' });
    expect(stranger.received.filter(({ method }) => method === 'job')).toEqual([]);
  });

  it('of the last four tips are valid; none is pushed while the node synchronizes', async () => {
    const miner = bench.connect();
    const jobs = [await miner.login(bench.address)];
    for (let i = 0; i < 4; i++) {
      await bench.mine(1);
      jobs.push((await miner.next()).params!);
    }
    const [oldest, second] = jobs;
    bench.state.compute = async () => WORST_HASH;
    expect(await miner.refusal('submit', { job_id: oldest!.job_id, nonce: '00000000' })).toBe('Invalid job id');
    // Every hash meets difficulty 1, and on simnet it is a block: here of a replaced tip.
    expect(await miner.refusal('submit', { job_id: second!.job_id, nonce: '00000000' })).toBe('Block not accepted');
    bench.state.ready = false;
    await bench.mine(1);
    expect((await miner.request('keepalive')).result).toEqual({ status: 'KEEPALIVED' });
    expect(miner.received.filter(({ method }) => method === 'job')).toHaveLength(4);
  });

  it('of other connections are unknown here', async () => {
    const [one, two] = [bench.connect(), bench.connect()];
    const foreign = await one.login(bench.address);
    await two.login(bench.address);
    expect(await two.refusal('submit', { job_id: foreign.job_id, nonce: '00000000' })).toBe('Invalid job id');
  });
});

describe('submit', () => {
  it('reports errors in the order of the reference', async () => {
    const miner = bench.connect();
    expect(note(await miner.refusal('getjob'))).toBe('Unauthenticated');
    expect(await miner.refusal('submit', { job_id: 'x', nonce: 'y' })).toBe('Unauthenticated');
    const { job_id } = await miner.login(bench.address);
    const send = async (params: object): Promise<string | undefined> => note(await miner.refusal('submit', params));
    expect(await send({ job_id: 'x', nonce: 'y' })).toBe('Invalid job id');
    expect(await send({ job_id: Number(job_id), nonce: '00000000' })).toBe('Invalid job id');
    for (const nonce of ['', '1234567', '123456789', '0x123456', 'zzzzzzzz', 5])
      expect(await send({ job_id, nonce })).toBe('Malformed nonce');
    bench.state.compute = async () => Promise.reject(new Error('no hash'));
    expect(await send({ job_id, nonce: '00000001', result: 'ff' })).toBe('Could not hash share');
    bench.state.compute = async () => ZERO_HASH;
    // Regardless of the outcome.
    expect(await send({ job_id, nonce: '00000001' })).toBe('Duplicate share');
    expect(await send({ job_id, nonce: '00000002', result: 'ff'.repeat(32) })).toBe('Invalid result');
    const outcome = await miner.request('submit', { job_id, nonce: 'ABCDEF01', result: '0'.repeat(64) });
    expect(outcome).toMatchObject({ error: null, result: { status: 'OK' } });
  });

  it('reports a low share, and counts a share that is not a block', async () => {
    // A scripted verdict of the chain for a false hash: with real hashes one nonce in ten would be invalid.
    const add = async () => ({ code: 'PROOF_OF_WORK_TOO_WEAK', message: 'too weak' }) as const;
    const other = await stratumBench('devnet', { shareDifficulty: { fixed: 3n, interval: 0 } }, { add });
    const miner = other.connect();
    const { job_id, target } = await miner.login(other.address);
    expect(target).toBe('5555555555555555');
    other.state.compute = async () => WORST_HASH;
    expect(note(await miner.refusal('submit', { job_id, nonce: '00000000' }))).toBe('Low difficulty share');
    const half = Buffer.alloc(32);
    half[31] = 0x40; // meets 3, not 10
    other.state.compute = async () => half;
    expect((await miner.request('submit', { job_id, nonce: '00000001', result: half.toString('hex') })).result).toEqual(
      {
        status: 'OK',
      },
    );
    expect(other.reader.tip().height).toBe(0);
    other.state.compute = async () => ZERO_HASH;
    expect(note(await miner.refusal('submit', { job_id, nonce: '00000002' }))).toBe('Block not accepted');
    expect(other.server.workers.list()).toMatchObject([{ shares: { accepted: 1, rejected: 2, stale: 0 }, blocks: 0 }]);
    await other.close();
  });

  it('adds a block before its response, and then pushes a new job to its finder', async () => {
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address);
    miner.send({ id: 1, method: 'submit', params: { job_id, nonce: '12345678' } });
    expect((await miner.next()).result).toEqual({ status: 'OK' });
    expect(bench.reader.tip().height).toBe(1);
    expect(await miner.next()).toMatchObject({ method: 'job', params: { height: 2 } });
    expect(bench.server.workers.list()).toMatchObject([{ shares: { accepted: 1 }, blocks: 1 }]);
    const raw = bench.reader.rawBlock(1)!;
    expect(raw.block.includes(Buffer.from('12345678', 'hex'))).toBe(true);
    await bench.digest();
  });

  it('after a block is rejected because of a transaction, every miner gets a job without it on the same tip', async () => {
    const bodies: TemplateBody[] = [];
    await bench.close();
    bench = await stratumBench(
      'simnet',
      {},
      {
        body: async () => {
          bodies.push(await bench.miner.body());
          return bodies.at(-1)!;
        },
        add: async () => ({ code: 'INPUT_INVALID_SIGNATURES', message: 'x', transactionHash: Buffer.alloc(32, 1) }),
      },
    );
    const [finder, second] = [bench.connect(), bench.connect()];
    const { job_id } = await finder.login(bench.address);
    await second.login(bench.address);
    expect(bodies).toHaveLength(1);
    expect(note(await finder.refusal('submit', { job_id, nonce: '00000001' }))).toBe('Block not accepted');
    expect(await finder.next()).toMatchObject({ method: 'job', params: { height: 1 } });
    bench.server.check();
    expect(await second.next()).toMatchObject({ method: 'job', params: { height: 1 } });
    expect(bodies).toHaveLength(2);
  });

  it('counts a share of an old tip as stale', async () => {
    const genesis = bench.engine.tip();
    let tip = genesis;
    const other = await stratumBench('devnet', { shareDifficulty: { fixed: 3n, interval: 0 } }, { tip: () => tip });
    const half = Buffer.alloc(32);
    half[31] = 0x40;
    other.state.compute = async () => half;
    const miner = other.connect();
    const { job_id } = await miner.login(other.address);
    tip = { ...genesis, hash: Buffer.alloc(32, 1) };
    expect((await miner.request('submit', { job_id, nonce: '00000001' })).result).toEqual({ status: 'OK' });
    expect(other.server.workers.list()).toMatchObject([{ shares: { accepted: 0, rejected: 0, stale: 1 } }]);
    await other.close();
  });
});

describe('lines', () => {
  it('may be split, combined, empty, or end with a carriage return', async () => {
    const miner = bench.connect();
    const line = JSON.stringify({ id: 1, method: 'keepalived' });
    miner.raw(line.slice(0, 5));
    miner.raw(`${line.slice(5)}\r\n\n\r\n${line}\n${line}\n`);
    for (let i = 0; i < 3; i++) expect(await miner.next()).toMatchObject({ id: 1, result: { status: 'KEEPALIVED' } });
  });

  it.each([[null], ['a'], [12_345_678_901_234], [{ a: [1] }]])('the id %j is returned unchanged', async (id) => {
    expect((await bench.connect().request('keepalive', {}, id)).id).toEqual(id);
  });

  it('preserve all digits of an id beyond 53 bits, and treat a missing id as null', async () => {
    const miner = bench.connect();
    miner.raw('{"id":9007199254740993123,"method":"x"}\n{"method":"x"}\n');
    await miner.next();
    const { id, error } = await miner.next();
    expect(id).toBeNull();
    expect(note(error?.message)).toBe('Unknown method');
  });

  it.each([['[]'], ['5'], ['"login"'], ['null'], ['{'], ['{"a":1}}'], [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`]])(
    '%s ends the connection',
    async (line) => {
      const miner = bench.connect();
      miner.raw(`${line}\n`);
      await miner.closed;
      expect(miner.received).toEqual([]);
    },
  );

  it.each([['toString'], ['__proto__'], [''], [null], [5], [['login']]])(
    'rejects the unknown method %j',
    async (method) => {
      const miner = bench.connect();
      miner.send({ id: 1, method });
      expect((await miner.next()).error).toEqual({ code: -1, message: 'Unknown method' });
    },
  );

  it('treat params that are not an object as absent', async () => {
    const miner = bench.connect();
    miner.send({ id: 1, method: 'keepalive', params: [1] });
    expect((await miner.next()).result).toEqual({ status: 'KEEPALIVED' });
  });
});

describe('templates that cannot be built', () => {
  it.each([
    [
      'Could not create a block template: the disk is away',
      'noTemplate',
      { body: () => Promise.reject(new Error('the disk is away')) },
    ],
  ] as const)('%s', async (text, row, change) => {
    const other = await stratumBench('simnet', {}, change);
    expect(await other.connect().refusal('login', { login: other.address })).toBe(text);
    provoked.add(stratumErrors[row].text);
    await other.close();
  });

  it('are refused for a difficulty of 0 and an unknown block version', async () => {
    const change = { difficulty: 0n };
    const other = await stratumBench(
      'simnet',
      {},
      { complete: (...args) => ({ ...bench.miner.complete(...args), ...change }) },
    );
    const miner = other.connect();
    expect(note(await miner.refusal('login', { login: other.address }))).toBe('The chain reported a zero difficulty');
    await other.close();
    const third = await stratumBench(
      'simnet',
      {},
      {
        complete: (...args) => {
          const template = bench.miner.complete(...args);
          return { ...template, block: { ...template.block, majorVersion: 99 } };
        },
      },
    );
    expect(await third.connect().refusal('login', { login: third.address })).toMatch(
      /^Could not build the hashing blob: /,
    );
    provoked.add(stratumErrors.noBlob.text);
    await third.close();
  });

  it('report a block that cannot be stored', async () => {
    const other = await stratumBench(
      'simnet',
      {},
      {
        complete: (...args) => {
          const template = bench.miner.complete(...args);
          // The coinbase can be hashed, but the list of transactions cannot be serialized.
          const broken = { ...template.block, transactionHashes: [] as Buffer[] };
          let reads = 0;
          Object.defineProperty(broken, 'transactionHashes', {
            enumerable: true,
            get: () => (++reads > 2 ? [Buffer.alloc(3)] : []),
          });
          return { ...template, block: broken };
        },
      },
    );
    const miner = other.connect();
    const { job_id } = await miner.login(other.address);
    const text = await miner.refusal('submit', { job_id, nonce: '00000000' });
    expect(note(text)).toBe('Could not serialize block');
    await other.close();
  });
});

it('every refusal of the table is provoked', () => {
  expect(
    Object.values(stratumErrors)
      .map(({ text }) => text)
      .filter((text) => !provoked.has(text)),
  ).toEqual([]);
  expect(OTHER_WORKERS).toBe('others');
});
