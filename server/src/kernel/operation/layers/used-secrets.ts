import { trackUsedSecrets } from "../../secrets/used-secrets.ts";
import type { CallLayer } from "./call-layer.ts";

/** Removes secrets used by the call from its failures. */
export const usedSecrets: CallLayer = (next) => (platform, op, call) =>
  trackUsedSecrets(() => next(platform, op, call));
