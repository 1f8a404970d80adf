import type { WalletContent } from '../ledger/model';

/*
 * The container names its wallet database in two fields of its own beside those of the C++ programs: the random id of the
 * database, and the position that the database had when the container was written. A lost database and an older copy are
 * noticed by them. The C++ programs drop both fields when they save; then nothing is known to be missing.
 */

const DATABASE = 'walletDb';
const POSITION = 'walletDbPosition';

/** What a container says about its wallet database. */
export interface WalletDbMark {
  /** Random id of the database, 32 hex characters. */
  readonly database: string;
  /** All changes up to this position are in the container. */
  readonly position: number;
}

/** Undefined when the container was saved without a wallet database. */
export function walletDbMarkOf({ unknownMembers }: Pick<WalletContent, 'unknownMembers'>): WalletDbMark | undefined {
  const { [DATABASE]: database, [POSITION]: position } = unknownMembers.get('') ?? {};
  if (typeof database !== 'string') return undefined;
  const isPosition = typeof position === 'string' && /^\d{1,15}$/.test(position);
  return { database, position: isPosition ? Number(position) : 0 };
}

export function withWalletDbMark(content: WalletContent, { database, position }: WalletDbMark): WalletContent {
  const present = walletDbMarkOf(content);
  if (present?.database === database && present.position === position) return content;
  const unknownMembers = new Map(content.unknownMembers);
  unknownMembers.set('', { ...unknownMembers.get(''), [DATABASE]: database, [POSITION]: String(position) });
  return { ...content, unknownMembers };
}
