import { z } from 'zod';
import {
  jsonSchema,
  methodDeclarer,
  openRpcDocument,
  routeDeclarer,
  type ServiceDescription,
} from '../../../packages/service-kit/src';
import { fieldsOf, serviceReference, typeText } from '../../docs-print/declarations';

const GUARDS = { key: true, limit: true };
const service: ServiceDescription<unknown, { readonly wallet: string }> = {
  title: 'A service',
  version: '9.8.7',
  description: 'For tests.',
  errorBody: z.object({}),
  labelNotes: ({ wallet }) => [`Requires the wallet to be ${wallet}.`],
};
const ERROR = { status: 404, code: 7, text: 'Gone', when: 'There is none.' };
const APPLICATION_ERROR = { status: 200, code: -1, application: 8, text: 'Full', when: 'There are too many.' };

const route = routeDeclarer<unknown, { readonly wallet: string }>()({
  method: 'POST',
  path: '/of/{id}',
  summary: 'One of them.',
  description: 'Longer.',
  guards: GUARDS,
  labels: { wallet: 'open' },
  params: z.object({ id: z.string() }),
  query: z.object({ limit: z.bigint().min(0n).max(100n).optional() }),
  body: z.object({ list: z.array(z.object({ hash: z.string().length(64).describe('Hex') })) }),
  response: z.object({ both: z.union([z.object({ a: z.boolean() }), z.null()]) }),
  errors: [ERROR],
  handle: () => ({ both: null }),
});
const method = methodDeclarer<unknown, { readonly wallet: string }>()({
  name: 'sum',
  summary: 'Adds.',
  params: z.tuple([z.string().meta({ title: 'first' }), z.number()]),
  result: z.literal('OK'),
  errors: [APPLICATION_ERROR],
  handle: () => 'OK' as const,
});

test('an entry has all fields of its declaration, nested ones included', () => {
  const reference = serviceReference(service, { routes: [route], methods: [method] });
  expect(reference.routes).toEqual([
    {
      name: 'POST /of/{id}',
      summary: 'One of them.',
      description: 'Longer.',
      notes: [
        'Requires the API key if one is configured.',
        'Rate-limited per client address.',
        'Requires the wallet to be open.',
      ],
      fields: [
        { name: 'id', type: 'string', required: true, text: '', place: 'path' },
        { name: 'limit', type: 'integer, 0 to 100', required: false, text: '', place: 'query' },
        { name: 'list', type: 'array of object', required: true, text: '', place: 'body' },
        { name: 'list[].hash', type: 'string, 64 characters', required: true, text: 'Hex', place: 'body' },
      ],
      response: {
        text: '200, object',
        fields: [
          { name: 'both', type: 'object or null', required: true, text: '' },
          { name: 'both.a', type: 'boolean', required: true, text: '' },
        ],
      },
      errors: [{ code: '404, 7', text: 'Gone', when: 'There is none.' }],
    },
  ]);
  expect(reference.methods[0]?.fields.map(({ name, type }) => [name, type])).toEqual([
    ['first', 'string'],
    ['param1', 'number'],
  ]);
  expect(reference.methods[0]?.response.text).toBe('200, "OK"');
  expect(JSON.stringify(reference)).not.toContain(service.version);
});

test('an error of a method is listed with its application code', () => {
  const [entry] = serviceReference(service, { methods: [method] }).methods;
  expect(entry?.errors.map(({ code }) => code)).toEqual(['200, -1, application code 8']);
  expect(openRpcDocument(service, [method])).toMatchObject({
    methods: [{ errors: [{ code: -1, message: 'Full', data: { application_code: 8 } }] }],
  });
});

test.each([
  [
    z
      .bigint()
      .min(0n)
      .max(2n ** 64n - 1n),
    'integer, 64 bits',
  ],
  [z.enum(['a', 'b']), '"a" or "b"'],
  [z.array(z.string()), 'array of string'],
  [z.tuple([z.string(), z.boolean()]), 'array of string, boolean'],
  [z.string().max(9), 'string, 9 characters at most'],
  [z.number().min(2), 'number, 2 or more'],
  [z.int(), 'integer'],
  [z.union([z.number(), z.bigint()]), 'number'],
  [z.union([z.string(), z.boolean()]), 'string or boolean'],
  [z.unknown(), 'any'],
])('a type in words: %#', (schema, text) => {
  const printed = jsonSchema(schema, 'draft-2020-12');
  expect(typeText(printed)).toBe(text);
  expect(fieldsOf(printed)).toEqual([]);
});
