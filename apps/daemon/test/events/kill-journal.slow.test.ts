import { cpSync } from 'node:fs';
import {
  buildSpend,
  chainAWallet,
  findNonceHere,
  TestNodeClient,
  type TestWalletOutput,
  spendable,
} from '@wrkz/testing';
import { newSuite } from '../network/daemons';
import { seeded } from '../support/kills';
import type { GivenPage } from './support/events-client';
import { chainIn, NOBODY, pause, rpcUrlOf, startNode, takeBack } from './support/node-under-kills';
import { Replay } from './support/replay';

/** Printed, so that a failure can be run again: WRKZ_SEED=<number>. */
const seed = Number(process.env['WRKZ_SEED'] ?? Date.now() % 1_000_000);
const KILLS = Number(process.env['WRKZ_KILLS'] ?? 60);

const suite = newSuite();
const alice = chainAWallet('alice');
const random = seeded(seed);
const upTo = (most: number): number => Math.floor(random() * (most + 1));

afterAll(() => suite.stopAll());

/** A client that follows a journal across kills: it continues after the last number that it received. */
class Follower {
  readonly replay: Replay;
  cursor: number | undefined;

  constructor(known: readonly (readonly [number, string])[]) {
    this.replay = new Replay(known);
  }

  /** Follows until the node ends or the time is over. @throws Error for an inconsistent event */
  async follow(url: string, until: () => boolean): Promise<void> {
    while (!until()) {
      let response: Response;
      let text: string;
      try {
        response = await fetch(`${url}/events?wait=2&limit=7&after=${String(this.cursor ?? 0)}`);
        text = await response.text();
      } catch {
        return;
      }
      if (response.status !== 200) throw new Error(`${String(response.status)}: ${text}`);
      const { events, next } = JSON.parse(text) as GivenPage;
      this.replay.take(events.map(({ data, number, topic }) => ({ number, topic: topic as 'block', body: data })));
      this.cursor = next;
    }
  }
}

test(`${String(KILLS)} kills at random moments (WRKZ_SEED=${String(seed)})`, async () => {
  const from = await suite.chainA();
  const peer = await suite.node({ from });
  const dataDir = suite.folder();
  cpSync(from, dataDir, { recursive: true });
  const outputs: TestWalletOutput[] = await spendable(peer, alice);
  const follower = new Follower(chainIn(dataDir));
  let sent = 0;

  const send = async (node: TestNodeClient): Promise<void> => {
    const output = outputs.shift();
    if (output === undefined) return;
    const spend = await buildSpend(peer, alice, output, { height: peer.height, fee: 1000n, findNonce: findNonceHere });
    await node.send(spend.transaction);
    sent += 1;
  };

  let takenBack = 0;
  for (let kills = 0; kills < KILLS; kills++) {
    const alone = random() < 0.3;
    const child = startNode(dataDir, alone ? NOBODY : peer.p2pPort);
    const url = await rpcUrlOf(child);
    const node = new TestNodeClient(url);
    const following = follower.follow(url, () => false);
    const traffic = [
      node.generate(alice.address, 1 + upTo(3)),
      alone ? Promise.resolve() : peer.generate(alice.address, upTo(2) || 1),
      random() < 0.4 ? send(node) : Promise.resolve(),
    ];
    await pause(random() * 1500);
    child.kill('SIGKILL');
    await child.ended;
    await Promise.allSettled(traffic);
    await following;
    if (random() < 0.5) await peer.generate(alice.address, 1 + upTo(4));
    if (random() < 0.15) {
      takeBack(dataDir, 1 + upTo(3));
      takenBack += 1;
    }
  }

  await peer.generate(alice.address, 12);
  const child = startNode(dataDir, peer.p2pPort);
  const url = await rpcUrlOf(child);
  await follower.follow(url, () => follower.replay.tip?.[1] === peer.tip);
  child.kill('SIGTERM');
  await child.ended;

  const { replay } = follower;
  const chain = chainIn(dataDir);
  process.stderr.write(
    `${String(KILLS)} kills, ${String(chain.length)} blocks, ${String(replay.turns)} turns of the chain, ` +
      `${String(takenBack)} times taken back, ${String(sent)} transactions\n`,
  );
  expect(replay.chain).toEqual(chain);
  expect(replay.turns).toBeGreaterThan(KILLS / 10);
});
