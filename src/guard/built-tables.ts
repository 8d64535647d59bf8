import { embedded, embeddedSoon } from "#platform/embedded";
import { DETECTORS } from "#scan/detectors/index";
import { offerTables } from "#scan/policy";
import { type PrefilterTables, prefilterTables } from "#scan/prefilter-tables";

/** The name in the executable of the tables of the built-in detectors. */
export const BUILT_TABLES = "prefilter";

/** Made by the build: with them a start, and each scanning thread's, spares some 50 ms of CPU and the garbage of it. */
export const builtTables = (): PrefilterTables => prefilterTables(DETECTORS);

/** The tables that the executable brings along are taken where no others are needed. A checkout makes them. */
export const offerBuiltTables = (): void => offer(() => embedded(BUILT_TABLES));

/** The same, read beside other work. What is scanned meanwhile makes tables of its own. */
export const offerBuiltTablesSoon = async (): Promise<void> => {
  const tables = await embeddedSoon(BUILT_TABLES);
  offer(() => tables);
};

const offer = (read: () => unknown): void =>
  offerTables(DETECTORS, () => {
    // Written by the build of this same code: no other executable has this file.
    const tables = read() as PrefilterTables | null;
    return tables ?? builtTables();
  });
