import type { Detector } from "#scan/detector";
import { aiKey } from "./ai";
import { azureKey, cloudToken } from "./cloud";
import { developerToken } from "./developer";
import { messagingToken, telegramToken } from "./messaging";
import { providerKey } from "./named";
import { paymentKey } from "./payment";
import { suffixedKey } from "./suffixed";

/** The providers without a type of their own, by area. */
export const VENDORS: readonly Detector[] = [
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
