/** What we use of rascal, which brings no types. */
declare module 'rascal' {
  interface RascalMessage {
    readonly properties: {
      readonly headers: { readonly rascal?: { readonly recovery?: Readonly<Record<string, { readonly republished?: number }>> } }
    }
  }
  type AckOrNack = (error: Error | undefined, recovery: object[] | undefined, done: (error?: Error) => void) => void
  interface Subscription {
    on(event: 'error', listener: (error: Error) => void): void
    on(event: 'message', listener: (message: RascalMessage, content: unknown, ackOrNack: AckOrNack) => void): void
    cancel(): Promise<void>
  }
  interface Broker {
    on(event: 'error', listener: (error: Error) => void): void
    subscribe(name: string): Promise<Subscription>
    shutdown(): Promise<void>
  }
  const rascal: {
    readonly BrokerAsPromised: { create(config: object): Promise<Broker> }
    withDefaultConfig(config: object): object
  }
  export default rascal
}
