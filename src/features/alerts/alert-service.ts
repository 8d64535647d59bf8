import { GuardError } from "#core/errors";
import type { PageWindow } from "#core/page";
import { momentOf } from "#http/openapi/query-check";
import type { Alert, AlertSilence } from "#model/alert";
import { type Actor, changeRecord } from "#model/change";
import { type Clock, timestamp } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { AlertStore } from "#store/alert-port";
import type { UserStore } from "#store/port";
import { rulesOf } from "./rules";
import {
  type AlertDetail,
  type AlertSilenceView,
  type AlertView,
  alertView,
  type NewAlertSilence,
  noticeView,
  silenceView,
} from "./schema";

export type AlertServiceNeeds = {
  readonly alerts: AlertStore;
  readonly users: Pick<UserStore, "byIds">;
  readonly now: Clock;
  readonly ids: Ids;
};

const MAX_SILENCES = 100;
const MAX_SILENCE_MS = 90 * 86_400_000;
/** How long alerts that are over are shown. */
const KEPT_MS = 90 * 86_400_000;

/** What rules found, and when nobody is to be told of it. */
export class AlertService {
  constructor(private readonly needs: AlertServiceNeeds) {}

  /** Newest first. */
  async page(states: readonly Alert["state"][], window: PageWindow): Promise<AlertView[]> {
    const { alerts, now } = this.needs;
    const [page, silences] = await Promise.all([alerts.page(states, window), alerts.silences(now())]);
    return page.map((alert) => alertView(alert, silences, now()));
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<AlertDetail> {
    const { alerts, now } = this.needs;
    const alert = isUuid(id) ? await alerts.byId(id.toLowerCase()) : null;
    if (!alert) throw new GuardError("not_found", "There is no such alert.", { param: "id" });
    const [notices, destinations, silences] = await Promise.all([
      alerts.notices(alert.id),
      alerts.destinations(),
      alerts.silences(now()),
    ]);
    const known = new Map(destinations.map((one) => [one.id, one]));
    const shown = notices.flatMap((notice) => {
      const destination = known.get(notice.destination_id);
      return destination ? [noticeView(notice, destination)] : [];
    });
    return { ...alertView(alert, silences, now()), notices: shown };
  }

  /** Those in force, newest first. */
  async silences(): Promise<AlertSilenceView[]> {
    const { alerts, now } = this.needs;
    return this.shown(await alerts.silences(now()));
  }

  /** Throws `invalid_value`, `not_found`; `state_conflict` when there are too many. */
  async silence(by: Actor, wanted: NewAlertSilence): Promise<AlertSilenceView> {
    const { alerts, now, ids } = this.needs;
    const { rule_id = null, subject = null, reason } = wanted;
    const at = now();
    const until = momentOf(wanted.until);
    if (!(until > at && until <= at + MAX_SILENCE_MS)) {
      throw bad("until", "until must be a time in RFC 3339 within the next 90 days.");
    }
    if (rule_id !== null && !(await rulesOf(alerts)).some(({ id }) => id === rule_id)) {
      throw bad("rule_id", "There is no such rule.");
    }
    if (subject !== null && rule_id === null) throw bad("rule_id", "A subject is one of a rule: say which.");
    const silence: AlertSilence = {
      id: ids(),
      rule_id,
      subject,
      reason,
      until,
      created_by: by.user_id,
      created_at: at,
      ended_at: null,
    };
    const record = this.record(by, "alert.silence", silence);
    if (!(await alerts.silence(silence, record, MAX_SILENCES))) {
      throw new GuardError("state_conflict", `The limit of ${MAX_SILENCES} silences is reached. End one first.`);
    }
    return this.one(silence);
  }

  /** Ends one before its time. Throws `not_found`. */
  async unsilence(by: Actor, id: string): Promise<AlertSilenceView> {
    const { alerts, now } = this.needs;
    const silence = (await alerts.silences(now())).find((one) => one.id === id.toLowerCase());
    if (!silence) throw noSilence();
    const ended_at = now();
    const isEnded = await alerts.endSilence(silence.id, ended_at, this.record(by, "alert.unsilence", silence));
    if (!isEnded) throw noSilence();
    return this.one({ ...silence, ended_at });
  }

  /** Forgets alerts that have been over for long. */
  retain(): Promise<number> {
    return this.needs.alerts.dropBefore(this.needs.now() - KEPT_MS);
  }

  private async one(silence: AlertSilence): Promise<AlertSilenceView> {
    const [view] = await this.shown([silence]);
    if (!view) throw noSilence();
    return view;
  }

  private async shown(silences: readonly AlertSilence[]): Promise<AlertSilenceView[]> {
    const users = await this.needs.users.byIds(new Set(silences.flatMap(({ created_by }) => created_by ?? [])));
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    return silences.map((silence) => silenceView(silence, (userId) => emails.get(userId) ?? userId));
  }

  private record(by: Actor, kind: string, { id, rule_id, subject, until, reason }: AlertSilence): string {
    const detail = { rule_id, about: subject, until: timestamp(until), reason };
    const change = { kind, by, subject: "alert_silence", subject_id: id, detail };
    return changeRecord(change, { id: this.needs.ids(), at: this.needs.now() });
  }
}

const bad = (param: string, message: string): GuardError => new GuardError("invalid_value", message, { param });

const noSilence = (): GuardError => new GuardError("not_found", "There is no such silence.", { param: "id" });
