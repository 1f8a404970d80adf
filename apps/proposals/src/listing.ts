import type { FundingFollower } from './funding/follower';
import { fundedPercent } from './funding/percent';
import type { AddressFunding, Contribution, FundingStore } from './store/funding-store';
import type { Proposal } from './store/proposal';
import type { ProposalCount, ProposalPage, ProposalReader } from './store/proposal-reader';

/** A proposal with what it has received. */
export interface ListedProposal {
  readonly proposal: Proposal;
  /** Undefined when nobody follows its donations. */
  readonly funding: AddressFunding | undefined;
  /** Percent of the target with two decimals; 0 without income, and beyond 100 when more came in. */
  readonly fundedPercent: number;
}

/** How the income is followed; undefined parts mean that it is not. */
export interface Funding {
  readonly store: FundingStore;
  /** Undefined where income is made up, and never looked for again. */
  readonly follower: Pick<FundingFollower, 'failure'> | undefined;
}

/** What pages and API show: proposals together with their income. */
export class Listing {
  constructor(
    private readonly reader: ProposalReader,
    private readonly funding: Funding | undefined,
  ) {}

  list(page: ProposalPage): ListedProposal[] {
    return this.reader.list(page).map((proposal) => this.withFunding(proposal));
  }

  find(id: number): ListedProposal | undefined {
    const proposal = this.reader.find(id);
    return proposal && this.withFunding(proposal);
  }

  counts(): ProposalCount[] {
    return this.reader.counts();
  }

  /** Newest first. */
  contributions(address: string): Contribution[] {
    return this.funding?.store.contributions(address) ?? [];
  }

  isDonationAddress(address: string): boolean {
    return this.reader.isDonationAddress(address);
  }

  /** When the wallet was last asked with success, in Unix seconds; undefined when it never was, or nobody asks. */
  checkedAt(): number | undefined {
    return this.funding?.store.lastChecked();
  }

  /** Whether the wallet could not be asked the last time, so that what is shown may be old. */
  isStale(): boolean {
    return this.funding?.follower?.failure !== undefined;
  }

  /** Another text after whatever changes an answer. */
  revision(): string {
    const income = this.funding && [this.funding.store.revision, this.checkedAt(), this.isStale()];
    return [this.reader.version(), ...(income ?? [])].join();
  }

  private withFunding(proposal: Proposal): ListedProposal {
    const funding = this.funding?.store.find(proposal.address);
    return { proposal, funding, fundedPercent: fundedPercent(funding?.received ?? 0n, proposal.target) };
  }
}
