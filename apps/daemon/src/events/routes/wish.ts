import { daemonApi } from '@wrkz/api';
import type { z } from 'zod';
import { refuse } from '../../rpc/errors';
import { JOURNAL_TOPICS, type JournalTopic } from '../journal/journal';

/** What a caller of `/events` wants. */
export interface EventWish {
  /** undefined: only what happens from now on. */
  readonly after: number | undefined;
  readonly topics: readonly JournalTopic[];
  readonly limit: number;
  /** Seconds. */
  readonly wait: number;
}

const LIMIT = { least: 1, most: 1000, usual: 100 } as const;
const WAIT = { least: 0, most: 60, usual: 0 } as const;

/**
 * Reads the query, and `Last-Event-ID`, which counts more than `after`: a stream that was cut sends both.
 * @throws RpcRefusal
 */
export function readWish(query: z.output<typeof daemonApi.eventsQuery>, lastEventId: string | undefined): EventWish {
  const number = { least: 0, most: Number.MAX_SAFE_INTEGER, usual: undefined } as const;
  const resumed = lastEventId === undefined || lastEventId === '' ? undefined : lastEventId;
  return {
    after:
      resumed === undefined ? readNumber('after', query.after, number) : readNumber('Last-Event-ID', resumed, number),
    topics: readTopics(query.topics),
    limit: readNumber('limit', query.limit, LIMIT),
    wait: readNumber('wait', query.wait, WAIT),
  };
}

interface Bounds<Usual> {
  readonly least: number;
  readonly most: number;
  readonly usual: Usual;
}

function readNumber<Usual>(
  name: string,
  text: string | undefined,
  { least, most, usual }: Bounds<Usual>,
): number | Usual {
  if (text === undefined) return usual;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw refuse(daemonApi.refusals.wrongQuery, { name, expected: `a number from ${least} to ${most}` });
}

function readTopics(text: string | undefined): readonly JournalTopic[] {
  const names = (text ?? '').split(',').map((name) => name.trim());
  const asked = new Set(names.filter((name) => name !== ''));
  const unknown = [...asked].find((name) => !(JOURNAL_TOPICS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const topic = unknown.slice(0, 64);
    throw refuse(daemonApi.refusals.unknownTopic, { topic, topics: JOURNAL_TOPICS.join(', ') });
  }
  return asked.size === 0 ? JOURNAL_TOPICS : JOURNAL_TOPICS.filter((topic) => asked.has(topic));
}
