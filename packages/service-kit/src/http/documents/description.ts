import type { z } from 'zod';
import type { Route } from '../routes/declaration';
import type { ErrorRow } from '../errors';
import type { Method } from '../routes/json-rpc';

/** What a service says of itself at the head of its documents, and what holds for all of its declarations. */
export interface ServiceDescription<Context, Labels> {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Whether no operator can do without the key; where it is left out, a service has one only if it was given one. */
  readonly alwaysAsksKey?: boolean;
  /** Sentences for the labels of a declaration; without it each label is printed as `name: value`. */
  readonly labelNotes?: (labels: Labels) => readonly string[];
  /** The body of an error; rows without a text have none. */
  readonly errorBody: z.ZodType;
  /** Routes whose errors are told on a page of HTML instead, with the same texts. */
  readonly errorPages?: (route: Pick<Route<Context, Labels>, 'path'>) => boolean;
  /** Errors that follow from what a declaration says: its guards, its body, its labels. */
  readonly routeErrors?: (route: Route<Context, Labels>) => readonly ErrorRow[];
  readonly methodErrors?: (method: Method<Context, Labels>) => readonly ErrorRow[];
}

/** Every error that a route may answer with. */
export function errorsOfRoute<Context, Labels>(
  { routeErrors }: Pick<ServiceDescription<Context, Labels>, 'routeErrors'>,
  route: Route<Context, Labels>,
): readonly ErrorRow[] {
  return [...new Set([...(routeErrors?.(route) ?? []), ...route.errors])];
}

/** Every error that a method may answer with, beyond those of the route it is called through. */
export function errorsOfMethod<Context, Labels>(
  { methodErrors }: Pick<ServiceDescription<Context, Labels>, 'methodErrors'>,
  method: Method<Context, Labels>,
): readonly ErrorRow[] {
  return [...new Set([...(methodErrors?.(method) ?? []), ...method.errors])];
}
