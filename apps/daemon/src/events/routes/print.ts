import type { JournalPage, PrintedEntry } from '../journal/reading';

/** An event as JSON; its body is JSON already. */
export function printEvent({ number, topic, time, body }: PrintedEntry): string {
  return `{"data":${body},"number":${number},"time":${time},"topic":"${topic}"}`;
}

/** The answer of `/events` as JSON. */
export function printPage({ journal, entries, next, latest, keptAfter }: JournalPage): string {
  const events = entries.map(printEvent).join(',');
  const numbers = `"kept_after":${keptAfter},"latest":${latest},"next":${next}`;
  return `{"events":[${events}],"journal":"${journal}",${numbers},"status":"OK"}`;
}

/** An event as a server-sent one. */
export function printSent(entry: PrintedEntry): string {
  return `id: ${entry.number}\nevent: ${entry.topic}\ndata: ${printEvent(entry)}\n\n`;
}
