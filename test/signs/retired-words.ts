/** Names and words that standard terms replace; the glossary in docs has those. */

/** Identifiers, exactly so spelled. `standing` is not among them: it is a field of `GET /api/agents`. */
export const RETIRED_NAMES: readonly string[] = [
  ...["Door", "door", "signedIn", "signedInPerson", "BrowserDoor", "Asker", "Caller", "Directory", "Sync", "takers"],
  ...["Heartbeat", "beat", "CallLife", "isWelcome", "mustRun", "admit", "letThrough", "converse", "blocksQuietly"],
  ...["ScanTurns", "Governor", "CallJudge", "heldBy", "Tunings", "Tuner", "Ground", "TuningLedger", "EvidenceRoom"],
  ...["Readings", "TrackRecord", "AgentWatch", "glance", "tend", "mustNotHaveMoved", "mustReleaseNothing"],
  ...[
    "halt",
    "Mover",
    "Pace",
    "Turns",
    "Attempts",
    "stray",
    "isLetIn",
    "ToolRoster",
    "Intake",
    "look",
    "About",
    "Told",
  ],
  ...["ContentKeeper", "EventTexts", "SealedTexts"],
];

/** Families of identifiers. */
export const RETIRED_FAMILIES: readonly RegExp[] = [/\b\w+Desk\b/g, /\bShown[A-Z]\w*/g];

/** Strings that have a retired word and must stay, each in one file. */
export const KEPT_STRINGS: readonly (readonly [path: string, text: string])[] = [
  // An address of earlier versions, which leads to the new one.
  ["src/dashboard/shell/screens.tsx", '"/settings/keeping"'],
];

/** Words of comments and messages. */
export const RETIRED_WORDS: readonly string[] = [
  ...["house", "houses", "room", "rooms", "road", "roads", "door", "doors", "desk", "desks", "keeping", "stray"],
  ...["taker", "takers", "heard", "ground", "mover", "glance", "welcome", "tend", "whoever"],
];
