import { z } from 'zod';
import type { ErrorRow } from './errors';
import { stringifyJson } from './json';
import { FinishedJson, type Guards, type Route } from './routes/declaration';
import type { Fields } from './routes/fields';
import type { Method } from './routes/json-rpc';

/** The description of a service, and rules for all of its declarations. */
export interface ServiceDescription<Context, Labels> {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Whether the service always has an API key. Default: only if one is configured. */
  readonly alwaysAsksKey?: boolean;
  /** Sentences for the labels of a declaration. Default: `name: value`. */
  readonly labelNotes?: (labels: Labels) => readonly string[];
  /** Body of an error; errors without a text have no body. */
  readonly errorBody: z.ZodType;
  /** Routes whose errors are HTML pages, with the same texts. */
  readonly errorPages?: (route: Pick<Route<Context, Labels>, 'path'>) => boolean;
  /** Errors determined by guards, body and labels. */
  readonly routeErrors?: (route: Route<Context, Labels>) => readonly ErrorRow[];
  readonly methodErrors?: (method: Method<Context, Labels>) => readonly ErrorRow[];
}

export function errorsOfRoute<Context, Labels>(
  { routeErrors }: Pick<ServiceDescription<Context, Labels>, 'routeErrors'>,
  route: Route<Context, Labels>,
): readonly ErrorRow[] {
  return [...new Set([...(routeErrors?.(route) ?? []), ...route.errors])];
}

/** All errors of a method, without those of its route. */
export function errorsOfMethod<Context, Labels>(
  { methodErrors }: Pick<ServiceDescription<Context, Labels>, 'methodErrors'>,
  method: Method<Context, Labels>,
): readonly ErrorRow[] {
  return [...new Set([...(methodErrors?.(method) ?? []), ...method.errors])];
}

/** OpenAPI 3.1 uses draft 2020-12, OpenRPC draft 7. */
export type SchemaDraft = 'draft-2020-12' | 'draft-7';

const MAX_UINT64 = z.uint64().maxValue;

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of the JSON: bigints are integers there. */
export function jsonSchema(schema: z.core.$ZodType, draft: SchemaDraft): JsonSchema {
  const { $schema: _draft, ...printed } = z.toJSONSchema(schema, {
    io: 'input',
    target: draft,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: target }) => {
      if (!(zodSchema instanceof z.ZodBigInt)) return;
      const { minValue, maxValue } = zodSchema;
      Object.assign(target, { type: 'integer', ...bound('minimum', minValue), ...bound('maximum', maxValue) });
      if (maxValue === MAX_UINT64) target.format = 'uint64';
    },
  });
  return printed;
}

/** A bound above 2^53 is not exact as JSON number; the format has it instead. */
function bound(name: 'minimum' | 'maximum', value: bigint | null): JsonSchema {
  return value === null || value > BigInt(Number.MAX_SAFE_INTEGER) ? {} : { [name]: Number(value) };
}

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of a service's routes. */
export function openApiDocument<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  routes: readonly Route<Context, Labels>[],
): Json & { readonly paths: Json } {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes.filter(isDocumented))
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(service, route);
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

/** Files of the page /docs are not documented. */
export function isDocumented({ path }: { readonly path: string }): boolean {
  return !path.startsWith('/docs/');
}

/** GET /openapi.json. `routes` is called at the first request; the list may include this route. */
export function openApiRoute<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  routes: () => readonly Route<Context, Labels>[],
  rest: { readonly guards: Guards; readonly labels?: Labels },
): Route<Context, Labels> {
  let printed: FinishedJson | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    summary: 'OpenAPI document of this service.',
    ...rest,
    response: z.looseObject({ openapi: z.string() }),
    errors: [],
    handle: () => (printed ??= new FinishedJson(stringifyJson(openApiDocument(service, routes())))),
  };
}

function operation<Context, Labels>(service: ServiceDescription<Context, Labels>, route: Route<Context, Labels>): Json {
  const {
    summary,
    description,
    guards,
    labels,
    body,
    params,
    query,
    response,
    status = 200,
    responseErrors = [],
  } = route;
  const onPage = service.errorPages?.(route) === true;
  return {
    operationId: operationId(route),
    summary,
    ...(description === undefined ? {} : { description }),
    security: security(service, guards),
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      [status]: success(route),
      ...errorResponses([
        ...errorsOfRoute(service, route).map((row) => ({ row, body: onPage ? PAGE : service.errorBody })),
        ...('contentType' in response ? [] : responseErrors.map((row) => ({ row, body: response }))),
      ]),
    },
    ...(labels === undefined ? {} : { 'x-labels': labels }),
  };
}

/** A JSON-RPC method as an OpenAPI operation: the request and the response with their envelope. */
export function operationOfMethod<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  method: Method<Context, Labels>,
): Json {
  const { name, summary, params, result } = method;
  const request = {
    type: 'object',
    required: ['jsonrpc', 'id', 'method', ...(params === undefined ? [] : ['params'])],
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: 'integer', examples: [1] },
      method: { const: name },
      ...(params === undefined ? {} : { params: jsonSchema(params, 'draft-2020-12') }),
    },
  };
  const envelope = {
    type: 'object',
    properties: { jsonrpc: { const: '2.0' }, id: {}, result: jsonSchema(result, 'draft-2020-12') },
  };
  const errors = errorsOfMethod(service, method).map(
    ({ code, text, when }) => `${String(code ?? '')} ${text}: ${when}`,
  );
  return {
    operationId: name,
    summary: name,
    description: [summary, ...errors.map((error) => `- ${error}`)].join('\n\n'),
    tags: ['JSON-RPC'],
    security: security(service, { key: true, limit: true }),
    requestBody: { required: true, content: { 'application/json': { schema: request } } },
    responses: { 200: { description: 'result or error', content: { 'application/json': { schema: envelope } } } },
  };
}

