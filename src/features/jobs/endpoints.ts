import { type Static, Type } from "#core/schema";
import { type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { Id, Moment, oneOf, orNull, PAGE_QUERY, pageSchema } from "#http/openapi/schemas";
import { readPage } from "#http/page";
import type { Clock } from "#platform/clock";
import type { JobStore, SeenJob } from "#store/loop-port";

type JobEndpointNeeds = { readonly jobs: Pick<JobStore, "page">; readonly now: Clock };

const JobResponse = Type.Object(
  {
    id: Id,
    kind: Type.String({ examples: ["report.review"] }),
    ref: Type.String({ description: "Subject of the job." }),
    state: oneOf(["running", "waiting"]),
    run_at: Moment,
    attempts: Type.Integer(),
    error: orNull(Type.String({ description: "Error of the last attempt." })),
  },
  { $id: "Job" },
);

/** Work in the background that is still to be done: what it is about, since when it is tried, why it has not come off. */
const jobEndpoints = ({ jobs, now }: JobEndpointNeeds) =>
  [
    endpoint("GET /api/jobs", {
      summary: "List pending background jobs",
      auth: { roles: ["admin", "auditor"] },
      query: PAGE_QUERY,
      answers: { 200: pageSchema(JobResponse) },
      handler: async ({ query }) => {
        const page = await readPage(query, (window) => jobs.page(window));
        return { ...page, data: page.data.map((job) => jobResponse(job, now())) };
      },
    }),
  ] as const;

const jobResponse = (
  { id, kind, ref, run_at, attempts, leased_until, error }: SeenJob,
  now: number,
): Static<typeof JobResponse> => ({
  id,
  kind,
  ref,
  state: leased_until !== null && leased_until > now ? "running" : "waiting",
  run_at: new Date(run_at).toISOString(),
  attempts,
  error,
});

export type JobClient = ClientTypes<ReturnType<typeof jobEndpoints>[number]>;

export const jobRoutes = (needs: JobEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Operating" }, jobEndpoints(needs));
