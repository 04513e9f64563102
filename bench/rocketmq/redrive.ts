import type { Library } from '../library.ts'
import { consumeWith } from '../redrive-library.ts'
import { fillTopics, lettersIn, openTransport } from './topics.ts'

export const library: Library = {
  fill: fillTopics,
  letters: lettersIn,
  consume: (task, progress) => consumeWith(openTransport(task), task.work, progress),
}
