/** V8 does not always survive it when code of WebAssembly is freed, of which Node itself has some. See also test/keep-type-stripping.ts. */
export const v8Flags: readonly string[] = ['--no-wasm-code-gc']
