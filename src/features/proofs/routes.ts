import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import type { tokenAuth } from "#http/auth/token";
import { describe } from "#http/openapi/route-doc";
import type { ProofStore, TreeLog } from "#store/proof-port";
import { tileOfPath } from "#store/tlog/tile";

type ProofRoutesNeeds = {
  readonly proofs: Pick<ProofStore, "logs" | "tile">;
  /** Whether hashes are shown to everybody. */
  readonly isPublished: boolean;
  readonly auth: ReturnType<typeof tokenAuth>;
};

const OPEN =
  "Hashes and signatures alone, which is what others need to hold the log to what it has said; off unless `audit.publish` is on.";

/** The logs as https://c2sp.org/tlog-tiles has them, without their records. */
export const proofRoutes = ({ proofs, isPublished, auth }: ProofRoutesNeeds) => {
  const answer = async (node: string | null, path: string): Promise<Response> => {
    const logs = isPublished ? await proofs.logs() : [];
    const log = node === null ? logs[0] : logs.find((one) => one.node === node);
    const found = log && (await (path === "checkpoint" ? checkpointOf(log) : tileAt(proofs, log, path)));
    if (!found) throw new GuardError("not_found", "There is no such part of the log.");
    return found;
  };
  return new Elysia({ name: "proofs" })
    .use(auth)
    .get("/audit/log/*", ({ params }) => answer(null, params["*"]), {
      open: OPEN,
      detail: describe("Audit", "Get a signed checkpoint or a tile of the audit log", DOC),
    })
    .get("/audit/logs/:node/*", ({ params }) => answer(params.node, params["*"]), {
      open: OPEN,
      detail: describe("Audit", "The same of the log of another process", {
        ...DOC,
        params: { node: Type.String({ description: "Node, as `GET /api/audit` names it." }), ...DOC.params },
      }),
    });
};

const DOC = {
  description:
    "`checkpoint`, or `tile/LEVEL/INDEX` with hashes of 32 bytes, as C2SP tlog-tiles has them. Needs no credential; 404 unless `audit.publish` is on.",
  params: {
    path: Type.String({ description: "`checkpoint`, `tile/0/000`, `tile/0/000.p/17`.", examples: ["checkpoint"] }),
  },
  answers: {
    200: {
      media: "text/plain",
      example: "guardhouse/1f0c…\n1204\nsFod…\n\n— guardhouse/1f0c… hI2DJw…\n",
      or: { media: "application/octet-stream", example: "" },
    },
  },
  errors: ["not_found"],
} as const;

const checkpointOf = ({ head, witnessed }: TreeLog): Response | null => {
  const newest = witnessed !== null && witnessed.size === head?.size ? witnessed : head;
  if (newest === null) return null;
  return new Response(newest.note, {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "max-age=5" },
  });
};

const tileAt = async (
  proofs: Pick<ProofStore, "tile">,
  { node }: TreeLog,
  path: string,
): Promise<Response | null> => {
  const place = path.startsWith("tile/") ? tileOfPath(path.slice("tile/".length)) : null;
  const hashes = place && (await proofs.tile(node, place, place.width));
  if (!hashes) return null;
  return new Response(new Uint8Array(hashes), {
    headers: { "content-type": "application/octet-stream", "cache-control": "max-age=31536000, immutable" },
  });
};
