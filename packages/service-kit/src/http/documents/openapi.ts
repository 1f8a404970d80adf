import { z } from 'zod';
import { FinishedJson, type Guards, type Route } from '../routes/declaration';
import type { ErrorRow } from '../errors';
import type { Fields } from '../routes/fields';
import { stringifyJson } from '../json';
import { errorsOfRoute, type ServiceDescription } from './description';
import { jsonSchema, type JsonSchema } from './json-schema';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of a service's routes. */
export function openApiDocument<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  routes: readonly Route<Context, Labels>[],
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(service, route);
  return {
    openapi: '3.1.0',
    info: {
      title: service.title,
      version: service.version,
      description: service.description,
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  };
}

/** GET /openapi.json. `routes` is asked once, at the first request, and may hold this very route. */
export function openApiRoute<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  routes: () => readonly Route<Context, Labels>[],
  rest: { readonly guards: Guards; readonly labels?: Labels },
): Route<Context, Labels> {
  let printed: FinishedJson | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document.',
    ...rest,
    answer: z.looseObject({ openapi: z.string() }),
    errors: [],
    handle: () => (printed ??= new FinishedJson(stringifyJson(openApiDocument(service, routes())))),
  };
}

function operation<Context, Labels>(service: ServiceDescription<Context, Labels>, route: Route<Context, Labels>): Json {
  const { summary, description, guards, labels, body, params, query, answer, status = 200, answerErrors = [] } = route;
  const onPage = service.errorPages?.(route) === true;
  return {
    operationId: operationId(route),
    summary,
    ...(description === undefined ? {} : { description }),
    security: security(service, guards),
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      [status]: success(answer),
      ...errorResponses([
        ...errorsOfRoute(service, route).map((row) => ({ row, body: onPage ? PAGE : service.errorBody })),
        ...('contentType' in answer ? [] : answerErrors.map((row) => ({ row, body: answer }))),
      ]),
    },
    ...(labels === undefined ? {} : { 'x-labels': labels }),
  };
}

/** Most services ask for a key only where the operator has set one. */
function security({ alwaysAsksKey = false }: { readonly alwaysAsksKey?: boolean }, { key }: Guards): Json[] {
  if (!key) return [];
  return alwaysAsksKey ? [{ apiKey: [] }] : [{ apiKey: [] }, {}];
}

function success(answer: Route['answer']): Json {
  if (answer instanceof z.ZodUndefined) return { description: 'Done; there is no body' };
  if (!('contentType' in answer)) return { description: answer.description ?? 'The answer', content: json(answer) };
  const [type = ''] = answer.contentType.split(';');
  const others = answer.orJson === undefined ? {} : json(answer.orJson);
  return { description: answer.description, content: { [type]: { schema: { type: 'string' } }, ...others } };
}

function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const named = words.length === 0 ? ['root'] : words;
  return method.toLowerCase() + named.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

function parameters(members: Fields | undefined, place: 'path' | 'query'): Json[] {
  if (members === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(members, 'draft-2020-12') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema,
  }));
}

function json(schema: z.ZodType): Json {
  return { 'application/json': { schema: jsonSchema(schema, 'draft-2020-12') } };
}

/** The body of an error that people read. */
const PAGE = 'page' as const;

function errorResponses(errors: readonly { readonly row: ErrorRow; readonly body: z.ZodType | typeof PAGE }[]): Json {
  const byStatus = new Map<number, (typeof errors)[number][]>();
  for (const error of errors) byStatus.set(error.row.status, [...(byStatus.get(error.row.status) ?? []), error]);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => {
      const told = new Set(same.filter(({ row }) => row.text !== '').map(({ body }) => body));
      const bodies = [...told].filter((body) => body !== PAGE);
      const [only, ...further] = bodies;
      const content = {
        ...(told.has(PAGE) ? { 'text/html': { schema: { type: 'string' } } } : {}),
        ...(only === undefined ? {} : json(further.length === 0 ? only : z.union(bodies))),
      };
      return [
        status,
        {
          description: same.map(({ row: { when, text } }) => (text === '' ? when : `${when} (${text})`)).join('\n\n'),
          ...(told.size === 0 ? {} : { content }),
        },
      ];
    }),
  );
}
