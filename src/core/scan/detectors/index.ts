import type { Detector } from "../detector";
import { email } from "./email";
import {
  anthropicKey,
  awsAccessKey,
  gcpApiKey,
  githubToken,
  gitlabToken,
  guardhouseToken,
  slackToken,
  stripeKey,
} from "./vendor-tokens";

/** The catalogue: a detector is added here, and nowhere else. */
export const DETECTORS: readonly Detector[] = [
  awsAccessKey,
  gcpApiKey,
  githubToken,
  gitlabToken,
  slackToken,
  stripeKey,
  anthropicKey,
  guardhouseToken,
  email,
];
