/** Characters. An entry of an index on PostgreSQL holds no more than 2,700 bytes, and a key of Kafka may be a megabyte. */
export const longestIndexed = 200
