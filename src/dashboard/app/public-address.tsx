import type { Answer } from "#dashboard/api/client";
import { CodeLine } from "#dashboard/parts/copy";
import { basePath } from "./base-path";

type Settings = Answer<"GET /api/settings">;

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Stands where nobody knows yet what the address will be. */
const EXAMPLE = "https://guardhouse.example.com";

const isLocal = (address: string): boolean => LOOPBACK.test(new URL(address).hostname);
const portOf = (address: string): string => new URL(address).port;

/** The hub's address as the browser has it. */
export const addressHere = (): string => `${location.origin}${basePath()}`;

/**
 * How the address in the browser's bar stands to the one the hub was told: `elsewhere` has one of them wrong, `local`
 * can be reached from this machine only, `tunnel` is the hub's machine looked at past its public address.
 */
export const standingOf = (publicUrl: string, here: string): "same" | "local" | "tunnel" | "elsewhere" => {
  const isOwn = new URL(publicUrl).origin === new URL(here).origin;
  if (isLocal(publicUrl)) return isOwn || (isLocal(here) && portOf(publicUrl) === portOf(here)) ? "local" : "elsewhere";
  if (isOwn) return "same";
  return isLocal(here) ? "tunnel" : "elsewhere";
};

/** Whether something about the hub's address has to be put right before others can use it. */
export const isMisaddressed = ({ public_url }: Settings): boolean =>
  standingOf(public_url, addressHere()) === "elsewhere";

const FILE = /^(?!--|GUARDHOUSE_|default$|from listen$)(?:.* in )?(.+)$/;

/** Where a setting is written here, and how: beside where it stands now, else where others stand. */
const placeOf = (configuration: NonNullable<Settings["configuration"]>, key: string) => {
  const variable = `GUARDHOUSE_${key.toUpperCase()}`;
  const origin = configuration.find((one) => one.key === key)?.origin ?? "";
  if (origin.startsWith("--"))
    return { where: "In the command that starts it", line: (value: string) => `${origin} ${value}` };
  if (origin === `${variable}_FILE`)
    return { where: `In the file that ${origin} names`, line: (value: string) => value };
  const file = [origin, ...configuration.map((one) => one.origin)].map((one) => FILE.exec(one)?.[1]).find(Boolean);
  if (origin === variable || file === undefined) {
    return { where: "In its environment", line: (value: string) => `${variable}=${value}` };
  }
  return { where: `In ${file}, before the first [section]`, line: (value: string) => `${key} = "${value}"` };
};

const Line = ({
  settings,
  name,
  value,
}: {
  readonly settings: Settings;
  readonly name: string;
  readonly value: string;
}) => {
  const { where, line } = placeOf(settings.configuration ?? [], name);
  return (
    <div className="flex flex-col items-start gap-1">
      <span className="break-words">{where}:</span>
      <CodeLine text={line(value)} />
    </div>
  );
};

/** What is to be said of the hub's address: who can use it, and what to write where so that others can. */
export const PublicAddress = ({ settings }: { readonly settings: Settings }) => {
  const { public_url, listen, configuration } = settings;
  const here = addressHere();
  const standing = standingOf(public_url, here);
  if (standing === "same") return <p>Programs reach it there.</p>;
  if (standing === "tunnel") {
    return <p>Programs reach it there. You came by {here}, past that address; the hub takes changes from here too.</p>;
  }
  const isElsewhere = standing === "elsewhere";
  const wanted = isElsewhere ? here : `${EXAMPLE}${basePath()}`;
  return (
    <div className="flex flex-col gap-2">
      <p className={isElsewhere ? "rounded-md bg-warn-soft px-3 py-2 text-warn" : ""}>
        {isElsewhere
          ? `You opened it at ${here}. It was told that it is at ${public_url}, and sends people and programs there. If that is not its address, tell it the right one.`
          : "Programs on this machine reach it there. Others need an address of their own."}
      </p>
      {configuration && (
        <>
          <Line settings={settings} name="public_url" value={wanted} />
          {!isElsewhere && listen !== null && isLocal(`http://${listen}`) && (
            <p>
              It listens on {listen}, for this machine only: a proxy with TLS on it can pass calls on. Without one, set{" "}
              <code className="font-mono text-xs">listen</code> to an address of the network, too.
            </p>
          )}
          <p>Then start it anew: addresses are read at the start.</p>
        </>
      )}
      {!configuration && isElsewhere && <p>Tell an administrator.</p>}
    </div>
  );
};
