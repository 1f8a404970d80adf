import { proposalsApi } from '@wrkz/api';

export type Category = (typeof proposalsApi.PROPOSAL_CATEGORIES)[number];

/** The numbers of the statuses that a proposal can have. */
export const STATUS = { disabled: 0, proposal: 1, funding: 2, wip: 3, completed: 4 } as const satisfies Record<
  (typeof proposalsApi.PROPOSAL_STATUSES)[number],
  number
>;
export type ProposalStatus = (typeof STATUS)[keyof typeof STATUS];

/** What the operator says of a proposal. */
export interface ProposalDraft {
  readonly headline: string;
  readonly category: Category;
  readonly status: ProposalStatus;
  /** Who posted it. */
  readonly user: string;
  /** Atomic units, above 0. */
  readonly target: bigint;
  /** The donation address, plain or integrated. */
  readonly address: string;
  /** Unix seconds. */
  readonly posted: number;
  /** Markdown. */
  readonly content: string;
}

export interface Proposal extends ProposalDraft {
  readonly id: number;
}

/** Longest texts, in characters; the content in bytes of UTF-8. */
export const LIMITS = { headline: 140, user: 19, content: 32_768 } as const;
/** The largest target in atomic units: every coin there will ever be is less. */
export const MAX_TARGET = 10n ** 15n;

/** A row of the table, integers as bigint. */
export interface ProposalRow {
  readonly id: bigint;
  readonly headline: string;
  readonly category: string;
  readonly status: bigint;
  readonly user: string;
  readonly target: bigint;
  readonly address: string;
  readonly posted: bigint;
  readonly content: string;
}

/** A row as a proposal; the commands that wrote it have checked it. */
export function proposalOf(row: ProposalRow): Proposal {
  return {
    ...row,
    id: Number(row.id),
    category: row.category as Category,
    status: Number(row.status) as ProposalStatus,
    posted: Number(row.posted),
  };
}
