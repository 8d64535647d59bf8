import { GuardError } from "#core/errors";
import { addressProblem, type IpRange, parseRange } from "#core/ip-range";
import type { AlertDestination, DestinationSecret, DestinationSettings } from "#model/alert";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import { newSigningSecret } from "#platform/signing-secret";
import type { AlertStore } from "#store/alert-port";
import { PAGERDUTY_URL } from "./formats/pagerduty";
import type { AlertNotifier } from "./notifier";
import {
  type AlertDestinationChange,
  type AlertDestinationView,
  type AlertTest,
  destinationView,
  type IssuedAlertDestination,
  type NewAlertDestination,
} from "./schema";
import { openSecret, sealSecret } from "./telling";

export type DestinationServiceNeeds = {
  readonly alerts: Pick<
    AlertStore,
    "destinations" | "destination" | "addDestination" | "updateDestination" | "removeDestination"
  >;
  readonly notifier: Pick<AlertNotifier, "test">;
  readonly sealing: Sealing;
  /** `webhooks.allow_private`. */
  readonly allowPrivate: readonly string[];
  readonly now: Clock;
  readonly ids: Ids;
};

const MAX_DESTINATIONS = 50;

type Given = Omit<NewAlertDestination, "name" | "kind">;
type Reached = { readonly settings: DestinationSettings; readonly secret: DestinationSecret };

/** Who is told of alerts. Records name hosts: paths of URLs, keys and addresses of people are not in them. */
export class AlertDestinationService {
  private readonly allowed: readonly IpRange[];

  constructor(private readonly needs: DestinationServiceNeeds) {
    this.allowed = needs.allowPrivate.flatMap((text) => parseRange(text) ?? []);
  }

  /** In the order they were made. */
  async list(): Promise<AlertDestinationView[]> {
    return (await this.needs.alerts.destinations()).map(destinationView);
  }

  /** Throws `invalid_value`; `state_conflict` when there are too many. */
  async create(
    by: Actor,
    { name, kind, ...given }: NewAlertDestination,
    signing = kind === "webhook" ? newSigningSecret() : null,
  ): Promise<IssuedAlertDestination> {
    const { alerts, sealing, now, ids } = this.needs;
    const { settings, secret } = this.reached(kind, given);
    const id = ids();
    const destination: AlertDestination = {
      id,
      name,
      kind,
      active: true,
      settings,
      sealed: sealSecret(id, { ...secret, ...(signing !== null && { signing }) }, sealing),
      failing_since: null,
      created_by: by.user_id,
      created_at: now(),
    };
    const record = this.record(by, "alert.destination_add", destination, {});
    if (!(await alerts.addDestination(destination, record, MAX_DESTINATIONS))) {
      const message = `The limit of ${MAX_DESTINATIONS} destinations is reached. Remove one first.`;
      throw new GuardError("state_conflict", message);
    }
    return { ...destinationView(destination), secret: signing };
  }

  /** What is not given stays. Throws `not_found`, `invalid_value`. */
  async change(
    by: Actor,
    id: string,
    { name, active, ...given }: AlertDestinationChange,
  ): Promise<AlertDestinationView> {
    const before = await this.known(id);
    const reached = Object.keys(given).length === 0 ? null : this.changed(before, given);
    const patch = {
      ...(name !== undefined && { name }),
      ...(active !== undefined && { active }),
      ...(active === true && { failing_since: null }),
      ...(reached && { settings: reached.settings, failing_since: null }),
      ...(reached && { sealed: sealSecret(before.id, reached.secret, this.needs.sealing) }),
    };
    const after = { ...before, ...patch };
    const changed = Object.keys({ ...(name && { name }), ...(active !== undefined && { active }), ...given });
    const record = this.record(by, "alert.destination_update", after, { active: after.active, changed });
    if (!(await this.needs.alerts.updateDestination(before.id, patch, record))) throw noDestination();
    return destinationView(after);
  }

  private changed(before: AlertDestination, given: Given): Reached {
    const old = openSecret(before, this.needs.sealing);
    const { host, port, security, username, from, to } = before.settings;
    const mail = before.kind === "email" ? { host, port, security, username, from, to } : {};
    const { signing, ...kept } = old;
    const known = Object.fromEntries(Object.entries({ ...mail, ...kept }).filter(([, value]) => value !== undefined));
    const { settings, secret } = this.reached(before.kind, { ...known, ...given });
    return { settings, secret: { ...secret, ...(signing !== undefined && { signing }) } };
  }

