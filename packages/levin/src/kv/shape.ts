/**
 * The fields of a command. `one`: a number, a boolean, a string or raw bytes. `many`: an array of strings. An object describes an
 * object, a list with one object describes a list of such objects.
 */
export interface KvShape {
  readonly [name: string]: KvField;
}

export type KvField = 'one' | 'many' | KvShape | readonly [KvShape];

export function isList(field: KvShape | readonly [KvShape]): field is readonly [KvShape] {
  return Array.isArray(field);
}

/** The description of a field in an error. */
export function fieldKind(field: KvField): string {
  if (field === 'one') return 'a single value';
  if (field === 'many') return 'a list of strings';
  return isList(field) ? 'a list of objects' : 'an object';
}
