/** One row for each spent key image. */
export const KEY_IMAGE_SCHEMA = `
CREATE TABLE key_images (
  image BLOB PRIMARY KEY,
  height INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const KEY_IMAGE_TABLES = ['key_images'] as const;
