/** Bytes of UTF-8, below what the receivers are known to take: Teams 28 KB, PagerDuty 512 KB; Slack about 12,000 characters in blocks. */
export const mostBytes = { mail: 100_000, webhook: 500_000, slack: 12_000, teams: 24_000, pagerDuty: 500_000 } as const
