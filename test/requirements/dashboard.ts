import type { Requirement } from "./requirement";

/** What is promised of the addresses people look at the hub with. */
export const DASHBOARD: readonly Requirement[] = [
  {
    id: "calls.whose",
    promise:
      "Who does not read all sees their own calls and those of the agents they own now, in lists, counts, news and the map alike.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "dashboard.investigation",
    promise: "Ten questions of an investigation are answered from the first screen with few clicks.",
    source: "docs/dashboard.md#questions",
  },
  {
    id: "dashboard.integrations",
    promise: "Settings, Integrations shows each hook source with its last frame, its latency and its decisions.",
    source: "docs/verdicts.md#sources",
  },
  {
    id: "dashboard.journeys",
    promise: "What people come to the dashboard for takes no more clicks than in the first version.",
    source: "docs/dashboard.md#journeys",
  },
  {
    id: "calls.listed-ids",
    promise: "A call is found by each id that lists of calls give it: its own, its call's and its event's.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "calls.found",
    promise: "A finished call is found at once by any of its filters, alone and together, and page by page.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "calls.ordered",
    promise: "Calls are listed in the order of time, latency, tokens or cost, page by page, each once.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "calls.totals",
    promise: "All calls that match a filter are counted and added up, as a whole and for each value of a field.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "calls.exported",
    promise: "What is filtered is exported as CSV, only what its reader may see, and that it was taken is on record.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "views.kept",
    promise: "Everybody keeps filters under names of their own, shares them or not, and deletes only their own.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "calls.own",
    promise: "Members find their own calls and their agents' only; to everybody else these do not exist.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "calls.explained",
    promise: "One call is shown with its findings masked, its time, and what each layer of its policy said.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "trace.shown",
    promise: "The conversation of a call is shown as a trace: its calls by start, findings at their call, and totals.",
    source: "docs/spec/dashboard.md#conversations",
  },
  {
    id: "trace.nested",
    promise:
      "A tool call stands below the model call that asked for it, known by the tool its record names, else by the times.",
    source: "docs/spec/dashboard.md#conversations",
  },
  {
    id: "trace.links",
    promise:
      "From a call one gets to the call that asked for it, to those it asked for, to its neighbours, and from a conversation to the caller's others.",
    source: "docs/spec/dashboard.md#conversations",
  },
  {
    id: "trace.whose",
    promise: "A conversation is one caller's; it is seen by those who may see its calls.",
    source: "docs/spec/dashboard.md#conversations",
  },
  {
    id: "trace.paged",
    promise: "A long conversation comes in pages; its totals say whether they are of all of it.",
    source: "docs/spec/dashboard.md#conversations",
  },
  {
    id: "agents.volume",
    promise:
      "A list of agents says how many calls each made in a day, how many were blocked and what they cost, from counters.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "agents.ordered",
    promise:
      "Agents are found by name and owner, filtered and put in the order of what they did by the hub, page by page, each once.",
    source: "docs/agents.md#find-agents",
  },
  {
    id: "lists.by-name",
    promise: "Users, agents and tool servers are found by a part of their name, whatever its case, in either database.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.search-select",
    promise: "A choice of many agents, users or tool servers is found by name at the hub: the page loads at most 20.",
    source: "docs/dashboard.md#navigation",
  },
  {
    id: "dashboard.agent-home",
    promise:
      "An agent's page says what its owner does next, and shows its keys, calls, blocks, cost and findings over time.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "health.words",
    promise:
      "Pages show what each input of the health score measured, and no points where nothing was; an agent that only lacks a review is called not reviewed.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "overview.counted",
    promise: "The overview counts calls by what became of them from counters kept beside the log, and only one's own.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "traffic.periods",
    promise:
      "Calls over any period of up to a quarter of a year are counted in buckets of the viewer's clock, each call once, also where clocks are changed.",
    source: "docs/dashboard.md#charts",
  },
  {
    id: "traffic.compared",
    promise: "A period is shown beside the one before, bucket for bucket, as far as it has come.",
    source: "docs/dashboard.md#charts",
  },
  {
    id: "traffic.adds-up",
    promise: "What charts tell apart by decision, agent or model adds up to all calls and all costs of the period.",
    source: "docs/dashboard.md#charts",
  },
  {
    id: "traffic.own",
    promise: "Charts count and name what the viewer may see only; another's agent does not exist.",
    source: "docs/dashboard.md#charts",
  },
  {
    id: "charts.read",
    promise:
      "A chart's values are shown on hover and by arrow keys, and as a table; a span that is selected opens its calls.",
    source: "docs/dashboard.md#charts",
  },
  {
    id: "dashboard.address",
    promise:
      "Where a browser's address is not the public URL, the sign-in pages, the first steps and About say so, and what to write where.",
    source: "docs/spec/dashboard.md#serving",
  },
  {
    id: "dashboard.moved",
    promise: "An address that a screen of the dashboard had in an earlier version leads to the screen.",
    source: "docs/spec/dashboard.md#serving",
  },
  {
    id: "inbox.decidable",
    promise: "The inbox holds what waits for a person to decide, and only what they may decide on.",
    source: "docs/spec/dashboard.md#inbox-and-map",
  },
  {
    id: "inbox.bulk",
    promise:
      "Many decisions in one request are bounded, each allowed and recorded as if made alone; what fails is told of that one.",
    source: "docs/spec/dashboard.md#inbox-and-map",
  },
  {
    id: "inbox.groups",
    promise: "Like reports are one group: of the same direction, agent and finding types, in like texts.",
    source: "docs/spec/dashboard.md#inbox-and-map",
  },
  {
    id: "inbox.all-told",
    promise: "Where more reports wait than the inbox lists, it says how many, and the list of reports has all of them.",
    source: "docs/reports.md#triage",
  },
  {
    id: "cli.report-decide",
    promise:
      "report decide takes several reports, or one with those like it; each is decided by itself, and a dry run decides none.",
    source: "docs/command-line.md#report-decide",
  },
  {
    id: "inbox.assigned",
    promise: "What waits is taken up by, or given to, who may decide on it; the list is filtered by that.",
    source: "docs/spec/dashboard.md#inbox-and-map",
  },
  {
    id: "inbox.pages",
    promise: "The inbox comes page by page, and says what is before and after an item, also once that is decided.",
    source: "docs/spec/dashboard.md#inbox-and-map",
  },
  {
    id: "notices.told",
    promise:
      "Reporters and owners are told what came of reports, reviews and suggestions, on their page until they have seen it, and by webhook.",
    source: "docs/spec/dashboard.md#inbox-and-map",
  },
  {
    id: "map.own",
    promise: "The map shows which agents reach which tools, and members only theirs.",
    source: "docs/spec/dashboard.md#inbox-and-map",
  },
  {
    id: "events.thin",
    promise: "The event stream tells ids and kinds, never content, and only what the person may see.",
    source: "docs/spec/dashboard.md#live-events",
  },
  {
    id: "events.resume",
    promise: "A client that reconnects with Last-Event-ID receives what it missed, or is told to reload.",
    source: "docs/spec/dashboard.md#live-events",
  },
  {
    id: "events.ended",
    promise: "A stream ends with its session and with its holder's role, and nobody holds more than eight.",
    source: "docs/spec/dashboard.md#live-events",
  },
  {
    id: "dashboard.served",
    promise:
      "The page is served by the hub itself at its screens' addresses, loads nothing from elsewhere, runs no inline script and makes no text into code.",
    source: "docs/spec/dashboard.md#serving",
  },
  {
    id: "dashboard.assets",
    promise: "What the page loads is named by its content, compressed as the browser accepts it, and kept for ever.",
    source: "docs/spec/dashboard.md#serving",
  },
  {
    id: "dashboard.first-load",
    promise: "The first load is at most 180 KB, compressed by brotli.",
    source: "docs/spec/dashboard.md#serving",
  },
  {
    id: "dashboard.documented-routes",
    promise: "All that the dashboard asks for are routes of /api that are documented and open to every client.",
    source: "docs/spec/dashboard.md#serving",
  },
  {
    id: "audit.for-auditors",
    promise:
      "Auditors read the chain's state, have it checked beside calls, and take the log as a document; on record.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "dashboard.calls",
    promise:
      "The list of calls is narrowed by every filter, sorted, given other columns, saved as a view and exported in the page, and its address shows the same to others.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "dashboard.accessible",
    promise: "axe finds nothing against WCAG 2.2 AA on any screen, by day or by night.",
    source: "docs/spec/dashboard.md#accessibility-and-layout",
  },
  {
    id: "dashboard.roles",
    promise: "Each role is offered what is its own, is refused nothing it is offered, and is told whose the rest is.",
    source: "docs/spec/dashboard.md#roles",
  },
  {
    id: "dashboard.reflow",
    promise: "In 320 pixels, as at four times the size, no screen is wider than the window (WCAG 1.4.10).",
    source: "docs/spec/dashboard.md#accessibility-and-layout",
  },
  {
    id: "dashboard.first-steps",
    promise: "A newcomer is led from nothing to the first call and to the first blocked one, and sees them come.",
    source: "docs/spec/dashboard.md#first-steps-and-returning",
  },
  {
    id: "dashboard.way-back",
    promise: "A person who follows a link and has to sign in first gets to its target.",
    source: "docs/spec/dashboard.md#first-steps-and-returning",
  },
  {
    id: "dashboard.away",
    promise: "While the hub is away the page says so and keeps its ways; afterwards it is up to date again by itself.",
    source: "docs/spec/dashboard.md#first-steps-and-returning",
  },
  {
    id: "dashboard.confirm",
    promise:
      "Where a session is too old for what is asked of it, the page asks for the password and goes on, or nothing changes.",
    source: "docs/spec/dashboard.md#forms",
  },
  {
    id: "dashboard.tool-servers",
    promise:
      "In the browser a tool server is added, tested and removed, its tools assigned to agents, and a changed tool approved exactly as it was read.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.map",
    promise: "The map draws who reaches which tool, for the eye, for the keyboard and as a table.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.clients",
    promise: "In the browser people narrow and disconnect the programs they let in, at once.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.keys",
    promise: "Keys are made, shown once, rotated, disabled, enabled and revoked in the page, by who may.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.users",
    promise: "Administrators invite people by a link shown once, and shut them out; others see no such tab.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.kill-switch",
    promise: "The kill switch takes a typed word and a reason, and says when it holds everywhere.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.money",
    promise: "Administrators set prices and budgets in the settings; the overview and lists of calls show costs.",
    source: "docs/dashboard.md#screens",
  },
  {
    id: "dashboard.alerts",
    promise: "Administrators add and try destinations of alerts, change rules, silence and see what fires and history.",
    source: "docs/alerts.md#set-up",
  },
  {
    id: "dashboard.webhooks",
    promise: "Webhooks are added, with the secret shown once, tried, watched and sent to again.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.decide",
    promise:
      "From a block to a scanner that has changed, in the page: disputed at the call, asked for, approved by somebody else, applied, taken back.",
    source: "docs/spec/dashboard.md#reviews-reports-and-tuning-screens",
  },
  {
    id: "dashboard.tuning-form",
    promise:
      "A suggestion is edited by a form of its kind, tried on past calls before it is asked for, and what is wrong stands at its field.",
    source: "docs/spec/dashboard.md#reviews-reports-and-tuning-screens",
  },
  {
    id: "dashboard.keyboard",
    promise:
      "Dialogs and menus are opened, gone through and left by keyboard, which then is where it was; the palette reaches every screen and what is often done.",
    source: "docs/spec/dashboard.md#accessibility-and-layout",
  },
  {
    id: "dashboard.holds",
    promise: "Held calls are read, allowed and denied in the inbox, each with the arguments its tool would be given.",
    source: "docs/spec/dashboard.md#reviews-reports-and-tuning-screens",
  },
  {
    id: "dashboard.triage",
    promise:
      "Fifty disputes are decided in the page with a few clicks and keys: groups of like ones at once, and from one to the next.",
    source: "docs/spec/dashboard.md#reviews-reports-and-tuning-screens",
  },
  {
    id: "dashboard.policy",
    promise: "The baseline policy is put in force in the page after a trial only, with a reason, and can be compared.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.review",
    promise:
      "A member answers the nine sections in the page, saved as they write and never over somebody else's answers, and a reviewer decides on them there, in two steps.",
    source: "docs/spec/dashboard.md#reviews-reports-and-tuning-screens",
  },
  {
    id: "dashboard.questionnaire",
    promise:
      "The page asks every question of the questionnaire, takes every answer it knows, and its live tier is the hub's.",
    source: "docs/spec/dashboard.md#reviews-reports-and-tuning-screens",
  },
  {
    id: "dashboard.agent",
    promise:
      "An agent's screen shows how it fares and what holds for it; who answers for it restricts and stops it there.",
    source: "docs/spec/dashboard.md#management-screens",
  },
  {
    id: "dashboard.one-thing",
    promise: "What is known of one agent, or was typed about it, never stands below the address of another.",
    source: "docs/spec/dashboard.md#forms",
  },
  {
    id: "dashboard.typed-stays",
    promise:
      "What was typed into a form, or a secret that is shown once, is lost neither by a click beside it nor by a session that ends.",
    source: "docs/spec/dashboard.md#forms",
  },
  {
    id: "dashboard.read-once",
    promise: "Kept texts are read once for a click, however long the page stays open.",
    source: "docs/spec/dashboard.md#forms",
  },
  {
    id: "dashboard.one-person",
    promise: "Where somebody else signs in in the same browser, every page of it becomes theirs.",
    source: "docs/spec/dashboard.md#roles",
  },
  {
    id: "dashboard.role-now",
    promise: "A page has what its reader's role of now may see, without being loaded anew.",
    source: "docs/spec/dashboard.md#roles",
  },
  {
    id: "agents.standing",
    promise: "A list of agents says how each stands, and an agent's tools are shown to who may see it.",
    source: "docs/spec/agents.md#background-work",
  },
  {
    id: "overview.one-base",
    promise: "A share is of the number that stands beside it: blocked calls of all calls, refused ones too.",
    source: "docs/spec/dashboard.md#calls",
  },
  {
    id: "dashboard.playground",
    promise: "The playground calls a model in each API with a key of the viewer's, and shows the answer and its call.",
    source: "docs/dashboard.md#screens",
  },
  {
    id: "docs.served",
    promise:
      "The documentation of the version is served at /docs/ to everybody, below any base path, with nothing from elsewhere and nothing inline.",
    source: "docs/spec/dashboard.md#documentation",
  },
  {
    id: "docs.links",
    promise: "Every link, anchor and picture of the documentation leads to something that the hub serves.",
    source: "docs/spec/dashboard.md#documentation",
  },
  {
    id: "docs.search",
    promise: "The search finds the sections with all words of the query; its index is loaded when it is first used.",
    source: "docs/spec/dashboard.md#documentation",
  },
  {
    id: "docs.accessible",
    promise:
      "The documentation can be used by everybody: nothing is found by axe at four widths in both themes, and no page is wider than 320 pixels.",
    source: "docs/spec/dashboard.md#documentation",
  },
  {
    id: "docs.help",
    promise: "Every screen of the dashboard leads to the section of the documentation about its task.",
    source: "docs/spec/dashboard.md#documentation",
  },
  {
    id: "docs.recipes",
    promise: "Each configuration of docs/recipes is read by the program it is for, and works before a hub.",
    source: "docs/spec/dashboard.md#documentation",
  },
  {
    id: "cli.docs",
    promise: "guardhouse docs lists the pages of the documentation and shows one as Markdown, without a hub.",
    source: "docs/spec/dashboard.md#documentation",
  },
];
