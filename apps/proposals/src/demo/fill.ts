import { createHash } from 'node:crypto';
import { decodeAddress, encodeAddress } from '@wrkz/core-types';
import type { SqliteConnection } from '@wrkz/sqlite';
import { type Contribution, FundingStore } from '../store/funding';
import { ProposalWriter } from '../store/proposals';
import { SAMPLES } from './samples';

/** An address of a devnet recording. */
const DEVNET_ADDRESS =
  'WrkziZp1ebXV6D9WxRj4s8bHKetYR7DzrYywVnEwkshKjnfqbjNx1oBXpe4p8JpNgQ5scpJ4fsTKhjnAbPf3Mgr57KTxVEvZUj';
const SECONDS_PER_DAY = 86_400;
const BLOCKS_PER_DAY = 1440;
const TIP = 4_300_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Adds the samples and their donations to an empty database. @param now Unix seconds */
export function fillWithSamples(connection: SqliteConnection, now: number): FundingStore {
  const writer = new ProposalWriter(connection, { actor: 'demo', at: now, note: '' });
  const { spendPublic, viewPublic } = decodeAddress(DEVNET_ADDRESS);
  const received = new Map<string, Contribution[]>();
  for (const { donations, daysAgo, ...sample } of SAMPLES) {
    const address = encodeAddress({ spendPublic, viewPublic, paymentId: sha256(sample.headline) });
    writer.add({ ...sample, address, posted: now - daysAgo * SECONDS_PER_DAY });
    received.set(
      address,
      donations.map(({ coins, daysAgo: days, locked = false }) => ({
        hash: sha256(`${sample.headline} ${coins} ${days}`),
        amount: BigInt(Math.round(coins * 100)),
        height: TIP - Math.round(days * BLOCKS_PER_DAY),
        time: now - Math.round(days * SECONDS_PER_DAY),
        unlocked: !locked,
      })),
    );
  }
  const store = new FundingStore(connection);
  store.replace(received, { checked: now, height: TIP });
  return store;
}
