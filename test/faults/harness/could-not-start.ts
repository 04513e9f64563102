/** The exit code of a consumer that found no broker: it is started again, and nobody failed. */
export const couldNotStart = 75
