import type { Db } from "#store/db";
import type { Polled } from "#store/polled";
import type { Store } from "#store/port";
import { Agents } from "./agents";
import { Alerts } from "./alerts";
import { Assignees } from "./assignees";
import { Budgets } from "./budgets";
import { Changes } from "./changes";
import { Content } from "./content";
import { Conversations } from "./conversations";
import { Outbox, PastEvents } from "./events";
import { Holds } from "./holds";
import { HookSources } from "./hook-sources";
import { HubSecrets } from "./hub-secrets";
import { Idempotency } from "./idempotency";
import { Jobs } from "./jobs";
import { KillSwitches } from "./kill-switches";
import { Limits } from "./limits";
import { type Member, Nodes } from "./nodes";
import { Notices } from "./notices";
import { Oidc } from "./oidc";
import { Policies } from "./policies";
import { PriceRows } from "./prices";
import { Profiles } from "./profiles";
import { Proposals } from "./proposals";
import { Providers } from "./providers";
import { Reports } from "./reports";
import { Restrictions } from "./restrictions";
import { Retention } from "./retention";
import { Reviews } from "./reviews";
import { Sessions } from "./sessions";
import { Shared } from "./shared";
import { SignIn } from "./sign-in";
import { StorageHistory } from "./storage-history";
import { Suggestions } from "./suggestions";
import { Tokens } from "./tokens";
import { ToolServers } from "./tool-servers";
import { Tuning } from "./tuning";
import { Usage } from "./usage";
import { Users } from "./users";
import { Views } from "./views";
import { Watch } from "./watch";
import { Webhooks } from "./webhooks";

export type RepositoryOptions = {
  readonly now: () => number;
  /** The process, where it serves. */
  readonly member: Member | null;
  /** By which it renews its lease, where what else it asks of the database could hold that up. */
  readonly renewing?: Db;
  /** Other processes may serve too. */
  readonly isShared: boolean;
  /** Null where asking costs next to nothing. */
  readonly polled: Polled | null;
};

/** All of a store that is the same on every database. */
export const repositoriesOf = (db: Db, options: RepositoryOptions) => {
  const { now, member, renewing = db, polled } = options;
  const loop = loopOf(db, options);
  const money = { prices: new PriceRows(db), budgets: new Budgets(db, member) };
  const { tuning, policies } = loop;
  const followed = { ...followedBy(db), ...money, tuning, policies, hookSources: new HookSources(db) };
  return {
    ...loop,
    ...followed,
    changes: new Changes({ db, followed, polled }),
    reviews: new Reviews(db, followed.agents, followed.profiles),
    signIn: new SignIn(db),
    oidc: new Oidc(db),
    holds: new Holds(db),
    usage: new Usage(db),
    watch: new Watch(db),
    content: new Content(db),
    retention: new Retention(db),
    storage: new StorageHistory(db),
    secrets: new HubSecrets(db),
    nodes: new Nodes({ db, renewing, member, now, polled }),
    shared: new Shared(db),
    limitUse: new Limits(db, member),
    alerts: new Alerts(db, loop.jobs, member),
    said: new Conversations(db),
    views: new Views(db),
    proposals: new Proposals(db),
  };
};

export type Repositories = ReturnType<typeof repositoriesOf>;

/** The part of a store that is the same on every database. */
export type ConfigStore = Pick<Store, keyof Repositories>;

/** Whose changes serving processes follow. */
const followedBy = (db: Db) => {
  const agents = new Agents(db);
  return {
    users: new Users(db),
    agents,
    tokens: new Tokens(db),
    sessions: new Sessions(db),
    providers: new Providers(db),
    tools: new ToolServers(db),
    profiles: new Profiles(db, agents),
    restrictions: new Restrictions(db),
    killSwitches: new KillSwitches(db),
  };
};

/** The loop from a report to a scanner that has changed. */
const loopOf = (db: Db, { now, isShared, polled }: RepositoryOptions) => {
  const jobs = new Jobs(db, polled);
  const suggestions = new Suggestions(db);
  const policies = new Policies(db);
  return {
    jobs,
    suggestions,
    policies,
    pastEvents: new PastEvents(db),
    reports: new Reports(db, jobs, suggestions),
    assignees: new Assignees(db),
    notices: new Notices(db),
    tuning: new Tuning({ db, policies, suggestions, now }),
    idempotency: new Idempotency(db),
    webhooks: new Webhooks(db, jobs),
    outbox: new Outbox(db, isShared, polled),
  };
};
