import type { PageWindow } from "#core/page";
import type { Agent } from "#model/agent";
import type { HubEvent } from "#model/event";
import type { Report } from "#model/report";
import { NOTICE_TYPES, type Notice, type NoticeType } from "#model/triage";
import { type Clock, timestamp } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import type { Review } from "#policy/review/review";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { NoticeStore } from "#store/triage-port";
import type { NoticeView } from "./schema";

type ById<T> = { byId(id: string): Promise<T | null> };

type NoticeServiceNeeds = {
  readonly notices: NoticeStore;
  readonly reports: ById<Report>;
  readonly reviews: ById<Review>;
  readonly suggestions: ById<Suggestion>;
  readonly agents: ById<Agent>;
  readonly agentOf: (id: string) => Agent | null;
  readonly emit: (event: HubEvent) => Promise<void>;
  readonly now: Clock;
};

/** What an event is about, and who waits to hear of it. */
type Matter = {
  readonly subject: Notice["subject"];
  readonly agent_id: string | null;
  readonly outcome: string;
  readonly users: readonly (string | null)[];
};

/** Nobody looks that far back. */
const KEPT_MS = 90 * 86_400_000;

const isNoticed = (type: string): type is NoticeType => NOTICE_TYPES.some((one) => one === type);

/** Tells reporters and owners what came of what they sent: on their page until they have seen it, and by webhook. */
export class NoticeService {
  constructor(private readonly deps: NoticeServiceNeeds) {}

  /** Told of every event, perhaps twice: of each user and event there is one notice. */
  async note(event: HubEvent): Promise<void> {
    const { type, subject_id, at } = event;
    if (!isNoticed(type)) return;
    const matter = await this.matterOf(type, subject_id);
    if (!matter) return;
    const { subject, agent_id, outcome } = matter;
    const users = new Set(matter.users.filter((user) => user !== null));
    // Who has decided knows.
    if (event.user_id !== null) users.delete(event.user_id);
    const notices = [...users].map(
      (user_id): Notice => ({
        id: idOf(event.id, user_id),
        ...{ user_id, type, subject, subject_id, agent_id, outcome, at, seen_at: null },
      }),
    );
    await this.deps.notices.add(notices);
    for (const { id, user_id } of notices) {
      await this.deps.emit({ id, type: "notice.created", at, agent_id, user_id, subject, subject_id });
    }
  }

  /** One's own, newest first. */
  async page(userId: string, isUnseen: boolean, window: PageWindow): Promise<NoticeView[]> {
    const found = await this.deps.notices.page({ user_id: userId, isUnseen }, window);
    return found.map((notice) => this.shown(notice));
  }

  unseen(userId: string): Promise<number> {
    return this.deps.notices.unseen(userId);
  }

  /** All, or those of one thing. */
  see(userId: string, subjectId: string | null): Promise<number> {
    return this.deps.notices.see(userId, subjectId, this.deps.now());
  }

  /** To be called from time to time. */
  forget(): Promise<number> {
    return this.deps.notices.dropBefore(this.deps.now() - KEPT_MS);
  }

  /** As it is now; null for what is gone, or has moved on since. */
  private async matterOf(type: NoticeType, id: string): Promise<Matter | null> {
    const { reports, reviews, suggestions } = this.deps;
    if (type === "report.reviewed" || type === "report.resolved") {
      const report = await reports.byId(id);
      const verdict = type === "report.resolved" ? report?.decision : report?.llm_verdict;
      // Withdrawn, or left to people: nothing has come of it yet.
      if (!report || !verdict) return null;
      const users = [report.user_id, await this.ownerOf(report.agent_id)];
      return { subject: "report", agent_id: report.agent_id, outcome: verdict, users };
    }
    if (type === "tuning.approved" || type === "tuning.denied") {
      const suggestion = await suggestions.byId(id);
      if (!suggestion) return null;
      const { agent_id, requested_by, user_id } = suggestion;
      const users = [requested_by, (await this.ownerOf(agent_id)) ?? user_id];
      return { subject: "suggestion", agent_id, outcome: wordOf(type), users };
    }
    const review = await reviews.byId(id);
    if (!review) return null;
    const { agent_id, submitted_by } = review;
    return { subject: "review", agent_id, outcome: wordOf(type), users: [submitted_by, await this.ownerOf(agent_id)] };
  }

  private async ownerOf(agentId: string | null): Promise<string | null> {
    return agentId === null ? null : ((await this.deps.agents.byId(agentId))?.owner_id ?? null);
  }

  private shown({ user_id: _, agent_id, at, seen_at, ...notice }: Notice): NoticeView {
    const agent = agent_id === null ? null : this.deps.agentOf(agent_id);
    return {
      ...notice,
      agent: agent && { id: agent.id, name: agent.name },
      title: titleOf(notice, agent?.name ?? null),
      url: `${PLACES[notice.subject]}/${notice.subject_id}`,
      at: timestamp(at),
      seen_at: seen_at === null ? null : timestamp(seen_at),
    };
  }
}

/** The same for the same event and user, and in the order of events. */
const idOf = (eventId: string, userId: string): string => {
  const hash = sha256Hex(`${eventId} ${userId}`);
  return `${eventId.slice(0, 13)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
};

const PLACES: Readonly<Record<Notice["subject"], string>> = {
  report: "/reports",
  review: "/reviews",
  suggestion: "/tuning",
};

/** `review.changes_requested`: what became of it. */
const wordOf = (type: NoticeType): string => type.slice(type.indexOf(".") + 1);

const titleOf = ({ type, outcome }: Pick<Notice, "type" | "outcome">, agent: string | null): string => {
  const of = agent === null ? "" : ` of ${agent}`;
  const words = outcome.replaceAll("_", " ");
  if (type === "report.resolved") return `A report${of} was decided: ${words}`;
  if (type === "report.reviewed") return `The reviewer model judged a report${of}: ${words}`;
  if (type === "review.changes_requested") return `A reviewer requested changes of the review${of}`;
  const noun = type.startsWith("review.") ? "The review" : "A tuning suggestion";
  return `${noun}${of} was ${words}`;
};
