import { Elysia } from "elysia";
import { type Static, Type } from "#core/schema";
import { detailOf } from "#http/openapi/about";
import { Id, Moment, oneOf, orNull, PAGE_QUERY, pageSchema } from "#http/openapi/shapes";
import { type Page, readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { Clock } from "#platform/clock";
import type { JobStore, SeenJob } from "#store/loop-port";

type Deps = {
  readonly jobs: Pick<JobStore, "page">;
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
      async ({ query }: { query: Query }) =>
        Response.json(shown(await readPage(query, (window) => jobs.page(window)), now())),
      {
        role: { roles: ["admin", "auditor"] },
        detail: detailOf("Operating", "Background work that is still to be done", {
          query: PAGE_QUERY,
          answers: { 200: JobPage },
        }),
      },
    );

const shown = ({ data, ...page }: Page<SeenJob>, now: number) => ({
  ...page,
  data: data.map((job) => shownJob(job, now)),
});

const ShownJob = Type.Object(
  {
    id: Id,
    kind: Type.String({ examples: ["report.review"] }),
    ref: Type.String({ description: "What it is about." }),
    state: oneOf(["running", "waiting"]),
    run_at: Moment,
    attempts: Type.Integer(),
    error: orNull(Type.String({ description: "Why it did not go well the last time." })),
  },
  { $id: "Job" },
);
const JobPage = pageSchema(ShownJob);

const shownJob = (
  { id, kind, ref, run_at, attempts, leased_until, error }: SeenJob,
  now: number,
): Static<typeof ShownJob> => ({
  id,
  kind,
  ref,
  state: leased_until !== null && leased_until > now ? "running" : "waiting",
  run_at: new Date(run_at).toISOString(),
  attempts,
  error,
});
