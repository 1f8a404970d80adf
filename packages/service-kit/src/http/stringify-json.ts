/**
 * Prints a value as JSON with bigints as exact integers. Fields that are undefined are left out, as JSON.stringify does.
 * @throws TypeError for byte arrays (print their hex) and for functions and symbols
 */
export function stringifyJson(value: unknown): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join('');
}

function write(value: unknown, parts: string[]): void {
  switch (typeof value) {
    case 'string':
      parts.push(JSON.stringify(value));
      return;
    case 'bigint':
    case 'boolean':
      parts.push(String(value));
      return;
    case 'number':
      parts.push(Number.isFinite(value) ? String(value) : 'null');
      return;
    case 'undefined':
      parts.push('null');
      return;
    case 'object':
      writeObject(value, parts);
      return;
    default:
      throw new TypeError(`a ${typeof value} cannot be printed as JSON`);
  }
}

function writeObject(value: object | null, parts: string[]): void {
  if (value === null) parts.push('null');
  else if (Array.isArray(value)) writeArray(value, parts);
  else if (ArrayBuffer.isView(value)) throw new TypeError('bytes cannot be printed as JSON');
  else if (value instanceof Date) parts.push(JSON.stringify(value));
  else writeFields(value, parts);
}

function writeArray(values: readonly unknown[], parts: string[]): void {
  parts.push('[');
  for (let i = 0; i < values.length; i++) {
    if (i > 0) parts.push(',');
    write(values[i], parts);
  }
  parts.push(']');
}

function writeFields(value: object, parts: string[]): void {
  let separator = '{';
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    parts.push(separator, JSON.stringify(name), ':');
    write(field, parts);
    separator = ',';
  }
  parts.push(separator === '{' ? '{}' : '}');
}
