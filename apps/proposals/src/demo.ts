import { createHash } from 'node:crypto';
import { decodeAddress, encodeAddress } from '@wrkz/core-types';
import { readAsset } from '@wrkz/service-kit';
import type { SqliteConnection } from '@wrkz/sqlite';
import { completeDraft, parseFields, parseProposalFile } from './admin/proposal-file';
import { type Contribution, FundingStore } from './store/funding';
import { ProposalWriter } from './store/proposals';

type SampleDonation = readonly [coins: number, daysAgo: number, state?: 'locked'];

interface Sample {
  readonly name: string;
  readonly daysAgo: number;
  readonly donations: readonly SampleDonation[];
}

/** The proposals of `--demo`: all listed statuses, all categories, from no donations to more than the target. */
const SAMPLES: readonly Sample[] = [
  {
    name: 'wallet',
    daysAgo: 9,
    donations: [
      [350_000, 7.2],
      [612_500.5, 5.1],
      [125_000, 2.4],
      [40_000, 0.01, 'locked'],
    ],
  },
  { name: 'posters', daysAgo: 3, donations: [] },
  {
    name: 'compact-blocks',
    daysAgo: 48,
    donations: [
      [2_000_000, 44],
      [1_750_000.25, 41.5],
      [1_249_999.75, 36],
    ],
  },
  {
    name: 'icons',
    daysAgo: 96,
    donations: [
      [60_000, 90],
      [75_000, 88],
    ],
  },
  {
    name: 'hosting',
    daysAgo: 20,
    donations: [
      [9_800, 18],
      [0.5, 11],
    ],
  },
];

/** An address of a devnet recording. */
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
  for (const { name, daysAgo, donations } of SAMPLES) {
    const file = parseProposalFile(readAsset(`apps/proposals/assets/sample-${name}.md`).toString());
    const address = encodeAddress({ spendPublic, viewPublic, paymentId: sha256(name) });
    writer.add(completeDraft({ ...parseFields(file), address, posted: now - daysAgo * SECONDS_PER_DAY }, now));
    const contributions = donations.map(([coins, days, state]) => ({
      hash: sha256(`${name} ${coins} ${days}`),
      amount: BigInt(coins * 100),
      height: TIP - Math.round(days * BLOCKS_PER_DAY),
      time: now - Math.round(days * SECONDS_PER_DAY),
      unlocked: state !== 'locked',
    }));
    found.set(address, contributions);
  }
  const store = new FundingStore(connection);
  store.replace(found, { checked: now, height: TIP });
  return store;
}
