import type { Detector } from "#core/scan/detector";
import { aiKey } from "./ai";
import { cloudToken } from "./cloud";
import { developerToken } from "./developer";
import { messagingToken, telegramToken } from "./messaging";
import { providerKey } from "./named";
import { paymentKey } from "./payment";

/** The providers without a type of their own, by area. */
export const VENDORS: readonly Detector[] = [
  aiKey,
  cloudToken,
  developerToken,
  paymentKey,
  messagingToken,
  telegramToken,
  providerKey,
];
