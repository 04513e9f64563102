/** What we use of rhea, the AMQP 1.0 library under the SDK: its encoder and decoder, and nothing that talks to a network. */

/** A value that knows its AMQP type. */
export interface Typed {
  type: { readonly name: string; readonly typecode: number; readonly width: number }
  readonly value: unknown
}

export interface RheaTypes {
  readonly Reader: new (
    bytes: Buffer,
  ) => { read(): Typed & { readonly descriptor?: { readonly value: unknown } }; remaining(): number }
  wrap(value: unknown): Typed
  wrap_boolean(value: boolean): Typed
  wrap_ubyte(value: number): Typed
  wrap_ushort(value: number): Typed
  wrap_uint(value: number): Typed
  wrap_ulong(value: Buffer | number): Typed
  wrap_byte(value: number): Typed
  wrap_short(value: number): Typed
  wrap_int(value: number): Typed
  wrap_long(value: Buffer): Typed
  wrap_float(value: number): Typed
  wrap_double(value: number): Typed
  wrap_timestamp(value: number): Typed
  wrap_uuid(value: Buffer): Typed
  wrap_binary(value: Buffer): Typed
  wrap_string(value: string): Typed
  wrap_symbol(value: string): Typed
  described(descriptor: Typed, value: Typed): Typed
  /** Bytes, with a length of four bytes. */
  Vbin32(value: Buffer): Typed
}

export interface RheaMessages {
  decode(bytes: Buffer): { readonly application_properties?: object }
}
