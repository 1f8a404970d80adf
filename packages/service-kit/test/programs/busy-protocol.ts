import { carriedError } from '../../src/base';

type Nothing = undefined;

export type BusyThread = {
  setup: { start?: 'throws' | 'dies' | 'exits' };
  ready: { thread: number };
  calls: {
    echo: { argument: unknown; result: unknown };
    count: { argument: Nothing; result: number };
    hold: { argument: string; result: string };
    release: { argument: Nothing; result: void };
    spin: { argument: Nothing; result: never };
    /** Yields to the event loop once, then checks for a cancellation. */
    look: { argument: Nothing; result: string };
    refuse: { argument: 'refused' | 'range' | 'unknown' | 'text' | 'unsendable' | 'bare'; result: never };
    unsendable: { argument: Nothing; result: unknown };
    giveUp: { argument: Nothing; result: void };
    die: { argument: Nothing; result: void };
    dieOfNothing: { argument: Nothing; result: void };
    leave: { argument: Nothing; result: void };
  };
  events: { holding: string; closing: Nothing };
};

type Facts = { readonly code: number | bigint; readonly why: Buffer };

export class Refused extends Error {
  constructor(
    message: string,
    readonly facts: Facts,
  ) {
    super(message);
  }
}

export const BUSY_ERRORS = [
  carriedError(
    Refused,
    (message, facts: Facts) => new Refused(message, facts),
    ({ facts }) => facts,
  ),
  carriedError(RangeError, (message) => new RangeError(message)),
];