/** Most services require a key only if one is configured. */
function security({ alwaysAsksKey = false }: { readonly alwaysAsksKey?: boolean }, { key }: Guards): Json[] {
  if (!key) return [];
  return alwaysAsksKey ? [{ apiKey: [] }] : [{ apiKey: [] }, {}];
}

function success({ response, orBytes }: Pick<Route, 'response' | 'orBytes'>): Json {
  if (response instanceof z.ZodUndefined) return { description: 'Success, without a body' };
  if (!('contentType' in response)) {
    const bytes = { schema: { type: 'string', format: 'binary', description: orBytes } };
    const others = orBytes === undefined ? {} : { 'application/octet-stream': bytes };
    return { description: response.description ?? 'Success', content: { ...json(response), ...others } };
  }
  const [type = ''] = response.contentType.split(';');
  const others = response.orJson === undefined ? {} : json(response.orJson);
  return { description: response.description, content: { [type]: { schema: { type: 'string' } }, ...others } };
}

function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const named = words.length === 0 ? ['root'] : words;
  return method.toLowerCase() + named.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

function parameters(fields: Fields | undefined, place: 'path' | 'query'): Json[] {
  if (fields === undefined) return [];
  return propertiesOf(fields, 'draft-2020-12').map(({ name, required, schema }) => ({
    name,
    in: place,
    required: place === 'path' || required,
    schema,
  }));
}

function propertiesOf(fields: Fields, draft: SchemaDraft) {
  const { properties = {}, required = [] } = jsonSchema(fields, draft) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({ name, required: required.includes(name), schema }));
}

function json(schema: z.ZodType): Json {
  return { 'application/json': { schema: jsonSchema(schema, 'draft-2020-12') } };
}

/** The body of an error that is an HTML page. */
const PAGE = 'page' as const;

function errorResponses(errors: readonly { readonly row: ErrorRow; readonly body: z.ZodType | typeof PAGE }[]): Json {
  const byStatus = new Map<number, (typeof errors)[number][]>();
  for (const error of errors) byStatus.set(error.row.status, [...(byStatus.get(error.row.status) ?? []), error]);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => {
      const sent = new Set(same.filter(({ row }) => row.text !== '').map(({ body }) => body));
      const bodies = [...sent].filter((body) => body !== PAGE);
      const [only, ...further] = bodies;
      const content = {
        ...(sent.has(PAGE) ? { 'text/html': { schema: { type: 'string' } } } : {}),
        ...(only === undefined ? {} : json(further.length === 0 ? only : z.union(bodies))),
      };
      return [
        status,
        {
          description: same.map(({ row: { when, text } }) => (text === '' ? when : `${when} (${text})`)).join('\n\n'),
          ...(sent.size === 0 ? {} : { content }),
        },
      ];
    }),
  );
}

/** The OpenRPC document of a service's JSON-RPC methods. */
export function openRpcDocument<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  methods: readonly Method<Context, Labels>[],
): Json {
  return {
    openrpc: '1.3.2',
    info: { title: service.title, version: service.version, description: service.description },
    methods: methods.map((method) => methodObject(method, errorsOfMethod(service, method))),
  };
}

/**
 * The method `rpc.discover` returns the document of the available methods. It is cached: to build it takes a hundred times as
 * long as another small request.
 */
export function discoverMethod<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  methods: () => readonly Method<Context, Labels>[],
  labels?: Labels,
): Method<Context, Labels> {
  const made = new Map<string, Json>();
  return {
    name: 'rpc.discover',
    summary: 'OpenRPC document of these methods.',
    ...(labels === undefined ? {} : { labels }),
    result: z.looseObject({ openrpc: z.string() }),
    errors: [],
    handle: (context) => {
      const available = methods().filter((method) => method.available?.(context) ?? true);
      const names = available.map(({ name }) => name).join();
      const document = made.get(names) ?? openRpcDocument(service, available);
      made.set(names, document);
      return document;
    },
  };
}

function methodObject<Context, Labels>(method: Method<Context, Labels>, errors: readonly ErrorRow[]): Json {
  const { name, summary, params, result, labels } = method;
  const inEnvelope = errors.filter(({ code }) => typeof code === 'number');
  const asHttp = errors.filter(({ code }) => typeof code !== 'number');
  return {
    name,
    summary,
    paramStructure: params instanceof z.ZodTuple ? 'by-position' : 'by-name',
    params: params === undefined ? [] : params instanceof z.ZodTuple ? positions(params) : fields(params),
    result: { name: 'result', schema: jsonSchema(result, 'draft-7') },
    errors: inEnvelope.map(({ code, text, application }) => ({
      code,
      message: text,
      ...(application === undefined ? {} : { data: { application_code: application } }),
    })),
    // Some services send an HTTP error instead of an error in the envelope.
    ...(asHttp.length === 0
      ? {}
      : { 'x-http-errors': asHttp.map(({ status, text, when }) => ({ status, text, when })) }),
    ...(labels === undefined ? {} : { 'x-labels': labels }),
  };
}

function fields(params: z.ZodObject): Json[] {
  // The specification requires this order.
  return propertiesOf(params, 'draft-7').sort((a, b) => Number(b.required) - Number(a.required));
}

function positions(params: z.ZodTuple): Json[] {
  return params.def.items.map((item, i) => {
    const schema = jsonSchema(item, 'draft-7');
    return { name: typeof schema['title'] === 'string' ? schema['title'] : `param${i}`, required: true, schema };
  });
}
