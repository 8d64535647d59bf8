import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { DocumentationFiles, DocumentationManifest, DocumentationPart } from "#http/documentation-routes";

/** Beside the code in the executable, which embeds the folder; where the build leaves it in a checkout. */
const PLACES = ["documentation", "../../dist/documentation"].map((path) => join(import.meta.dir, path));

const decompressed = promisify(brotliDecompress);

/** The documentation as `.ci/documentation.ts` rendered it. It is read when it is asked for; none stays in memory. */
export const renderedDocumentation = (): DocumentationFiles => {
  const place = PLACES.find((path) => existsSync(join(path, "manifest.json"))) ?? null;
  const stored = ({ at, length, type }: DocumentationPart): Blob =>
    Bun.file(join(place ?? "", "parts.bin")).slice(at, at + length, type);
  return {
    manifest: async (): Promise<DocumentationManifest | null> =>
      place === null ? null : Bun.file(join(place, "manifest.json")).json(),
    stored,
    plain: async (part) => {
      const bytes = await stored(part).bytes();
      // On a thread of its own: the longest page takes a millisecond.
      return part.packed ? new Uint8Array(await decompressed(bytes)) : bytes;
    },
  };
};
