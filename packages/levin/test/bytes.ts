export const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Expects two buffers to be equal (jest's own comparison of buffers is slow). */
export function expectBytes(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.from(actual).toString('hex')).toBe(Buffer.from(expected).toString('hex'));
}

/** Whether a decoder throws an error of this class. */
export function refuses(decode: () => unknown, type: new (...details: never[]) => Error): boolean {
  try {
    decode();
    return false;
  } catch (error) {
    return error instanceof type;
  }
}
