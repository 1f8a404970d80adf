import { refusal } from '@wrkz/service-kit';
import { type Topic, TOPICS } from '../topics';

const MOST_PREFIXES = 16;

/**
 * The topics that `?topics=a,b` asks for by prefix; all without it.
 * @throws HttpError 400 for too many, and for a prefix that would bring nothing
 */
export function topicsOf(query: string | null): readonly Topic[] {
  const prefixes = (query ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (prefixes.length > MOST_PREFIXES) throw badTopics(`at most ${String(MOST_PREFIXES)} topics`);
  const unknown = prefixes.find((prefix) => !TOPICS.some((topic) => topic.startsWith(prefix)));
  if (unknown !== undefined) throw badTopics(`no topic starts with '${unknown}'; the topics are ${TOPICS.join(', ')}`);
  if (prefixes.length === 0) return TOPICS;
  return TOPICS.filter((topic) => prefixes.some((prefix) => topic.startsWith(prefix)));
}

function badTopics(message: string): Error {
  return refusal('bad_request', { message });
}
