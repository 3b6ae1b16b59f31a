import type { Database } from "../db/database.ts";
import { extensionPoint } from "../extension-point.ts";

/** A number about a domain's data in the database, read whenever metrics are. */
export interface DomainGauge {
  readonly name: `millrace_${string}`;
  readonly help: string;
  readonly read: (db: Database) => Promise<number>;
}

/** Domains contribute metrics here. */
export const DomainGaugePoint = extensionPoint<DomainGauge>("telemetry.gauges");
