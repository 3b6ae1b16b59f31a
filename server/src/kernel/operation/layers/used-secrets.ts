import { trackUsedSecrets } from "../../secrets/used-secrets.ts";
import type { CallLayer } from "./call-layer.ts";

/** Keeps the secrets that the call uses out of its failures. */
export const usedSecrets: CallLayer = (next) => (platform, op, call) =>
  trackUsedSecrets(() => next(platform, op, call));
