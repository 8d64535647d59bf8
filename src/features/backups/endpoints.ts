import { type Audience, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { BackupList, BackupRemoval, BackupTask, RemovedBackup } from "./schema";
import type { BackupService } from "./service";

type BackupEndpointNeeds = {
  readonly service: BackupService;
  /** Lifts the server's idle limit from one request. */
  readonly disableIdleTimeout: (request: Request) => void;
};

const ADMIN: Audience = { roles: ["admin"] };
const BEGUN = {
  202: { schema: BackupTask, description: "Started; GET /api/backups shows when it has finished." },
} as const;

/** Backups, for administrators. */
const backupEndpoints = ({ service, disableIdleTimeout }: BackupEndpointNeeds) =>
  [
    endpoint("GET /api/backups", {
      summary: "List backups",
      auth: ADMIN,
      answers: { 200: BackupList },
      handler: () => service.list(),
    }),
    endpoint("POST /api/backups", {
      summary: "Start a backup",
      auth: ADMIN,
      answers: BEGUN,
      errors: ["state_conflict"],
      handler: ({ person }) => service.create(person),
    }),
    endpoint("POST /api/backups/:name/verify", {
      summary: "Start the verification of a backup",
      auth: ADMIN,
      answers: BEGUN,
      errors: ["state_conflict", "not_found"],
      handler: ({ person, params }) => service.verify(person, params.name),
    }),
    endpoint("GET /api/backups/:name", {
      summary: "Download a backup",
      // All of the database at once: not for a browser that was left open.
      auth: { roles: ["admin"], fresh: true },
      // That somebody took it is on record.
      isRecorded: true,
      answers: {
        200: {
          media: "application/x-tar",
          description: "A tar of the database, the audit log's signing key and manifest.json.",
          example: "a tar",
        },
      },
      errors: ["not_found"],
      handler: async ({ person, params: { name }, request }) => {
        const content = await service.open(person, name);
        disableIdleTimeout(request);
        // The name is one that lies there, so it is safe in a header.
        return new Response(content, {
          headers: { "content-type": "application/x-tar", "content-disposition": `attachment; filename="${name}"` },
        });
      },
    }),
    endpoint("DELETE /api/backups/:name", {
      summary: "Delete a backup",
      auth: ADMIN,
      body: { schema: BackupRemoval, example: { name: "guardhouse-20261121T233332Z-1f2e.tar" } },
      answers: { 200: RemovedBackup },
      errors: ["not_found"],
      handler: ({ person, params, body }) => service.remove(person, params.name, body.name),
    }),
  ] as const;

export type BackupClient = ClientTypes<ReturnType<typeof backupEndpoints>[number]>;

export const backupRoutes = (needs: BackupEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Backups" }, backupEndpoints(needs));