  /** With what it was told. Throws `not_found`. */
  async remove(by: Actor, id: string): Promise<{ id: string; deleted: true }> {
    const destination = await this.known(id);
    const record = this.record(by, "alert.destination_remove", destination, {});
    if (!(await this.needs.alerts.removeDestination(destination.id, record))) throw noDestination();
    return { id: destination.id, deleted: true };
  }

  /** Sends a message once, at once. Throws `not_found`. */
  async test(id: string): Promise<AlertTest> {
    const destination = await this.known(id);
    const at = this.needs.now();
    const { status, error, isTaken } = await this.needs.notifier.test(destination);
    const ms = Math.max(0, this.needs.now() - at);
    return { object: "alert_test", destination_id: destination.id, delivered: isTaken, status, error, ms };
  }

  /** Throws `invalid_value`. */
  private reached(kind: AlertDestination["kind"], given: Given): Reached {
    if (kind === "email") return this.mail(given);
    for (const name of MAIL_FIELDS) if (given[name] !== undefined) throw bad(name, `${name} is for email.`);
    const { url = kind === "pagerduty" ? PAGERDUTY_URL : undefined, routing_key } = given;
    if (url === undefined) throw bad("url", "url is missing.");
    const problem = addressProblem(url, this.allowed);
    if (problem !== null) throw bad("url", problem);
    const { href, host } = new URL(url);
    if (kind !== "pagerduty") {
      if (routing_key !== undefined) throw bad("routing_key", "routing_key is for pagerduty.");
      return { settings: { host }, secret: { url: href } };
    }
    if (routing_key === undefined)
      throw bad("routing_key", "routing_key is missing: the integration key of the service.");
    if (!/^\w{32}$/.test(routing_key)) throw bad("routing_key", "routing_key must be 32 letters and digits.");
    return { settings: { host }, secret: { url: href, routing_key } };
  }

  private mail(given: Given): Reached {
    for (const name of ["url", "routing_key"] as const) {
      if (given[name] !== undefined) throw bad(name, `${name} is not for email.`);
    }
    const { host, from, to, security = "starttls", username, password } = given;
    const { port = security === "tls" ? 465 : 587 } = given;
    if (host === undefined) throw bad("host", "host is missing: the SMTP server.");
    const problem = hostProblem(host, security, this.allowed);
    if (problem !== null) throw bad("host", problem);
    if (from === undefined) throw bad("from", "from is missing.");
    if (to === undefined) throw bad("to", "to is missing.");
    if (!MAIL_ADDRESS.test(from)) throw bad("from", "from must be an e-mail address.");
    const wrong = to.findIndex((address) => !MAIL_ADDRESS.test(address));
    if (wrong >= 0) throw bad(`to[${wrong}]`, "Each of to must be an e-mail address.");
    if ((username === undefined) !== (password === undefined)) {
      throw bad(username === undefined ? "username" : "password", "Give both username and password, or neither.");
    }
    const settings = { host, port, security, from, to: [...to], ...(username !== undefined && { username }) };
    return { settings, secret: password === undefined ? {} : { password } };
  }

  private async known(id: string): Promise<AlertDestination> {
    const destination = isUuid(id) ? await this.needs.alerts.destination(id.toLowerCase()) : null;
    if (destination) return destination;
    throw noDestination();
  }

  private record(
    by: Actor,
    kind: string,
    { id, kind: destination_kind, settings }: AlertDestination,
    more: Readonly<Record<string, unknown>>,
  ): string {
    const detail = { destination_kind, host: settings.host, ...more };
    const change = { kind, by, subject: "alert_destination", subject_id: id, detail };
    return changeRecord(change, { id: this.needs.ids(), at: this.needs.now() });
  }
}

const MAIL_FIELDS = ["host", "port", "security", "username", "password", "from", "to"] as const;

const MAIL_ADDRESS = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/;
const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$/;

/** What its name stands for is checked when something is sent, each time. */
const hostProblem = (host: string, security: string, allowed: readonly IpRange[]): string | null => {
  const isAddress = host.includes(":");
  if (!isAddress && !HOST_NAME.test(host)) return "host must be the name or address of a server, without a port.";
  const scheme = security === "none" ? "http" : "https";
  const problem = addressProblem(`${scheme}://${isAddress ? `[${host}]` : host}/`, allowed);
  if (problem === null) return null;
  return security === "none" && allowed.length === 0
    ? "Mail that is not encrypted is for networks of webhooks.allow_private."
    : "The host's address is not public. An operator can allow its network with webhooks.allow_private.";
};

const bad = (param: string, message: string): GuardError => new GuardError("invalid_value", message, { param });

const noDestination = (): GuardError => new GuardError("not_found", "There is no such destination.", { param: "id" });
