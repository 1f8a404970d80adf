/**
 * Spent key images in chain order, so that writing them is appending, a rewind a delete by range, and the images of a block
 * or a range of blocks are read without bodies. Ids are dense from 0; among them height never falls. They are found by image
 * through the hash look-ups.
 */
export const KEY_IMAGE_SCHEMA = `
CREATE TABLE key_images (
  id INTEGER PRIMARY KEY,
  image BLOB NOT NULL,
  height INTEGER NOT NULL
) STRICT;
`;

export const KEY_IMAGE_TABLES = ['key_images'] as const;
