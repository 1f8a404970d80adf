import { z } from 'zod';

/** OpenAPI 3.1 speaks the draft of 2020-12, OpenRPC that of 2019 and before. */
export type SchemaDraft = 'draft-2020-12' | 'draft-7';

const MAX_UINT64 = z.uint64().maxValue;

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON schema of what stands on the wire. Integers that are bigints inside are plain integers there. */
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

/** A bound beyond 2^53 cannot be printed as the number it is; the format says it instead. */
function bound(name: 'minimum' | 'maximum', value: bigint | null): JsonSchema {
  return value === null || value > BigInt(Number.MAX_SAFE_INTEGER) ? {} : { [name]: Number(value) };
}
