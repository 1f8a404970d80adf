import { genesisBlock, type VerifiedBlock } from '@wrkz/consensus';
import fc from 'fast-check';
import { BelowFloor, type ChainDb, type ChainReader, rulesDigest, verifyChain } from '../src';
import { devnet } from './support/chain-a';
import { cleanUp, openHere, writerOf } from './support/directories';
import { pruneTo } from './support/modes';
import { expectSame } from './support/same';
import { SMALL_RUNS } from './support/small-runs';
import { apply, forkOf, step, type Step } from './support/steps';
import { contents } from './support/tables';

afterEach(cleanUp);

/** Number of bodies in the pruned database: fewer than some series of rewinds remove. */
const DEPTH = 8;

/** A chain in three storage modes, whose databases are reopened at random. */
class Trio {
  full = openHere();
  pruned = openHere();
  lite: ChainDb;
  chain: VerifiedBlock[] = [genesisBlock(devnet)];

  constructor(readonly height: number) {
    this.lite = openHere({ lite: height, hashIndex: SMALL_RUNS });
    for (const db of this.all()) writerOf(db).append(this.chain);
  }

  all(): ChainDb[] {
    return [this.full, this.pruned, this.lite];
  }

  take(next: Step): void {
    const fork = forkOf(this.chain, next);
    const refusing = [this.pruned, this.lite].filter(
      ({ reader }) => fork < this.chain.length - 1 && fork + 1 < reader.floors().bodies,
    );
    if (refusing.length > 0) {
      for (const db of refusing) expectRefused(db, this.chain, next);
      return;
    }
    const chains = this.all().map((db) => apply(db, this.chain, next));
    this.chain = chains[0] ?? [];
    const floor = Math.max(this.pruned.reader.floors().bodies, this.chain.length - DEPTH);
    if (next.kind !== 'rewind') pruneTo(this.pruned, floor, 0);
    else this.reopen();
  }

  private reopen(): void {
    for (const db of [this.pruned, this.lite]) db.close();
    this.pruned = openHere({ directory: this.pruned.directory });
    this.lite = openHere({ directory: this.lite.directory, lite: this.height, hashIndex: SMALL_RUNS });
  }
}

function expectRefused(db: ChainDb, chain: VerifiedBlock[], next: Step): void {
  const before = contents(db, true);
  expect(() => apply(db, chain, next)).toThrow(BelowFloor);
  expectSame(contents(db, true), before);
}

/** Data that every mode returns for every height. */
function rulesAnswers({ reader }: ChainDb, chain: readonly VerifiedBlock[]): unknown[] {
  const top = chain.length - 1;
  const view = reader.viewAt(top);
  return [
    reader.factsRange(0, Infinity),
    reader.blockStamps(0, Infinity),
    reader.keyImagesBetween(0, Infinity),
    reader.transactionCount(),
    reader
      .amounts()
      .map((amount) => [
        reader.outputCount(amount, Math.floor(top / 2)),
        reader.outputsBetween(amount, 0, reader.outputCount(amount)),
      ]),
    chain.map(({ facts }) => [reader.heightOf(facts.hash), reader.firstHeightFrom(facts.timestamp)]),
    reader.keyImagesBetween(0, Infinity).map(({ image, height }) => [view.keyImageHeight(image), height]),
    rulesDigest(reader),
  ];
}

/** Data that wallets read from a start height on. */
const walletAnswers = (reader: ChainReader, start: number): unknown[] => [
  reader.scanBlocks(start, Infinity),
  reader.globalIndexesRange(start, Infinity),
];

async function expectAgreement({ full, pruned, lite, chain, height }: Trio): Promise<void> {
  const rules = rulesAnswers(full, chain);
  for (const db of [pruned, lite]) expectSame(rulesAnswers(db, chain), rules);
  for (const start of [0, 3]) expectSame(walletAnswers(pruned.reader, start), walletAnswers(full.reader, start));
  expectSame(walletAnswers(lite.reader, height), walletAnswers(full.reader, height));
  const paymentIds = (db: ChainDb): unknown => db.reader.paymentIdsBetween(0, Infinity);
  expectSame(paymentIds(pruned), paymentIds(full));
  for (const { reader } of [pruned, lite]) {
    const floor = reader.floors().bodies;
    expectSame(reader.rawBlocks(floor, Infinity), full.reader.rawBlocks(floor, Infinity));
    expectSame(reader.rawBlock(0), full.reader.rawBlock(0));
    for (let at = 1; at < Math.min(floor, chain.length); at++) {
      expect(() => reader.rawBlock(at)).toThrow(new BelowFloor(at, floor, reader === lite.reader ? 'lite' : 'pruned'));
    }
  }
  const reports = [];
  for (const db of [full, pruned, lite]) reports.push(await verifyChain(db));
  expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
  expect(new Set(reports.map((report) => report.rulesDigest)).size).toBe(1);
}

test('after any appends, rewinds and reorganisations all modes return the same data', async () => {
  const runs = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.array(step, { minLength: 3, maxLength: 12 }));
  await fc.assert(
    fc.asyncProperty(runs, async ([height, steps]) => {
      const trio = new Trio(height);
      for (const next of steps) trio.take(next);
      await expectAgreement(trio);

      const twin = openHere({ lite: height });
      writerOf(twin).append(trio.chain);
      expectSame(contents(trio.lite), contents(twin));
      const other = openHere();
      writerOf(other).append(trio.chain);
      pruneTo(other, trio.pruned.reader.floors().bodies);
      expectSame(contents(trio.pruned), contents(other));
      cleanUp();
    }),
    { numRuns: 6 },
  );
});
