import type { WalletContent } from '../ledger/model';

/*
 * The container names its side file in a member of its own beside those of the reference. So a side file that was lost is
 * told from one that never was. A save by the reference drops the member; then nothing is known to be missing.
 */

const MARK = 'sideFile';

/** Which side file a container was saved beside; undefined when none was. */
export function sideFileOf({ unknownMembers }: Pick<WalletContent, 'unknownMembers'>): string | undefined {
  const mark = unknownMembers.get('')?.[MARK];
  return typeof mark === 'string' ? mark : undefined;
}

/** The content with the name of its side file. */
export function withSideFile(content: WalletContent, sideFile: string): WalletContent {
  if (sideFileOf(content) === sideFile) return content;
  const unknownMembers = new Map(content.unknownMembers);
  unknownMembers.set('', { ...unknownMembers.get(''), [MARK]: sideFile });
  return { ...content, unknownMembers };
}
