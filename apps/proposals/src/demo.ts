import { createHash } from 'node:crypto';
import { decodeAddress, encodeAddress } from '@wrkz/core-types';
import { readAsset } from '@wrkz/service-kit';
import type { SqliteConnection } from '@wrkz/sqlite';
import { completeDraft, parseFields, parseProposalFile } from './admin/proposal-file';
import { type Contribution, FundingStore } from './store/funding';
import { ProposalWriter } from './store/proposals';

/** Donated coins by age in days. */
type SampleDonations = Readonly<Record<number, number>>;

interface Sample {
  /** Name of the file in `assets`. */
  readonly name: string;
  readonly daysAgo: number;
  readonly unlocked: SampleDonations;
  readonly locked?: SampleDonations;
}

/** The proposals of `--demo`: all listed statuses, all categories, from no donations to more than the target. */
const SAMPLES: readonly Sample[] = [
  { name: 'wallet', daysAgo: 9, unlocked: { 7.2: 350_000, 5.1: 612_500.5, 2.4: 125_000 }, locked: { 0.01: 40_000 } },
  { name: 'posters', daysAgo: 3, unlocked: {} },
  { name: 'compact-blocks', daysAgo: 48, unlocked: { 44: 2_000_000, 41.5: 1_750_000.25, 36: 1_249_999.75 } },
  { name: 'icons', daysAgo: 96, unlocked: { 90: 60_000, 88: 75_000 } },
  { name: 'hosting', daysAgo: 20, unlocked: { 18: 9_800, 11: 0.5 } },
];

/** An address from a devnet recording. */
const DEVNET_ADDRESS =
  'WrkziZp1ebXV6D9WxRj4s8bHKetYR7DzrYywVnEwkshKjnfqbjNx1oBXpe4p8JpNgQ5scpJ4fsTKhjnAbPf3Mgr57KTxVEvZUj';
const SECONDS_PER_DAY = 86_400;
const BLOCKS_PER_DAY = 1440;
const TIP = 4_300_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Adds the samples and their donations to an empty database. @param now Unix seconds */
export function addSamples(connection: SqliteConnection, now: number): FundingStore {
  const writer = new ProposalWriter(connection, { actor: 'demo', at: now, note: '' });
  const { spendPublic, viewPublic } = decodeAddress(DEVNET_ADDRESS);
  const found = new Map<string, Contribution[]>();
  for (const { name, daysAgo, unlocked, locked = {} } of SAMPLES) {
    const file = parseProposalFile(readAsset(`apps/proposals/assets/sample-${name}.md`).toString());
    const address = encodeAddress({ spendPublic, viewPublic, paymentId: sha256(name) });
    writer.add(completeDraft({ ...parseFields(file), address, posted: now - daysAgo * SECONDS_PER_DAY }, now));
    found.set(address, [...contributionsOf(name, unlocked, now, true), ...contributionsOf(name, locked, now, false)]);
  }
  const store = new FundingStore(connection);
  store.replace(found, { checked: now, height: TIP });
  return store;
}

function contributionsOf(name: string, donations: SampleDonations, now: number, unlocked: boolean): Contribution[] {
  return Object.entries(donations).map(([days, coins]) => ({
    hash: sha256(`${name} ${days}`),
    amount: BigInt(coins * 100),
    height: TIP - Math.round(Number(days) * BLOCKS_PER_DAY),
    time: now - Math.round(Number(days) * SECONDS_PER_DAY),
    unlocked,
  }));
}
