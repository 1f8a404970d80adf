import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { countText } from '@wrkz/pages';
import { atomicWriteFileSync, ensureDirectory, UsageError } from '@wrkz/service-kit';
import type { Proposal } from '../store/proposal';
import { STATUS } from '../store/proposal';
import type { ProposalReader } from '../store/proposal-reader';
import { proposalFile } from './fields';
import { frontMatterText } from './front-matter';

const ALL = Number.MAX_SAFE_INTEGER;
const READABLE = 0o644;

/** Every proposal, those that are disabled too, newest first. */
export function everyProposal(reader: ProposalReader): Proposal[] {
  const page = { limit: ALL, offset: 0 };
  return [...reader.list(page), ...reader.list({ ...page, status: STATUS.disabled })];
}

/** Writes a file a proposal. @throws UsageError when there is something in the folder already */
export function exportProposals(reader: ProposalReader, folder: string): string {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty`);
  ensureDirectory(folder);
  const proposals = everyProposal(reader);
  for (const proposal of proposals) {
    atomicWriteFileSync(join(folder, fileName(proposal)), frontMatterText(proposalFile(proposal)), { mode: READABLE });
  }
  return `Exported ${countText(proposals.length, 'proposal')} to ${folder}`;
}

function fileName({ id, headline }: Proposal): string {
  const words = headline
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 48);
  return `${String(id).padStart(4, '0')}${words === '' ? '' : `-${words}`}.md`;
}
