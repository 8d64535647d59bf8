import { basePath } from "#dashboard/address/base-path";
import type { AnswerTo } from "#dashboard/api/client";
import { CodeLine } from "#dashboard/parts/copy";

type Settings = AnswerTo<"GET /api/settings">;

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
export const originOf = (publicUrl: string, here: string): "same" | "local" | "tunnel" | "elsewhere" => {
  const isOwn = new URL(publicUrl).origin === new URL(here).origin;
  if (isLocal(publicUrl)) return isOwn || (isLocal(here) && portOf(publicUrl) === portOf(here)) ? "local" : "elsewhere";
  if (isOwn) return "same";
  return isLocal(here) ? "tunnel" : "elsewhere";
};

/** Whether something about the hub's address has to be put right before others can use it. */
export const isMisaddressed = ({ public_url }: Settings): boolean =>
  originOf(public_url, addressHere()) === "elsewhere";

const FILE = /^(?!--|GUARDHOUSE_|default$|from listen$)(?:.* in )?(.+)$/;

/** Where a setting is written here, and how: beside where it stands now, else where others stand. */
const placeOf = (configuration: NonNullable<Settings["configuration"]>, key: string) => {
  const variable = `GUARDHOUSE_${key.toUpperCase()}`;
  const origin = configuration.find((one) => one.key === key)?.origin ?? "";
  if (origin.startsWith("--")) return { where: "In the start command", line: (value: string) => `${origin} ${value}` };
  if (origin === `${variable}_FILE`)
    return { where: `In the file that ${origin} names`, line: (value: string) => value };
  const file = [origin, ...configuration.map((one) => one.origin)].map((one) => FILE.exec(one)?.[1]).find(Boolean);
  if (origin === variable || file === undefined) {
    return { where: "In the environment", line: (value: string) => `${variable}=${value}` };
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
  const origin = originOf(public_url, here);
  if (origin === "same") return <p>Clients use this address.</p>;
  if (origin === "tunnel") {
    return <p>Clients use this address. You opened the dashboard at {here}, which is accepted, too.</p>;
  }
  const isElsewhere = origin === "elsewhere";
  const wanted = isElsewhere ? here : `${EXAMPLE}${basePath()}`;
  return (
    <div className="flex flex-col gap-2">
      <p className={isElsewhere ? "rounded-md bg-warn-soft px-3 py-2 text-warn" : ""}>
        {isElsewhere
          ? `You opened the dashboard at ${here}, but public_url is ${public_url}, and links point there. If that is wrong, set public_url.`
          : "Reachable from this host only. For other hosts set public_url (and listen) and restart."}
      </p>
      {configuration && (
        <>
          <Line settings={settings} name="public_url" value={wanted} />
          {!isElsewhere && listen !== null && isLocal(`http://${listen}`) && (
            <p>
              The hub listens on {listen}, on this host only: use a reverse proxy with TLS on this host, or set{" "}
              <code className="font-mono text-xs">listen</code> to a network address.
            </p>
          )}
          <p>Then restart the hub.</p>
        </>
      )}
      {!configuration && isElsewhere && <p>Ask an administrator.</p>}
    </div>
  );
};
