import { RedriveError } from '../core/errors.ts'

/** What we use of the library. */
export interface Nodemailer {
  createTransport(options: object): { sendMail(mail: object): Promise<unknown> }
}

/** Loaded on first use, so that nobody needs it who sends no mail. */
export async function loadNodemailer(): Promise<Nodemailer> {
  try {
    return (await import('nodemailer')).default
  } catch (cause) {
    throw new RedriveError(
      'missing-library',
      'Alerts by mail need the package nodemailer. Install it with: npm install nodemailer@10',
      {
        cause,
      },
    )
  }
}
