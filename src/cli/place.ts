import { resolve } from "node:path";
import type { Loaded } from "#config/load";
import type { HubPlace } from "#core/command-line";

type Given = Pick<Loaded, "config" | "settings" | "file">;

/** What a command's reader has to repeat to mean the same hub from the same folder: nothing where nothing was given. */
export const givenPlace = ({ config, settings, file }: Given): HubPlace => {
  const origin = settings.find(({ key }) => key.path === "data_dir")?.origin;
  const isNamed = origin !== undefined && origin !== "default" && origin !== file;
  return { config: file, data_dir: isNamed ? resolve(config.data_dir) : null };
};

/** The same from any folder, for what a serving hub shows: its readers are elsewhere. */
export const hubPlace = (given: Given): HubPlace => {
  const place = givenPlace(given);
  const isNamed = place.config !== null || place.data_dir !== null;
  return isNamed ? place : { config: null, data_dir: resolve(given.config.data_dir) };
};
