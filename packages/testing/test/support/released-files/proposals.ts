import { mkdirSync } from 'node:fs';
import { openProposals, openStores, ProposalWriter, STATUS } from '@wrkz/proposals';
import { TestWallet } from '../../../src';
import { NETWORK } from './chain';
import { RELEASE_TIME_MS } from './work-folder';

const SECONDS = RELEASE_TIME_MS / 1000;
const ADDRESSES = ['first proposal', 'second proposal'].map((seed) => new TestWallet(seed).address);

/** Two proposals, one of them changed once, and the donations to the first. */
export function writeProposals(directory: string): void {
  mkdirSync(directory, { recursive: true });
  changeProposals(directory, (writer) => {
    const draft = { category: 'core', user: 'alice', target: 500_000n, posted: SECONDS } as const;
    const content = 'A **proposal** of a release.\n';
    ADDRESSES.forEach((address, i) => {
      writer.add({ ...draft, headline: `Proposal ${i + 1}`, status: STATUS.proposal, address, content });
    });
    writer.change(1, { status: STATUS.funding }, 'status');
  });
  const stores = openStores({ directory, network: NETWORK }, false, () => RELEASE_TIME_MS);
  const donation = { height: 60, time: SECONDS - 60 };
  const donations = [
    { ...donation, hash: '01'.repeat(32), amount: 12_345n, unlocked: true },
    { ...donation, hash: '02'.repeat(32), amount: 1n, unlocked: false },
  ];
  stores.funding.replace(new Map([[ADDRESSES[0] ?? '', donations]]), { checked: SECONDS, height: 66 });
  stores.close();
}

export function changeProposals(directory: string, change: (writer: ProposalWriter) => void): void {
  const database = openProposals({ directory, network: NETWORK }, 'write');
  change(new ProposalWriter(database.connection, { actor: 'operator', at: SECONDS, note: 'a note' }));
  database.committed();
  database.close();
}

/** Proposals, their audit, and the donations to each. Opens the record of donations for writing, like the service. */
export function readProposals(directory: string): object {
  const stores = openStores({ directory, network: NETWORK }, false, () => RELEASE_TIME_MS);
  try {
    const { reader, funding } = stores;
    const proposals = reader.list({ limit: 100, offset: 0 }).map((proposal) => {
      const { address } = proposal;
      return { ...proposal, funding: funding.find(address), contributions: funding.contributions(address) };
    });
    return { proposals, counts: reader.counts(), audit: reader.audit() };
  } finally {
    stores.close();
  }
}
