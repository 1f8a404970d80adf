import { z } from 'zod';
import {
  jsonSchema,
  methodDeclarer,
  openRpcDocument,
  routeDeclarer,
  type ServiceDescription,
} from '../../../packages/service-kit/src';
import { referenceFiles } from '../../docs-print/reference';
import { fieldsOf, typeText } from '../../docs-print/schema';

const GUARDS = { key: true, limit: true };
const service: ServiceDescription<unknown, { readonly wallet: string }> = {
  title: 'A service',
  version: '9.8.7',
  description: 'For tests.',
  errorBody: z.object({}),
  labelNotes: ({ wallet }) => [`Requires the wallet to be ${wallet}.`],
};
const ERROR = { status: 404, code: 7, text: 'Gone', when: 'It does not exist.' };
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

test('the page has all fields of the declarations, nested ones included', () => {
  const example = { path: '/of/7?limit=1', body: { list: [] }, status: 200, response: { both: null } };
  const files = referenceFiles('program', service, {
    routes: [route],
    methods: [method],
    examples: { 'POST /of/{id}': example },
  });
  expect(Object.keys(files)).toEqual(['reference.md', 'openapi.json', 'openrpc.json']);
  expect(files['reference.md'])
    .toBe(`<!-- Printed from the declarations by \`npm run docs:print\`; changes here are lost. -->

# program: reference

For tests.

The same for programs: [openapi.json](openapi.json) and [openrpc.json](openrpc.json). Codes and texts of errors by name: [errors](errors.md).

## Routes

### POST /of/{id}

One of them. Requires the API key if one is configured. Rate-limited per client address. Requires the wallet to be open.

Longer.

Request:

| Name | Type | More |
| --- | --- | --- |
| \`id\` | string | in path |
| \`limit\` | integer, 0 to 100 | in query; optional |
| \`list\` | array of object | in body |
| \`list[].hash\` | string, 64 characters | in body; Hex |

Response: 200, object.

| Name | Type | More |
| --- | --- | --- |
| \`both\` | object or null |  |
| \`both.a\` | boolean |  |

Errors:

| Code | Text | When |
| --- | --- | --- |
| 404, 7 | \`Gone\` | It does not exist. |

Example:

\`\`\`sh
curl -H 'X-API-KEY: <key>' -d '{"list":[]}' 'http://127.0.0.1:7856/of/7?limit=1'
\`\`\`

Status 200:

\`\`\`
{
  "both": null
}
\`\`\`

## Methods

### sum

Adds.

Request:

| Name | Type | More |
| --- | --- | --- |
| \`first\` | string | in params |
| \`param1\` | number | in params |

Response: 200, "OK".

Errors:

| Code | Text | When |
| --- | --- | --- |
| 200, -1, application code 8 | \`Full\` | There are too many. |
`);
});

test('an error of a method is listed with its application code', () => {
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
