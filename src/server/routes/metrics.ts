import { z } from 'zod'
import { prometheusText } from '../../core/metrics/prometheus-text.ts'
import { measurePlane } from '../../ops/metrics/measure-plane.ts'
import { planeMetrics } from '../../ops/metrics/plane-metrics.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'

/**
 * For Prometheus, which sends a token. It names queues, so it asks for the same right as a list of them, and shows the same sources.
 */
export function metricsRoutes(app: Api, context: Context): void {
  app.get(
    '/metrics',
    {
      config: { rule: { need: 'metadata:read', action: 'metrics.read', audit: 'metadata' } },
      schema: {
        summary: 'Counts for Prometheus, in its text format.',
        tags: ['health'],
        response: { 200: { description: 'The counts.', content: { 'text/plain': { schema: z.string() } } } },
      },
    },
    async (request, reply) => {
      const text = prometheusText(planeMetrics(await measurePlane(context, principalOf(request))))
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text)
    },
  )
}
