import type { IncomingMessage } from 'node:http';
import { clientAddressOf, countedAddress, type HttpError, refusal, secondsToNextMinute } from '@wrkz/service-kit';

const MINUTE_MS = 60_000;
/** Wrong keys or passwords that an address may present per minute. */
const MAX_PER_MINUTE = 100;

/**
 * Counts wrong keys per client address. Past the limit every attempt of the address is refused until the next minute.
 */
export class AttemptLimiter {
  readonly #failures = new Map<string, number>();
  #minute = -1;

  constructor(private readonly now: () => number = Date.now) {}

  /** 429 with Retry-After for an address past the limit. */
  refusal(request: IncomingMessage): HttpError | undefined {
    if ((this.#counts().get(addressOf(request)) ?? 0) < MAX_PER_MINUTE) return undefined;
    return refusal('rate_limited', { headers: { 'Retry-After': String(secondsToNextMinute(this.now())) } });
  }

  count(request: IncomingMessage): void {
    const counts = this.#counts();
    const address = addressOf(request);
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }

  #counts(): Map<string, number> {
    const minute = Math.floor(this.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#failures.clear();
    }
    return this.#failures;
  }
}

const addressOf = (request: IncomingMessage): string => countedAddress(clientAddressOf(request));
