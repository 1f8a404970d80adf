import { parseJson } from '@wrkz/service-kit/base';
import { WebSocket } from 'ws';
import type { NodeTransport } from './transport';

/** An open event stream of a node. */
export interface TipStream {
  /** Resolves when either side has closed the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** New blocks, and reorganisations, which report all their blocks in one message. */
const TOPICS = ['hashblock', 'chainswitch'];
/** Max message size in bytes. A message contains a hash or the hashes of a branch. */
const MAX_MESSAGE = 1024 * 1024;
/** Throttle interval. At most one message per interval is parsed and reported, because a node may flood its clients. */
const THROTTLE_MS = 100;
/** Number of messages with other topics after which the stream is closed. */
const MAX_UNEXPECTED_MESSAGES = 1_000;
/** Timeout of a silent stream. Nodes send a message or ping every 30 seconds. */
const SILENCE_MS = 95_000;

/**
 * Follows `GET /ws` of a node (docs/operations/notifications.md#websocket).
 * @param onTip called after blocks join the main chain, throttled
 * @returns undefined when the node has no such route or refuses the connection
 */
export function openTipStream(
  transport: NodeTransport,
  onTip: () => void,
  signal: AbortSignal,
): Promise<TipStream | undefined> {
  signal.throwIfAborted();
  const { endpoint, headers, timeouts } = transport;
  const socket = new WebSocket(`${endpoint.baseUrl.replace(/^http/, 'ws')}/ws?topics=${TOPICS.join(',')}`, {
    headers,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
    followRedirects: false,
    createConnection: () => transport.connect(),
  });
  const close = (): void => socket.terminate();
  signal.addEventListener('abort', close, { once: true });
  // The handshake timeout of the library does not apply to sockets of `createConnection`.
  const handshake = setTimeout(close, timeouts.connectMs);
  const silence = setTimeout(close, SILENCE_MS);
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => {
      clearTimeout(handshake);
      clearTimeout(silence);
      signal.removeEventListener('abort', close);
      resolve();
    });
  });
  socket.on('error', close); // 'close' follows
  socket.on('ping', () => silence.refresh());
  let strange = 0;
  const throttle = throttled(onTip);
  socket.once('close', () => throttle.end());
  socket.on('message', (message: Buffer) => {
    silence.refresh();
    if (!throttle.isOver()) return;
    if (TOPICS.includes(topicOf(message) ?? '')) throttle.call();
    else if (++strange > MAX_UNEXPECTED_MESSAGES) close();
  });
  return new Promise((resolve) => {
    socket.once('open', () => {
      clearTimeout(handshake);
      resolve({ ended, close });
    });
    void ended.then(() => resolve(undefined));
  });
}

function topicOf(message: Buffer): string | undefined {
  try {
    const parsed = parseJson(message.toString('utf8'));
    const { topic } = parsed as { topic?: unknown };
    return typeof topic === 'string' ? topic : undefined;
  } catch {
    return undefined;
  }
}

/** Throttle: the first call is immediate. Further calls within an interval are combined into one at its end. */
function throttled(onTip: () => void): {
  readonly isOver: () => boolean;
  readonly call: () => void;
  readonly end: () => void;
} {
  let timer: NodeJS.Timeout | undefined;
  let hasMore = false;
  const rest = (): void => {
    timer = setTimeout(() => {
      timer = undefined;
      if (!hasMore) return;
      hasMore = false;
      call();
    }, THROTTLE_MS);
  };
  const call = (): void => {
    rest();
    onTip();
  };
  return {
    isOver: () => {
      if (timer !== undefined) hasMore = true;
      return timer === undefined;
    },
    call,
    end: () => clearTimeout(timer),
  };
}
