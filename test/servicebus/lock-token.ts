import { randomUUID } from 'node:crypto'

/** A lock token as requests name it: sixteen bytes in the order of RFC 4122. */
export function newLockToken(): Buffer {
  return Buffer.from(randomUUID().replaceAll('-', ''), 'hex')
}

/** The delivery tag holds the same token in the order of a .NET Guid. */
export function asDeliveryTag(token: Buffer): Buffer {
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
  return Buffer.from(order.map((from) => token.readUInt8(from)))
}
