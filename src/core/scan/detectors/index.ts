import type { Detector } from "#core/scan/detector";
import { awsSecretKey, genericSecret } from "./assigned-secret";
import { connectionString } from "./connection-string";
import { creditCard } from "./credit-card";
import { email } from "./email";
import { iban } from "./iban";
import { encodedInstruction, instructionOverride, jailbreak, roleMarker } from "./injection";
import { ipAddress } from "./ip-address";
import { jwt } from "./jwt";
import { idNumber } from "./national/id-number";
import { openaiKey } from "./openai-key";
import { phone } from "./phone";
import { gcpServiceAccount, privateKey } from "./private-key";
import { usSsn } from "./us-ssn";
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
  awsSecretKey,
  gcpApiKey,
  gcpServiceAccount,
  githubToken,
  gitlabToken,
  slackToken,
  stripeKey,
  openaiKey,
  anthropicKey,
  privateKey,
  jwt,
  connectionString,
  guardhouseToken,
  genericSecret,
  email,
  phone,
  creditCard,
  iban,
  usSsn,
  ipAddress,
  idNumber,
  instructionOverride,
  jailbreak,
  roleMarker,
  encodedInstruction,
];
