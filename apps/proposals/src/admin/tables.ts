import { describeAmount } from '@wrkz/core-types';
import { isoTime } from '@wrkz/pages';
import { STATUSES } from '../pages/labels';
import { STATUS } from '../store/proposal';
import type { AuditEntry, ProposalReader } from '../store/proposals';

/** One line per proposal. */
export function proposalTable(reader: ProposalReader, statusName: keyof typeof STATUS | undefined): string {
  const rows = reader
    .all()
    .filter(({ status }) => statusName === undefined || status === STATUS[statusName])
    .map(({ id, status, category, posted, target, user, headline }) => [
      String(id),
      STATUSES[status].name,
      category,
      isoTime(posted),
      describeAmount(target),
      user,
      headline,
    ]);
  if (rows.length === 0) return 'There are no proposals.';
  return columns([['id', 'status', 'category', 'posted', 'target', 'user', 'headline'], ...rows]);
}

/** One line per change, oldest first. */
export function auditTable(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'There are no changes.';
  const rows = entries.map((entry) => [
    isoTime(entry.at),
    entry.actor,
    entry.action,
    String(entry.proposal),
    changedFields(entry),
    entry.note,
  ]);
  return columns([['at', 'actor', 'action', 'proposal', 'changed', 'note'], ...rows]);
}

function changedFields({ before, after }: AuditEntry): string {
  if (before === undefined) return 'all';
  const [old = {}, now = {}] = [before, after].map((text) => JSON.parse(text) as Record<string, unknown>);
  return Object.keys(now)
    .filter((name) => old[name] !== now[name])
    .join(', ');
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
