import { openFunding, openProposals } from '../../src/store/database';
import { FundingStore } from '../../src/store/funding';
import { ProposalWriter } from '../../src/store/proposals';
import { donationAddress } from '../support/service';

/* Writes to both databases until it is killed, three rows per transaction, and prints each completed write. */

const ROWS = 3;
const place = { directory: process.argv[2] ?? '', network: 'mainnet' };
const proposals = openProposals(place, 'write').connection;
const store = new FundingStore(openFunding(place).connection);
const writer = new ProposalWriter(proposals, { actor: 'nobody', at: 1, note: '' });
const names = Array.from({ length: ROWS }, (_, i) => `kept ${i}`);

for (let round = 1; ; round++) {
  writer.together(() => {
    for (let i = 0; i < ROWS; i++) {
      const address = donationAddress(`${process.pid} ${round} ${i}`);
      const draft = {
        headline: 'A headline',
        category: 'misc',
        user: 'a',
        target: 100n,
        status: 1,
        posted: round,
      } as const;
      const { id } = writer.add({ ...draft, address, content: 'x'.repeat(9_000) }, 'import');
      writer.change(id, { status: 2 }, 'status');
    }
  });
  const donations = Array.from({ length: 1 + (round % 40) }, (_, i) => ({
    hash: String(i).padStart(64, '0'),
    amount: BigInt(round),
    height: round,
    time: round,
    unlocked: i % 2 === 0,
  }));
  store.replace(new Map(names.map((name) => [name, donations])), { checked: round, height: round });
  process.stdout.write(`${round}\n`);
}
