/** How a contender tells how far it is. */
export interface Progress {
  /** Called when a handler begins. */
  began(): void
  /** Called when the last handler run of a message is over, or its settlement where the library tells. */
  handled(): void
}

export interface Consumption {
  /** Called when all messages are handled: resolves when their settlements have reached the broker. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Starts to consume. One module for each library. */
export type Consume<Task> = (task: Task, progress: Progress) => Promise<Consumption>

/** From the first message in a handler to the last settlement that reached the broker. */
export async function consumeAll<Task extends { readonly messages: number }>(
  consume: Consume<Task>,
  task: Task,
  begin: () => void,
): Promise<Consumption> {
  const all = Promise.withResolvers<void>()
  let began = begin
  let left = task.messages
  const consumption = await consume(task, {
    began() {
      began()
      began = () => {}
    },
    handled() {
      if (--left === 0) all.resolve()
    },
  })
  await all.promise
  await consumption.settled()
  return consumption
}
