declare module 'node-gyp-build' {
  /** Loads the addon of a package folder: its own build first, then a fitting prebuild. */
  function load(directory: string): unknown;
  export = load;
}
