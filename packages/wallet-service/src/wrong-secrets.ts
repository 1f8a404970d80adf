import type { IncomingMessage } from 'node:http';
import { clientAddressOf, countedAddress, type HttpError, refusal, secondsToNextMinute } from '@wrkz/service-kit';

const MINUTE_MS = 60_000;
/** Wrong keys or passwords that an address may present in a minute. */
const MOST_A_MINUTE = 100;

/** Counts who guesses: an address that has guessed too often is no longer looked at for the rest of the minute. */
export class WrongSecrets {
  readonly #wrong = new Map<string, number>();
  #minute = -1;

  constructor(private readonly now: () => number = Date.now) {}

  /** The refusal of a request from such an address (429 with Retry-After). */
  refusal(request: IncomingMessage): HttpError | undefined {
    if ((this.#counts().get(addressOf(request)) ?? 0) < MOST_A_MINUTE) return undefined;
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
      this.#wrong.clear();
    }
    return this.#wrong;
  }
}

const addressOf = (request: IncomingMessage): string => countedAddress(clientAddressOf(request));
