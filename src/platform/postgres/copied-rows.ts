import { Buffer } from 'node:buffer'

/** A signature and flags; behind them, how long what follows of the header is. */
const headerBytes = 19
const extensionAt = 15
/** What stands where a row would tell how many columns it has. */
const end = -1

/**
 * Rows as `COPY … (FORMAT binary)` gives them: numbers, texts and bytes as the server keeps them, where everything else that the library reads was
 * written as text, and bytes with two letters for each. Whoever reads a row reads all of its columns, in their order.
 */
export class CopiedRows {
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0
  #isBegun = false

  /** What came of them next, which are whole rows. The chunk is the library's, and is written anew afterwards. */
  read(chunk: Buffer, each: (row: CopiedRows) => void): void {
    this.#chunk = chunk
    this.#at = this.#isBegun ? 0 : headerBytes + chunk.readInt32BE(extensionAt)
    this.#isBegun = true
    while (this.#at < chunk.byteLength && this.#columns() !== end) each(this)
  }

  integer(): number | null {
    return this.#isNull() ? null : this.#chunk.readInt32BE(this.#pass(4))
  }

  /** Exact up to 2⁵³. */
  bigint(): number | null {
    if (this.#isNull()) return null
    const at = this.#pass(8)
    return this.#chunk.readInt32BE(at) * 2 ** 32 + this.#chunk.readUInt32BE(at + 4)
  }

  float(): number | null {
    return this.#isNull() ? null : this.#chunk.readDoubleBE(this.#pass(8))
  }

  boolean(): boolean | null {
    return this.#isNull() ? null : this.#chunk[this.#pass(1)] === 1
  }

  text(): string | null {
    const length = this.#length()
    if (length < 0) return null
    const at = this.#pass(length)
    return this.#chunk.toString('utf8', at, at + length)
  }

  bytes(): Buffer | null {
    const length = this.#length()
    if (length < 0) return null
    const at = this.#pass(length)
    return Buffer.from(this.#chunk.subarray(at, at + length))
  }

  #columns(): number {
    return this.#chunk.readInt16BE(this.#pass(2))
  }

  #length(): number {
    return this.#chunk.readInt32BE(this.#pass(4))
  }

  #isNull(): boolean {
    return this.#length() < 0
  }

  #pass(bytes: number): number {
    const at = this.#at
    this.#at += bytes
    return at
  }
}
