import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type JobHandler, JobRunner } from "#hub/job-runner";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { JobStore } from "#store/loop-port";
import { jobRoutes } from "./endpoints";

/** How often stored work is taken up. Milliseconds. */
const JOBS_MS = 500;

type RunnerParts = {
  readonly jobs: JobStore;
  readonly webhookDeliverer: JobHandler;
  readonly alertNotifier: JobHandler;
  readonly reportReview: JobHandler;
  readonly processId: string;
  readonly now: Clock;
  readonly log: Log;
};
type Running = { readonly jobRunner: JobRunner };
type RouteParts = PersonRouteParts & { readonly jobs: JobStore; readonly now: Clock };

/** Stored work, which is done by one process of several. */
export const jobs = feature({
  provides: {
    jobRunner: ({ jobs, webhookDeliverer, alertNotifier, reportReview, processId, now, log }: RunnerParts) =>
      new JobRunner({ jobs, handlers: [webhookDeliverer, alertNotifier, reportReview], worker: processId, now, log }),
  },
  routes: (c: RouteParts) => [jobRoutes({ ...personRoutes(c), jobs: c.jobs, now: c.now })],
  // A run ends when all that it began has ended; what is due meanwhile must not wait for that.
  jobs: (c: Running) => [{ name: "jobs", everyMs: JOBS_MS, overlaps: true, run: () => c.jobRunner.tick() }],
  quiesce: (c: Running) => () => c.jobRunner.stop(),
});
