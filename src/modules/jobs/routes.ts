import { Elysia } from "elysia";
import { type Page, pageOf } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { Clock } from "#platform/clock";
import type { JobStore, SeenJob } from "#store/loop-port";

type Deps = {
  readonly jobs: Pick<JobStore, "list">;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly now: Clock;
};

type Query = Readonly<Record<string, string | undefined>>;

/** Work in the background that is still to be done: what it is about, since when it is tried, why it has not come off. */
export const jobRoutes = ({ jobs, door, now }: Deps) =>
  new Elysia({ name: "jobs" })
    .use(door)
    .get(
      "/api/jobs",
      async ({ query }: { query: Query }) => Response.json(shown(pageOf(await jobs.list(), query), now())),
      {
        role: { roles: ["admin", "auditor"] },
        detail: { summary: "Background work that is still to be done", tags: ["Operating"] },
      },
    );

const shown = ({ data, ...page }: Page<SeenJob>, now: number) => ({
  ...page,
  data: data.map((job) => shownJob(job, now)),
});

const shownJob = ({ id, kind, ref, run_at, attempts, leased_until, error }: SeenJob, now: number) => ({
  id,
  kind,
  ref,
  state: leased_until !== null && leased_until > now ? "running" : "waiting",
  run_at: new Date(run_at).toISOString(),
  attempts,
  error,
});
