type Answers<Questions extends readonly Promise<unknown>[]> = { -readonly [Place in keyof Questions]: Awaited<Questions[Place]> }

/**
 * Statements of one transaction that need nothing of each other's answers: a server far away is sent all of them at once, in this order. Where one fails,
 * the others are waited for all the same: nobody may ask anything more once the transaction has ended.
 */
export async function sideBySide<Questions extends readonly Promise<unknown>[]>(
  ...questions: Questions
): Promise<Answers<Questions>> {
  const settled = await Promise.allSettled(questions)
  const answers = settled.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
  return answers as Answers<Questions>
}
