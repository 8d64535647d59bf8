import type { Detector } from "#scan/detector";
import { awsSecretKey, genericSecret } from "./assigned-secret";
import { columnSecret } from "./column-secret";
import { commandPassword } from "./command-password";
import { addressWithPassword, connectionSettings } from "./connection-settings";
import { connectionString } from "./connection-string";
import { declaredDefault, netrcPassword, pairedSecret, pgpassPassword } from "./credential-files";
import { creditCard } from "./credit-card";
import { egress } from "./egress";
import { definedEmail, email } from "./email";
import { kubernetesSecret, registryAuth } from "./encoded-credentials";
import { authorizationHeader, curlUser } from "./http-credentials";
import { iban } from "./iban";
import {
  encodedInstruction,
  foreignOverride,
  instructionOverride,
  jailbreak,
  modelAddressed,
  roleMarker,
} from "./injection";
import { injectionClassifier } from "./injection-classifier";
import { ipAddress } from "./ip-address";
import { joinedToken } from "./joined-token";
import { encodedJwt, jwt } from "./jwt";
import { idNumber } from "./national/id-number";
import { openaiKey } from "./openai-key";
import { cryptoAddress } from "./personal/crypto/address";
import { PERSONAL } from "./personal/cued";
import { macAddress } from "./personal/mac-address";
import { person } from "./personal/person";
import { speltEmail } from "./personal/spelt-email";
import { phone } from "./phone";
import { gcpServiceAccount, privateKey, puttyKey } from "./private-key";
import { addressedModel } from "./structure/addressed-model";
import { suspiciousDefinition } from "./structure/suspicious-definition";
import { urlSecret } from "./url-secret";
import { usSsn } from "./us-ssn";
import { aiKey } from "./vendor-ai";
import { azureKey, cloudToken } from "./vendor-cloud";
import { developerToken } from "./vendor-developer";
import { messagingToken, telegramToken } from "./vendor-messaging";
import { providerKey } from "./vendor-named";
import { paymentKey } from "./vendor-payment";
import { suffixedKey } from "./vendor-suffixed";
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

/** The providers without a type of their own, by area. */
const VENDORS: readonly Detector[] = [
  aiKey,
  cloudToken,
  azureKey,
  developerToken,
  paymentKey,
  messagingToken,
  telegramToken,
  providerKey,
  suffixedKey,
];

/** The catalogue: a detector is added here (providers without a type of their own: `vendor-*.ts`), and nowhere else. */
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
  puttyKey,
  jwt,
  encodedJwt,
  connectionString,
  connectionSettings,
  addressWithPassword,
  guardhouseToken,
  ...VENDORS,
  joinedToken,
  authorizationHeader,
  curlUser,
  commandPassword,
  registryAuth,
  kubernetesSecret,
  genericSecret,
  columnSecret,
  urlSecret,
  declaredDefault,
  pairedSecret,
  netrcPassword,
  pgpassPassword,
  email,
  definedEmail,
  phone,
  creditCard,
  iban,
  usSsn,
  ipAddress,
  idNumber,
  cryptoAddress,
  speltEmail,
  macAddress,
  ...PERSONAL,
  person,
  instructionOverride,
  modelAddressed,
  foreignOverride,
  jailbreak,
  roleMarker,
  encodedInstruction,
  injectionClassifier,
  addressedModel,
  suspiciousDefinition,
  egress,
];
