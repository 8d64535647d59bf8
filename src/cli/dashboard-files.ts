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
  let read: Promise<DashboardManifest> | null = null;
  return {
    manifest: async () => {
      if (place === undefined) return null;
      read ??= Bun.file(join(place, "manifest.json")).json();
      return read;
    },
    file: (name, encodings): DashboardFile => {
      const accepted = ENCODINGS.find((encoding) => encodings.includes(encoding.name));
      const body = Bun.file(join(place ?? "", `${name}${accepted?.ending ?? ""}`));
      return { body, encoding: accepted?.name ?? null };
    },
  };
};
