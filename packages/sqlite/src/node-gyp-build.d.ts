declare module 'node-gyp-build' {
  /** The file of a package folder's addon: its own build first, then a fitting prebuild. @throws Error without either */
  export function path(directory: string): string;
}
