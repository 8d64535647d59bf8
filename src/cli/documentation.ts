import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DocumentationFiles, DocumentationManifest, DocumentationPart } from "#http/documentation-routes";

/** Beside the code in the executable, which embeds the folder; where the build leaves it in a checkout. */
const PLACES = ["documentation", "../../dist/documentation"].map((path) => join(import.meta.dir, path));

/** On a thread of its own. Loaded for who takes no compressed answers. */
const decompressed = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const { brotliDecompress } = await import("node:zlib");
  return new Promise((resolve, reject) => {
    brotliDecompress(bytes, (fault, plain) => (fault ? reject(fault) : resolve(new Uint8Array(plain))));
  });
};

/** The documentation as `.ci/documentation.ts` rendered it. It is looked for and read when it is asked for; none stays in memory. */
export const renderedDocumentation = (): DocumentationFiles => {
  const place = (): string | null => PLACES.find((path) => existsSync(join(path, "manifest.json"))) ?? null;
  const stored = ({ at, length, type }: DocumentationPart): Blob =>
    Bun.file(join(place() ?? "", "parts.bin")).slice(at, at + length, type);
  return {
    manifest: async (): Promise<DocumentationManifest | null> => {
      const found = place();
      return found === null ? null : Bun.file(join(found, "manifest.json")).json();
    },
    stored,
    plain: async (part) => {
      const bytes = await stored(part).bytes();
      return part.packed ? decompressed(bytes) : bytes;
    },
  };
};
