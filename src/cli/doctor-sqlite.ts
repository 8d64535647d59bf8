import { type Check, ok, warn } from "./check";

/** The newest line of releases that was mended by a patch; later ones never had the fault. */
const LAST_PATCHED = 51;

/**
 * By the line of releases of SQLite 3, the first patch without the WAL-reset bug, which lets a checkpoint lose what
 * another connection commits at that moment: in SQLite since 3.7.0. https://www.sqlite.org/wal.html#walresetbug
 */
const MENDED_BY: ReadonlyMap<number, number> = new Map([
  [44, 6],
  [50, 7],
  [LAST_PATCHED, 3],
]);

const isMended = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major > 3 || (major === 3 && minor > LAST_PATCHED)) return true;
  return major === 3 && patch >= (MENDED_BY.get(minor) ?? Number.POSITIVE_INFINITY);
};

/** Where the program brings its own SQLite it is a good one; on macOS it takes the system's. */
export const sqliteCheck = (version: string, platform: NodeJS.Platform): Check => {
  if (isMended(version)) return ok("sqlite", version);
  const finding = `${version} may, very rarely, lose or damage what several connections write at the same moment`;
  const update =
    platform === "darwin"
      ? "update macOS, whose own SQLite is used here, or run the hub on Linux"
      : "use the released executable, which includes a newer version";
  return warn("sqlite", finding, `${update}; SQLite 3.51.3 fixes this. Until then set backups.every_hours`);
};
