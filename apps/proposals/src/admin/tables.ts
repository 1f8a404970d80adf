import { describeAmount } from '@wrkz/core-types';
import { isoTime } from '@wrkz/pages';
import { STATUS_WORDS } from '../pages/words';
import { STATUS } from '../store/proposal';
import type { AuditEntry, ProposalReader } from '../store/proposal-reader';
import { everyProposal } from './export';

/** The proposals, a line each. */
export function proposalTable(reader: ProposalReader, statusName: keyof typeof STATUS | undefined): string {
  const status = statusName && STATUS[statusName];
  const rows = everyProposal(reader)
    .filter((one) => status === undefined || one.status === status)
    .map((one) => [
      String(one.id),
      STATUS_WORDS[one.status].name,
      one.category,
      isoTime(one.posted),
      describeAmount(one.target),
      one.user,
      one.headline,
    ]);
  if (rows.length === 0) return 'There are no proposals.';
  return columns([['id', 'status', 'category', 'posted', 'target', 'user', 'headline'], ...rows]);
}

/** Who changed what, a line each, oldest first. */
export function auditTable(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'Nothing was changed yet.';
  const rows = entries.map((entry) => [
    isoTime(entry.at),
    entry.actor,
    entry.action,
    String(entry.proposal),
    changedMembers(entry),
    entry.note,
  ]);
  return columns([['at', 'actor', 'action', 'proposal', 'changed', 'note'], ...rows]);
}

function changedMembers({ before, after }: AuditEntry): string {
  if (before === undefined) return 'all';
  const [old, now] = [before, after].map((text) => JSON.parse(text) as Record<string, unknown>);
  return Object.keys(now ?? {})
    .filter((name) => old?.[name] !== now?.[name])
    .join(', ');
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
