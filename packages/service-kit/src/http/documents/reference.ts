import { z } from 'zod';
import type { Route } from '../routes/declaration';
import type { ErrorRow } from '../errors';
import type { Method } from '../routes/json-rpc';
import { errorsOfMethod, errorsOfRoute, type ServiceDescription } from './description';
import { jsonSchema } from './json-schema';
import { membersOf, type MemberText, typeText } from './members-text';

/** Where a member stands in a request. */
export type MemberPlace = 'path' | 'query' | 'body' | 'params';

/** An error as a row of a table. */
export interface ErrorText {
  /** The HTTP status, then the code of the service and the application code, if there are any. */
  readonly code: string;
  /** What the client sees; empty for no body. */
  readonly text: string;
  readonly when: string;
}

/** One route or method, in the words of its declaration. */
export interface ReferenceEntry {
  /** `GET /pow/{id}`, or the name of a method. */
  readonly name: string;
  readonly summary: string;
  /** What the route does, when to use it, units; empty where the declaration has none. */
  readonly description: string;
  /** Preconditions that are checked before the request is parsed, one sentence each. */
  readonly notes: readonly string[];
  readonly members: readonly (MemberText & { readonly place: MemberPlace })[];
  readonly answer: { readonly text: string; readonly members: readonly MemberText[] };
  readonly errors: readonly ErrorText[];
}

/** A service for a page that people read: the same declarations as its documents, without a version. */
export interface ServiceReference {
  readonly title: string;
  readonly description: string;
  readonly routes: readonly ReferenceEntry[];
  readonly methods: readonly ReferenceEntry[];
}

/** What a service declares. */
export interface Declared<Context, Labels> {
  readonly routes?: readonly Route<Context, Labels>[];
  readonly methods?: readonly Method<Context, Labels>[];
}

/** The declarations of a service, in the order in which they stand. */
export function serviceReference<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  { routes = [], methods = [] }: Declared<Context, Labels>,
): ServiceReference {
  return {
    title: service.title,
    description: service.description,
    routes: routes.map((route) => routeEntry(service, route)),
    methods: methods.map((method) => methodEntry(service, method)),
  };
}

/** An error as it stands in the tables. */
export function errorRowText({ status, code, application, text, when }: ErrorRow): ErrorText {
  const codes = [status, code, application && `application code ${String(application)}`];
  return { code: codes.filter((part) => part !== undefined).join(', '), text, when };
}

function routeEntry<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  route: Route<Context, Labels>,
): ReferenceEntry {
  const { method, path, summary, description = '', guards, labels, params, query, body, answer, status = 200 } = route;
  const key = service.alwaysAsksKey === true ? 'Requires the API key.' : 'Requires the API key if one is configured.';
  return {
    name: `${method} ${path}`,
    summary,
    description,
    notes: [
      ...(guards.key ? [key] : []),
      ...(guards.limit ? ['Rate-limited per client address.'] : []),
      ...labelNotes(service, labels),
    ],
    members: [...placed('path', params), ...placed('query', query), ...placed('body', body)],
    answer: answerText(answer, status),
    errors: errorsOfRoute(service, route).map(errorRowText),
  };
}

function methodEntry<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  method: Method<Context, Labels>,
): ReferenceEntry {
  const { name, summary, labels, params, result } = method;
  return {
    name,
    summary,
    description: '',
    notes: labelNotes(service, labels),
    members: params instanceof z.ZodTuple ? positions(params) : placed('params', params),
    answer: answerText(result, 200),
    errors: errorsOfMethod(service, method).map(errorRowText),
  };
}

function labelNotes<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  labels: Labels | undefined,
): readonly string[] {
  if (labels === undefined) return [];
  return (
    service.labelNotes?.(labels) ?? Object.entries(labels ?? {}).map(([name, value]) => `${name}: ${String(value)}`)
  );
}

function placed(place: MemberPlace, members: z.ZodObject | undefined): ReferenceEntry['members'] {
  if (members === undefined) return [];
  return membersOf(jsonSchema(members, 'draft-2020-12')).map((member) => ({
    ...member,
    place,
    required: member.required || place === 'path',
  }));
}

function positions(params: z.ZodTuple): ReferenceEntry['members'] {
  return params.def.items.flatMap((item, i) => {
    const schema = jsonSchema(item, 'draft-2020-12');
    const name = typeof schema['title'] === 'string' ? schema['title'] : `param${String(i)}`;
    const own = { name, type: typeText(schema), required: true, text: '', place: 'params' as const };
    return [own, ...membersOf(schema, name).map((member) => ({ ...member, place: 'params' as const }))];
  });
}

function answerText(answer: Route['answer'], status: number): ReferenceEntry['answer'] {
  if ('contentType' in answer) {
    const members = answer.orJson === undefined ? [] : membersOf(jsonSchema(answer.orJson, 'draft-2020-12'));
    return { text: `${String(status)}, ${answer.contentType}: ${answer.description}`, members };
  }
  if (answer instanceof z.ZodUndefined) return { text: `${String(status)} without a body`, members: [] };
  const schema = jsonSchema(answer, 'draft-2020-12');
  return { text: `${String(status)}, ${typeText(schema)}`, members: membersOf(schema) };
}
