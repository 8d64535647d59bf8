import type { Requirement } from "./requirement";

/** What is promised of changes of the policy, and the loop from report to change. */
export const TUNING: readonly Requirement[] = [
  {
    id: "tuning.exceptions",
    promise: "An exception lets pass exactly what it is about, whole and streamed, and nothing beside it.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.floor",
    promise: "No exception goes below the floor, but for one exact value, and none below a restriction.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.policy-rules",
    promise: "Thresholds, actions and patterns change for one subject, at the origins named, and for nobody else.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.monitor",
    promise: "A rule in monitor mode changes nothing, and flags say what it would have done.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.narrowest",
    promise: "A confirmed report leads to the narrowest change that would have avoided the mistake.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.rehearsal",
    promise: "A change that would break a sample nobody doubts is told of before anybody approves it.",
    source: "decisions.md §6",
  },
  {
    id: "loop.suggestion-cas",
    promise: "A suggestion changes only from the revision that was read.",
    source: "issue 6",
  },
  {
    id: "loop.apply-once",
    promise: "A suggestion is applied once, however many apply it at once in however many processes.",
    source: "issue 6",
  },
  {
    id: "loop.apply-whole",
    promise: "Rule, suggestion, policy revision and record of an application are written in one step, or none of them.",
    source: "decisions.md §6",
  },
  {
    id: "loop.revert-once",
    promise: "A rule ends once, with a new policy revision.",
    source: "issue 6",
  },
  {
    id: "loop.rule-feed",
    promise: "Every process learns of each rule that begins, changes or ends, and of the policy revision it came with.",
    source: "issue 6",
  },
  {
    id: "loop.job-lease",
    promise:
      "A job is given to one worker at a time, and to another once the lease is over; only who holds it ends it.",
    source: "issue 6",
  },
  {
    id: "loop.idempotency",
    promise: "Of requests under one key one is carried out; the others get its answer, wait, or are told they differ.",
    source: "issue 6",
  },
  {
    id: "loop.webhook-kept",
    promise:
      "Webhooks change with a record; a delivery is queued with its job or not at all, and goes with its webhook.",
    source: "issue 6",
  },
  {
    id: "loop.older-database",
    promise: "A database of the third release keeps all it held, and takes reports and rules.",
    source: "issue 6",
  },
  {
    id: "loop.damage-refused",
    promise:
      "A rule, suggestion, report or webhook whose stored form is damaged is refused, not read as something else.",
    source: "issue 6",
  },
  {
    id: "tuning.states",
    promise: "A suggestion moves as its table says and no other way; what is rejected or reverted is over.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.separation",
    promise:
      "Nobody approves what they asked for, wrote, own or alone reported; a sole administrator does with a reason, on record.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.edit-revokes",
    promise: "An approval is of the change as it was read: an edit, or asking anew, takes it back.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.stale-base",
    promise: "What was made against tuning or a profile that has changed since is stale, and cannot be applied.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.approval-expires",
    promise: "An approval is good for seven days.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.apply-once",
    promise: "Of any number of applications at once one puts a rule in force, with one policy revision.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.in-force",
    promise: "The scan after an application shows it, and so does every one after a restart.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.revert",
    promise: "A rule that is taken back holds no more from the next scan on, and its suggestion is reverted.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.stricter-free",
    promise: "Going stricter is in force at once; going looser, by whichever way, is a suggestion first.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.agent-token",
    promise: "An agent's token reads its agent's tuning and changes nothing about it.",
    source: "decisions.md §2",
  },
  {
    id: "tuning.own-only",
    promise: "Tuning of others' agents answers as what does not exist.",
    source: "decisions.md §1",
  },
  {
    id: "tuning.below-floor",
    promise:
      "No threshold or action is loosened below the floor, or further than the profile says, in however many steps.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.validity",
    promise: "A change that says nothing, everything or no pattern of RE2 is refused, and nothing of it is repeated.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.lapse",
    promise: "What loosens ends after 90 days unless said otherwise.",
    source: "decisions.md §6",
  },
  {
    id: "tuning.unused",
    promise: "A rule that nothing has met for 60 days is marked as unused.",
    source: "product.md §2.8",
  },
  {
    id: "tuning.on-record",
    promise:
      "Every step from a suggestion to a rule and back is in the audit log, without values, patterns or hashes of values.",
    source: "decisions.md §11",
  },
  {
    id: "tuning.command-line",
    promise: "Operators list, decide on, apply and take back tuning beside a running hub, under the same rules.",
    source: "decisions.md §10",
  },
  {
    id: "loop.whole",
    promise:
      "A wrong block is disputed, reviewed, approved and mended for one agent, its neighbours stay blocked, and it can be taken back.",
    source: "decisions.md §6",
  },
  {
    id: "loop.demo",
    promise: "One command plays the whole loop without a key or a network, and prints each step.",
    source: "decisions.md §10",
  },
];
