import type { Requirement } from "./requirement";

/** What is promised of content kept for a while. */
export const CONTENT: readonly Requirement[] = [
  {
    id: "content.as-the-profile-says",
    promise: "Of a call's texts is kept what the agent's profile says: none, as they were passed on, or as they came.",
    source: "docs/spec/kept-content.md#what-is-kept",
  },
  {
    id: "content.as-passed-on",
    promise: "What is kept as redacted is what the provider and the client got.",
    source: "docs/spec/kept-content.md#what-is-kept",
  },
  {
    id: "content.blocked",
    promise: "A text in which something was blocked or redacted is kept for a day, so that it can be disputed.",
    source: "docs/spec/kept-content.md#what-is-kept",
  },
  {
    id: "content.bound",
    promise: "The record has keyed hashes of such texts, and nothing can be tried against them without the key.",
    source: "docs/spec/kept-content.md#sealed",
  },
  {
    id: "content.sealed",
    promise: "Kept texts are sealed: they stand in clear in no file.",
    source: "docs/spec/kept-content.md#sealed",
  },
  {
    id: "content.expires",
    promise: "Kept texts are gone when their time is over, and deleted within the hour; the record stays whole.",
    source: "docs/spec/kept-content.md#expiry",
  },
  {
    id: "content.rights",
    promise:
      "Kept texts are read by whose they are, reviewers and administrators; deleted by whose they are and administrators.",
    source: "docs/spec/kept-content.md#reading-and-deleting",
  },
  {
    id: "content.reads-recorded",
    promise: "Each look at kept texts is on record before it is answered.",
    source: "docs/spec/kept-content.md#reading-and-deleting",
  },
  {
    id: "content.bounded",
    promise: "Of one call 1,048,576 characters a purpose are kept at most, and what was cut says so.",
    source: "docs/spec/kept-content.md#what-is-kept",
  },
  {
    id: "content.never-in-the-way",
    promise: "A text that cannot be kept fails no call; it is logged and counted.",
    source: "docs/spec/kept-content.md#failures",
  },
];
