import { CliExit, EXIT } from "#cli/exit";
import { inHome, type Places, path } from "#clients/client";
import type { Environment } from "#config/environment";

const PLATFORMS = ["linux", "darwin", "win32"] as const;

/** Where the clients of the person who runs the command are. */
export const placesOf = (environment: Environment, system: string): Places => {
  const platform = PLATFORMS.find((known) => known === system) ?? "linux";
  const variable = (name: string) => environment[name] || undefined;
  const home = variable(platform === "win32" ? "USERPROFILE" : "HOME");
  if (home === undefined) throw new CliExit(EXIT.failure, "HOME is not set, so the files of clients cannot be found");
  return { platform, home, variable };
};

/** Where the command keeps what files were before it wrote them. */
export const stateFolder = (places: Places): string => {
  if (places.platform === "win32") {
    return path(places, places.variable("LOCALAPPDATA") ?? inHome(places, "AppData", "Local"), "guardhouse");
  }
  if (places.platform === "darwin") return inHome(places, "Library", "Application Support", "guardhouse");
  return path(places, places.variable("XDG_STATE_HOME") ?? inHome(places, ".local", "state"), "guardhouse");
};
