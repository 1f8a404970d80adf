import { once } from 'node:events';
import { connect } from 'node:net';
import { parseBlock, parseTransaction } from '@wrkz/core-types';
import { buildSpend, chainAWallet, findNonceHere, freePort, type SuiteNode, spendable } from '@wrkz/testing';
import { Subscriber } from 'zeromq';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

/* The publisher over TCP, read by the library that others read it with: all six topics, to the byte. */

exercises('no-zmq');

const suite = newSuite();
const [alice, bob] = [chainAWallet('alice'), chainAWallet('bob')];
const subscribers: Subscriber[] = [];

afterAll(async () => {
  for (const subscriber of subscribers) subscriber.close();
  await suite.stopAll();
});

type Message = `${string} ${string}`;

/** The messages of one subscriber. */
class Reader {
  private readonly subscriber = new Subscriber();

  constructor(port: number, ...topics: readonly string[]) {
    subscribers.push(this.subscriber);
    this.subscriber.connect(`tcp://127.0.0.1:${String(port)}`);
    this.subscriber.subscribe(...topics);
  }

  async next(): Promise<Message> {
    const frames = await this.subscriber.receive();
    expect(frames).toHaveLength(2);
    return `${String(frames[0])} ${String(frames[1])}`;
  }

  /** Everything up to the first message that begins so, that one included. */
  async until(start: string): Promise<Message[]> {
    const read: Message[] = [];
    while (read.at(-1)?.startsWith(start) !== true) read.push(await this.next());
    return read;
  }
}

/** The messages of a block that joined the main chain, by its bytes. */
async function blockMessages(node: SuiteNode, height: number): Promise<Message[]> {
  const { items } = await node.post<{ items: { block: string; transactions: string[] }[] }>('/getrawblocks', {
    startHeight: height,
    blockCount: 1,
  });
  const [{ block, transactions }] = items as [(typeof items)[0]];
  const { hash, coinbase } = parseBlock(Buffer.from(block, 'hex'));
  const hashes = [coinbase.hash, ...transactions.map((hex) => parseTransaction(Buffer.from(hex, 'hex')).hash)];
  const list = hashes.map((one) => `"${one.toString('hex')}"`).join(',');
  const start = `{"height":${String(height)},"hash":"${hash.toString('hex')}"`;
  return [`hashblock ${start}}`, `chain_main ${start},"transaction_hashes":[${list}]}`];
}

/** A subscription becomes effective with a delay: blocks are mined until one is received. */
async function heard(node: SuiteNode, reader: Reader): Promise<void> {
  let listens = false;
  const first = reader.next().then((message) => {
    listens = true;
    return message;
  });
  while (!listens) {
    await node.generate(bob.address, 1);
    await new Promise(setImmediate);
  }
  const [, top = ''] = await blockMessages(node, node.height);
  if ((await first) !== top) await reader.until(top);
}

test('publishes blocks, the pool and reorganisations as documented', async () => {
  const from = await suite.chainA();
  const port = await freePort();
  const args = ['--no-zmq=false', '--zmq-pub', `tcp://127.0.0.1:${String(port)}`];
  const node = await suite.node({ from, args });
  const fork = node.height;
  const reader = new Reader(port, '');
  await heard(node, reader);

  const [output] = await spendable(node, alice);
  if (output === undefined) throw new Error('alice has nothing to spend');
  const spend = await buildSpend(node, alice, output, { height: node.height, fee: 1_000n, findNonce: findNonceHere });
  await node.post('/sendrawtransaction', { tx_as_hex: spend.transaction.toString('hex') });
  expect(await reader.next()).toBe(`txpool_add {"hashes":["${spend.hash}"]}`);

  await node.generate(bob.address, 1);
  const mined = await blockMessages(node, node.height);
  expect(mined[1]).toContain(spend.hash);
  const left = `txpool_del {"hashes":["${spend.hash}"],"reason":"InBlock"}`;
  expect([await reader.next(), await reader.next(), await reader.next()]).toEqual([...mined, left]);

  // Another miner continues on an older block.
  const other = await suite.node({ from });
  const hashes = await other.generate(alice.address, node.height - fork + 1);
  const [root] = await blockMessages(other, fork);
  await other.stop();
  const beside = new Reader(port, 'hashblock_alt', 'chainswitch');
  const joined = await suite.node({ from: other.dataDir, peers: [node.p2pPort] });
  await node.untilTip(hashes.at(-1) ?? '');
  await joined.untilTip(node.tip);
  const read = await reader.until('chainswitch');
  expect(read.slice(0, hashes.length - 1)).toEqual(
    hashes.slice(0, -1).map((hash, i) => `hashblock_alt {"height":${String(fork + 1 + i)},"hash":"${hash}"}`),
  );
  const rootHash = (JSON.parse((root ?? '').slice('hashblock '.length)) as { hash: string }).hash;
  const list = [rootHash, ...hashes].map((hash) => `"${hash}"`).join(',');
  expect(read.at(-1)).toBe(`chainswitch {"common_root_height":${String(fork)},"hashes":[${list}]}`);
  expect(read).toHaveLength(hashes.length);
  // Its blocks are not published again; their transactions are in the pool again.
  expect(await reader.next()).toBe(`txpool_add {"hashes":["${spend.hash}"]}`);
  // A subscriber of some topics gets only these, with equal messages.
  expect(read).toContain(await beside.next());
});

test('opens no listener without the option', async () => {
  const port = await freePort();
  const node = await suite.node({
    args: ['--no-zmq=false', '--zmq-pub', `tcp://127.0.0.1:${String(port)}`, '--no-zmq'],
  });
  await node.generate(bob.address, 1);
  // The port is still free for another one to take.
  const second = await suite.node({ args: ['--rpc-bind-port', String(port)] });
  expect(second.daemon.ports.rpc).toBe(port);
});

test('closes the connection of a subscriber that announces a subscription of 1 GiB', async () => {
  const port = await freePort();
  await suite.node({ args: ['--no-zmq=false', '--zmq-pub', `tcp://127.0.0.1:${String(port)}`] });
  const socket = connect(port, '127.0.0.1').resume();
  const closed = once(socket, 'close');
  const greeting = Buffer.alloc(64);
  greeting.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]);
  greeting.write('NULL', 12);
  const ready = Buffer.from('\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03SUB', 'latin1');
  socket.write(Buffer.concat([greeting, ready]));
  const header = Buffer.from([2, 0, 0, 0, 0, 0x40, 0, 0, 0]);
  socket.write(header);
  await closed;
});
