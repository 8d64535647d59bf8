import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DashboardFile, DashboardFiles, DashboardManifest } from "#http/dashboard";

/** Beside the code in the executable, which embeds the folder; where the build leaves it in a checkout. */
const PLACES = ["dashboard", "../../dist/dashboard"].map((path) => join(import.meta.dir, path));

const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** The dashboard as `.ci/dashboard.ts` bundled it. Files are read when they are asked for; none stays in memory. */
export const bundledDashboard = (): DashboardFiles => {
  const place = PLACES.find((path) => existsSync(join(path, "manifest.json")));
  return {
    // Read each time: it is a few hundred bytes, and in a checkout the build may replace it while the hub runs.
    manifest: async (): Promise<DashboardManifest | null> =>
      place === undefined ? null : Bun.file(join(place, "manifest.json")).json(),
    file: (name, encodings): DashboardFile => {
      const accepted = ENCODINGS.find((encoding) => encodings.includes(encoding.name));
      const body = Bun.file(join(place ?? "", `${name}${accepted?.ending ?? ""}`));
      return { body, encoding: accepted?.name ?? null };
    },
  };
};
