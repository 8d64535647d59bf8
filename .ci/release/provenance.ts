import { join } from "node:path";
import { commit, ROOT, sha256Of } from "./target";

/** How the files were made, as an in-toto statement with SLSA provenance. https://slsa.dev/provenance/v1 Not signed here. */
export const provenanceOf = async (out: string, files: readonly string[]) => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: await Promise.all(
    files.map(async (name) => ({ name, digest: { sha256: await sha256Of(join(out, name)) } })),
  ),
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "bun .ci/release.ts",
      externalParameters: { commit: commit() },
      resolvedDependencies: [
        { name: "bun", annotations: { version: Bun.version } },
        { name: "bun.lock", digest: { sha256: await sha256Of(join(ROOT, "bun.lock")) } },
      ],
    },
    runDetails: { builder: { id: "bun .ci/release.ts" } },
  },
});
