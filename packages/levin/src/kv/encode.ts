import { BinaryWriter } from '@wrkz/core-types';
import { KV_ARRAY_FLAG, KV_HEADER, kvMinimumSizes, type KvSection, kvTypeCodes, type KvValue } from './model';

function writeSize(writer: BinaryWriter, value: number): void {
  const width = value < 2 ** 6 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 30 ? 4 : 8;
  const bytes = Buffer.alloc(width);
  if (width === 8) bytes.writeBigUInt64LE((BigInt(value) << 2n) | 3n);
  else bytes.writeUIntLE(value * 4 + Math.log2(width), 0, width);
  writer.bytes(bytes);
}

function writeNumber(writer: BinaryWriter, value: Extract<KvValue, { value: number | bigint }>): void {
  const bytes = Buffer.alloc(kvMinimumSizes[value.type]);
  switch (value.type) {
    case 'uint64':
      bytes.writeBigUInt64LE(value.value);
      break;
    case 'int64':
      bytes.writeBigInt64LE(value.value);
      break;
    case 'double':
      bytes.writeDoubleLE(value.value);
      break;
    case 'uint32':
    case 'uint16':
    case 'uint8':
      bytes.writeUIntLE(value.value, 0, bytes.length);
      break;
    default:
      bytes.writeIntLE(value.value, 0, bytes.length);
  }
  writer.bytes(bytes);
}

function writeValue(writer: BinaryWriter, value: KvValue): void {
  switch (value.type) {
    case 'string':
      writeSize(writer, value.value.length);
      writer.bytes(value.value);
      break;
    case 'bool':
      writer.byte(value.value ? 1 : 0);
      break;
    case 'object':
      writeSection(writer, value.value);
      break;
    case 'array':
      writeSize(writer, value.items.length);
      for (const item of value.items) {
        if (item.type !== value.of) throw new RangeError(`an array of ${value.of} holds a ${item.type}`);
        writeValue(writer, item);
      }
      break;
    default:
      writeNumber(writer, value);
  }
}

function writeSection(writer: BinaryWriter, section: KvSection): void {
  writeSize(writer, section.size);
  for (const [name, value] of section) {
    const nameBytes = Buffer.from(name, 'latin1');
    if (nameBytes.length > 255) throw new RangeError('a name has at most 255 bytes');
    writer.byte(nameBytes.length).bytes(nameBytes);
    writer.byte(value.type === 'array' ? kvTypeCodes[value.of] | KV_ARRAY_FLAG : kvTypeCodes[value.type]);
    writeValue(writer, value);
  }
}

/** Encodes a message. @throws RangeError for a number outside of the range of its type */
export function encodeKv(section: KvSection): Buffer {
  const writer = new BinaryWriter();
  writer.bytes(KV_HEADER);
  writeSection(writer, section);
  return writer.toBuffer();
}
