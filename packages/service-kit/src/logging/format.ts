import type { LogEntry, LogFields } from './entry';
import { hideSecrets, redactFields } from './redact';
import { cut, MAX_TEXT, plainJson, plainText } from './text';

/** The entry as a line of text: `2026-01-31 09:05:07.042 INFO    [p2p] message name=value`. */
export function textLine({ time, level, part, message, fields }: LogEntry, secrets: ReadonlySet<string>): string {
  const extra = fields === undefined ? '' : ` ${fieldsText(fields, secrets)}`;
  const text = plainText(hideSecrets(`${String(message)}${extra}`, secrets));
  const label = part === '' ? '' : `[${part}] `;
  return `${timeText(time)} ${level.toUpperCase().padEnd(7)} ${label}${text}`;
}

function fieldsText(fields: LogFields, secrets: ReadonlySet<string>): string {
  return Object.entries(redactFields(fields, secrets, (error) => error.message))
    .map(([name, value]) => `${name}=${isError(fields, name) ? errorText(value) : valueText(value)}`)
    .join(' ');
}

function errorText(value: unknown): string {
  return JSON.stringify(plainText(String(value)));
}

function isError(fields: LogFields, name: string): boolean {
  try {
    return fields[name] instanceof Error;
  } catch {
    return false;
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return /^([\w.:/@+-]+|\*\*\*)$/.test(value) ? value : JSON.stringify(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * The entry as one JSON object: `timestamp` (ISO 8601, UTC), `level`, `part`, `message`, `fields`; `part` and `fields`
 * left out when there are none. Errors are objects with name and message, and their stack when `stacks` is true.
 */
export function jsonLine(
  { time, level, part, message, fields }: LogEntry,
  secrets: ReadonlySet<string>,
  stacks: boolean,
): string {
  const line = {
    timestamp: time.toISOString(),
    level,
    ...(part === '' ? {} : { part }),
    message: cut(hideSecrets(String(message), secrets)),
    ...(fields === undefined ? {} : { fields: boundedFields(fields, secrets, stacks) }),
  };
  return plainJson(JSON.stringify(line));
}

function boundedFields(fields: LogFields, secrets: ReadonlySet<string>, stacks: boolean): unknown {
  const plain = redactFields(fields, secrets, ({ name, message, stack }) => ({
    name,
    message,
    ...(stacks ? { stack } : {}),
  }));
  const text = JSON.stringify(plain);
  return text.length <= 2 * MAX_TEXT ? plain : { cut: cut(text) };
}

/** Local time with milliseconds, `2026-01-31 09:05:07.042`. */
function timeText(time: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
