'use strict';

/*
 * jest compares buffers byte by byte in JavaScript and visits every index as a property: seconds for a database file.
 * Equal buffers are compared natively; unequal ones by jest, which prints the difference.
 */
expect.addEqualityTesters([(a, b) => (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b) ? true : undefined)]);
