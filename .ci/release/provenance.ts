import { join } from "node:path";
import { commit, isDirty, ROOT, sha256Of } from "./target";

/** How the files were made, as an in-toto statement with SLSA provenance. https://slsa.dev/provenance/v1 Not signed here. */
export const provenanceOf = async (out: string, files: readonly string[]) => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: await Promise.all(
    files.map(async (name) => ({ name, digest: { sha256: await sha256Of(join(out, name)) } })),
  ),
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "urn:guardhouse:release:v1",
      // `dirty`: files differ from those of the commit.
      externalParameters: { command: "bun .ci/release.ts", commit: commit(), dirty: isDirty() },
      resolvedDependencies: [
        { name: "bun", uri: `pkg:npm/bun@${Bun.version}` },
        { name: "bun.lock", uri: "file:bun.lock", digest: { sha256: await sha256Of(join(ROOT, "bun.lock")) } },
      ],
    },
    runDetails: { builder: { id: "urn:guardhouse:release-script" } },
  },
});
