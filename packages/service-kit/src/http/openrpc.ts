import { z } from 'zod';
import type { ErrorRow } from './errors';
import { errorsOfMethod, jsonSchema, type JsonSchema, type ServiceDescription } from './openapi';
import type { Method } from './routes/json-rpc';

type Json = Readonly<Record<string, unknown>>;

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
  const { properties = {}, required = [] } = jsonSchema(params, 'draft-7') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const described = Object.entries(properties).map(([name, schema]) => {
    return { name, required: required.includes(name), schema };
  });
  // The specification requires this order.
  return described.sort((a, b) => Number(b.required) - Number(a.required));
}

function positions(params: z.ZodTuple): Json[] {
  return params.def.items.map((item, i) => {
    const schema = jsonSchema(item, 'draft-7');
    return { name: typeof schema['title'] === 'string' ? schema['title'] : `param${i}`, required: true, schema };
  });
}
