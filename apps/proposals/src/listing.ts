import type { FundingFollower } from './funding/follower';
import type { AddressFunding, Contribution, FundingStore } from './store/funding';
import type { Proposal } from './store/proposal';
import type { ProposalPage, ProposalReader } from './store/proposals';

/** A proposal with its donations. */
export interface ListedProposal {
  readonly proposal: Proposal;
  /** Undefined if donations are not followed. */
  readonly funding: AddressFunding | undefined;
  /** Percent of the target with two decimals. 0 without donations; may be above 100. */
  readonly fundedPercent: number;
}

/** Joins proposals and donations for pages and API. */
export class Listing {
  /**
   * @param funding undefined if donations are not followed
   * @param follower undefined in the demo
   */
  constructor(
    readonly reader: ProposalReader,
    private readonly funding: FundingStore | undefined,
    private readonly follower: Pick<FundingFollower, 'failure'> | undefined,
  ) {}

  list(page: ProposalPage): ListedProposal[] {
    return this.reader.list(page).map((proposal) => this.withFunding(proposal));
  }

  find(id: number): ListedProposal | undefined {
    const proposal = this.reader.find(id);
    return proposal && this.withFunding(proposal);
  }

  /** Donations to an address, newest first. */
  contributions(address: string): Contribution[] {
    return this.funding?.contributions(address) ?? [];
  }

  /** Unix seconds of the last successful poll of the wallet, if any. */
  checkedAt(): number | undefined {
    return this.funding?.lastChecked;
  }

  /** Whether the last poll of the wallet failed. */
  isStale(): boolean {
    return this.follower?.failure !== undefined;
  }

  /** Revision of the data. It changes whenever a response may change. */
  revision(): string {
    return [this.reader.version(), this.funding?.revision, this.isStale()].join();
  }

  private withFunding(proposal: Proposal): ListedProposal {
    const funding = this.funding?.find(proposal.address);
    const hundredths = fundedHundredths(funding?.received ?? 0n, proposal.target);
    return { proposal, funding, fundedPercent: Number(hundredths) / 100 };
  }
}

/** Received share of the target in hundredths of a percent, rounded half up: 1 of 3 is 3333. */
export function fundedHundredths(received: bigint, target: bigint): bigint {
  return (received * 20_000n + target) / (target * 2n);
}
