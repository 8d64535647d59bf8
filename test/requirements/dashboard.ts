import type { Requirement } from "./requirement";

/** What is promised of the addresses people look at the hub with. */
export const DASHBOARD: readonly Requirement[] = [
  {
    id: "calls.whose",
    promise:
      "Who does not read all sees their own calls and those of the agents they own now, in lists, counts, news and the map alike.",
    source: "issue 8",
  },
  {
    id: "calls.listed-ids",
    promise: "A call is found by each id that lists of calls give it: its own, its call's and its event's.",
    source: "docs/dashboard.md",
  },
  {
    id: "calls.found",
    promise: "A finished call is found at once by any of its filters, alone and together, and page by page.",
    source: "product.md §4.1",
  },
  {
    id: "calls.own",
    promise: "Members find their own calls and their agents' only; to everybody else these do not exist.",
    source: "product.md §4.1",
  },
  {
    id: "calls.explained",
    promise: "One call is shown with its findings masked, its time, and what each layer of its policy said.",
    source: "product.md §4.1",
  },
  {
    id: "overview.counted",
    promise: "The overview counts calls by what became of them from counters kept beside the log, and only one's own.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.address",
    promise:
      "Where a browser's address is not the public URL, the sign-in pages, the first steps and About say so, and what to write where.",
    source: "product.md §4.1",
  },
  {
    id: "inbox.decidable",
    promise: "The inbox holds what waits for a person to decide, and only what they may decide on.",
    source: "product.md §4.1",
  },
  {
    id: "map.own",
    promise: "The map shows which agents reach which tools, and members only theirs.",
    source: "product.md §4.1",
  },
  {
    id: "events.thin",
    promise: "The event stream tells ids and kinds, never content, and only what the person may see.",
    source: "product.md §4.2",
  },
  {
    id: "events.resume",
    promise: "Whoever comes back with Last-Event-ID is told what they missed, or to read everything again.",
    source: "product.md §4.2",
  },
  {
    id: "events.ended",
    promise: "A stream ends with its session and with its holder's role, and nobody holds more than eight.",
    source: "product.md §4.2",
  },
  {
    id: "dashboard.served",
    promise:
      "The page is served by the hub itself at its screens' addresses, loads nothing from elsewhere, runs no inline script and makes no text into code.",
    source: "issue 8",
  },
  {
    id: "dashboard.assets",
    promise: "What the page loads is named by its content, compressed as the browser accepts it, and kept for ever.",
    source: "issue 8",
  },
  {
    id: "dashboard.first-load",
    promise: "The first load is at most 180 KB, compressed by brotli.",
    source: "issue 8",
  },
  {
    id: "dashboard.no-private-doors",
    promise: "All that the dashboard asks for are routes of /api that are documented and open to every client.",
    source: "decisions §1",
  },
  {
    id: "audit.desk",
    promise:
      "Auditors read the chain's state, have it checked beside calls, and take the log as a document; on record.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.accessible",
    promise: "axe finds nothing against WCAG 2.2 AA on any screen, by day or by night.",
    source: "issue 8",
  },
  {
    id: "dashboard.roles",
    promise: "Each role is offered what is its own, is refused nothing it is offered, and is told whose the rest is.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.reflow",
    promise: "In 320 pixels, as at four times the size, no screen is wider than the window (WCAG 1.4.10).",
    source: "issue 8",
  },
  {
    id: "dashboard.first-steps",
    promise: "A newcomer is led from nothing to the first call and to the first blocked one, and sees them come.",
    source: "product.md §3.1",
  },
  {
    id: "dashboard.way-back",
    promise: "Whoever follows a link and has to sign in first gets to where it leads.",
    source: "product.md §4.2",
  },
  {
    id: "dashboard.away",
    promise: "While the hub is away the page says so and keeps its ways; afterwards it is up to date again by itself.",
    source: "product.md §4.2",
  },
  {
    id: "dashboard.confirm",
    promise:
      "Where a session is too old for what is asked of it, the page asks for the password and goes on, or nothing changes.",
    source: "decisions §1",
  },
  {
    id: "dashboard.tool-servers",
    promise:
      "In the browser a tool server is added, tested and removed, its tools assigned to agents, and a changed tool approved exactly as it was read.",
    source: "issue 8",
  },
  {
    id: "dashboard.map",
    promise: "The map draws who reaches which tool, for the eye, for the keyboard and as a table.",
    source: "issue 8",
  },
  {
    id: "dashboard.clients",
    promise: "In the browser people narrow and disconnect the programs they let in, at once.",
    source: "issue 8",
  },
  {
    id: "dashboard.keys",
    promise: "Keys are made, shown once, rotated, disabled, enabled and revoked in the page, by who may.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.users",
    promise: "Administrators invite people by a link shown once, and shut them out; others see no such tab.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.kill-switch",
    promise: "The kill switch takes a typed word and a reason, and says when it holds everywhere.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.webhooks",
    promise: "Webhooks are added, with the secret shown once, tried, watched and sent to again.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.decide",
    promise:
      "From a block to a scanner that has changed, in the page: disputed at the call, asked for, approved by somebody else, applied, taken back.",
    source: "issue 8",
  },
  {
    id: "dashboard.tuning-form",
    promise:
      "A suggestion is edited by a form of its kind, tried on past calls before it is asked for, and what is wrong stands at its field.",
    source: "issue 8",
  },
  {
    id: "dashboard.keyboard",
    promise:
      "Dialogs and menus are opened, gone through and left by keyboard, which then is where it was; the palette reaches every screen and what is often done.",
    source: "product.md §4",
  },
  {
    id: "dashboard.holds",
    promise: "Held calls are read, allowed and denied in the inbox, each with the arguments its tool would be given.",
    source: "issue 8",
  },
  {
    id: "dashboard.policy",
    promise: "The baseline policy is put in force in the page after a trial only, with a reason, and can be compared.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.review",
    promise:
      "A member answers the nine sections in the page, saved as they write and never over somebody else's answers, and a reviewer decides on them there, in two steps.",
    source: "product.md §2.1",
  },
  {
    id: "dashboard.questionnaire",
    promise:
      "The page asks every question of the questionnaire, takes every answer it knows, and its live tier is the hub's.",
    source: "product.md §2.1",
  },
  {
    id: "dashboard.agent",
    promise:
      "An agent's screen shows how it fares and what holds for it; who answers for it restricts and stops it there.",
    source: "product.md §4.1",
  },
  {
    id: "dashboard.one-thing",
    promise: "What is known of one agent, or was typed about it, never stands below the address of another.",
    source: "issue 8",
  },
  {
    id: "dashboard.typed-stays",
    promise:
      "What was typed into a form, or a secret that is shown once, is lost neither by a click beside it nor by a session that ends.",
    source: "issue 8",
  },
  {
    id: "dashboard.read-once",
    promise: "Kept texts are read once for a click, however long the page stays open.",
    source: "issue 8",
  },
  {
    id: "dashboard.one-person",
    promise: "Where somebody else signs in in the same browser, every page of it becomes theirs.",
    source: "issue 8",
  },
  {
    id: "dashboard.role-now",
    promise: "A page has what its reader's role of now may see, without being loaded anew.",
    source: "issue 8",
  },
  {
    id: "agents.standing",
    promise: "A list of agents says how each stands, and an agent's tools are shown to who may see it.",
    source: "issue 8",
  },
  {
    id: "overview.one-base",
    promise: "A share is of the number that stands beside it: blocked calls of all calls, refused ones too.",
    source: "docs/dashboard.md",
  },
];
