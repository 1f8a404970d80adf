import { proposalsApi } from '@wrkz/api';

export type Category = (typeof proposalsApi.PROPOSAL_CATEGORIES)[number];

/** Numbers of the statuses. */
export const STATUS = { disabled: 0, proposal: 1, funding: 2, wip: 3, completed: 4 } as const satisfies Record<
  (typeof proposalsApi.PROPOSAL_STATUSES)[number],
  number
>;
export type ProposalStatus = (typeof STATUS)[keyof typeof STATUS];

/** The fields that the operator sets. */
export interface ProposalDraft {
  readonly headline: string;
  readonly category: Category;
  readonly status: ProposalStatus;
  /** Name of the author. */
  readonly user: string;
  /** Atomic units, above 0. */
  readonly target: bigint;
  /** The donation address, standard or integrated. */
  readonly address: string;
  /** Unix seconds. */
  readonly posted: number;
  /** Markdown. */
  readonly content: string;
}

export interface Proposal extends ProposalDraft {
  readonly id: number;
}

/** Max lengths in characters; for the content in UTF-8 bytes. */
export const LIMITS = { headline: 140, user: 19, content: 32_768 } as const;
/** Max target and max payment amount in atomic units. Exceeds the total supply. */
export const MAX_AMOUNT = 10n ** 15n;

type IntegerColumn = 'id' | 'posted' | 'status';
/** A row of the table `proposals`, read with bigint integers. */
export type ProposalRow = Omit<Proposal, IntegerColumn> & Readonly<Record<IntegerColumn, bigint>>;

/** Converts a row. Not validated again, because the commands validate before writing. */
export function fromRow(row: ProposalRow): Proposal {
  return { ...row, id: Number(row.id), status: Number(row.status) as ProposalStatus, posted: Number(row.posted) };
}
