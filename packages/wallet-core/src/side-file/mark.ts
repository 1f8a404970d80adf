import type { WalletContent } from '../ledger/model';

/*
 * The container names its side file in members of its own beside those of the reference, and how often that one was written
 * when it was saved. So a side file that was lost is told from one that never was, and a copy of an earlier day from the one
 * that went on. A save by the reference drops the members; then nothing is known to be missing.
 */

const MARK = 'sideFile';
const WRITES = 'sideFileWrites';

/** What a container says of its side file. */
export interface SideFileMark {
  /** Its random name. */
  readonly name: string;
  /** It was written so often at least. */
  readonly writes: number;
}

/** Which side file a container was saved beside; undefined when none was. */
export function sideFileOf({ unknownMembers }: Pick<WalletContent, 'unknownMembers'>): SideFileMark | undefined {
  const { [MARK]: name, [WRITES]: writes } = unknownMembers.get('') ?? {};
  if (typeof name !== 'string') return undefined;
  return { name, writes: typeof writes === 'string' && /^\d{1,15}$/.test(writes) ? Number(writes) : 0 };
}

/** The content with the mark of its side file. */
export function withSideFile(content: WalletContent, { name, writes }: SideFileMark): WalletContent {
  const present = sideFileOf(content);
  if (present?.name === name && present.writes === writes) return content;
  const unknownMembers = new Map(content.unknownMembers);
  unknownMembers.set('', { ...unknownMembers.get(''), [MARK]: name, [WRITES]: String(writes) });
  return { ...content, unknownMembers };
}
